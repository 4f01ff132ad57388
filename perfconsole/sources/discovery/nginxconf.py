"""What an nginx configuration says of proxies: ports, where requests go, where its status page is. Pure.

Never follows a variable. Files that are included come through a function of the caller, who bounds them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from perfconsole.sources.discovery.proxyserver import ProxyServer, bound, serves_models
from perfconsole.sources.discovery.weblink import base_urls

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    Include = Callable[[str], Sequence[str]]
    """Gives the texts of the files that the pattern of an include matches."""

_TOKEN = re.compile(
    r"""\s+|\#[^\n]*|"((?:\\.|[^"\\])*)"|'((?:\\.|[^'\\])*)'|([{};])|((?:\\.|\$\{[^}]*\}|[^\s;{}\\])+|\\)""", re.DOTALL
)
_DEPTH = 8
"""How deep includes may lead; a file that includes itself ends there."""
_MAX_DIRECTIVES = 50_000
_PAGES = {"vhost_traffic_status_display": ("/format/prometheus", "nginx-vts"), "stub_status": ("", "")}
"""Directives that make a page, the one that says most first: what its route ends with, and the adapter for it."""
_ROUTE = re.compile(r"/[\w.~%+/-]*", re.ASCII)


@dataclass(slots=True)
class Directive:
    """One directive with its words, and what stands in its braces."""

    words: tuple[str, ...]
    inside: list[Directive] = field(default_factory=list)


def read_servers(text: str, include: Include) -> tuple[ProxyServer, ...]:
    """Every web server of a configuration; what makes no sense is left out."""
    tree = parse(text, include)
    web = [inner for each in tree for inner in (each.inside if each.words[:1] == ("http",) else [])]
    top = [each for each in tree if each.words[:1] in (("server",), ("upstream",))]  # a file that is itself included
    pools = {d.words[1]: _members(d) for d in (*web, *top) if d.words[:1] == ("upstream",) and len(d.words) > 1}
    return tuple(_server(d, pools) for d in (*web, *top) if d.words[:1] == ("server",))


def parse(text: str, include: Include, depth: int = 0) -> list[Directive]:
    """The directives, blocks as trees, includes put in. Braces too many or too few are passed over."""
    top = Directive(())
    stack, words, count = [top], [], 0
    for token, quoted in tokens(text):
        if quoted or token not in ("{", "}", ";"):
            words.append(token)
            continue
        if token == "}":  # noqa: S105 - a brace
            stack = stack[:-1] or [top]
        elif words:
            count += 1
            if count > _MAX_DIRECTIVES:
                break
            stack[-1].inside += _made(tuple(words), include, depth, opens=token == "{")  # noqa: S105 - a brace
            if token == "{":  # noqa: S105 - a brace
                stack.append(stack[-1].inside[-1])
        words = []
    return top.inside


def _made(words: tuple[str, ...], include: Include, depth: int, *, opens: bool) -> list[Directive]:
    if words[0] != "include" or opens or len(words) != 2:
        return [Directive(words)]
    texts = include(words[1]) if depth < _DEPTH else ()
    return [directive for text in texts for directive in parse(text, include, depth + 1)]


def tokens(text: str) -> Iterator[tuple[str, bool]]:
    """Words, braces and semicolons, each with whether it stood in quotes; comments and blanks are left out."""
    for match in _TOKEN.finditer(text):
        double, single, mark, word = match.groups()
        quoted = double if double is not None else single
        if quoted is not None:
            yield re.sub(r"\\(.)", r"\1", quoted, flags=re.DOTALL), True
        elif mark or word:
            yield mark or word, False


def _members(pool: Directive) -> tuple[str, ...]:
    """Addresses of the servers of an `upstream` block."""
    return tuple(d.words[1] for d in pool.inside if d.words[:1] == ("server",) and len(d.words) > 1)


def _server(block: Directive, pools: dict[str, tuple[str, ...]]) -> ProxyServer:
    host, port, tls = _listens([d.words[1:] for d in block.inside if d.words[0] == "listen" and len(d.words) > 1])
    inner = list(_walk(block.inside, ""))
    passes = [d.words[1] for _, d in inner if d.words[0] == "proxy_pass" and len(d.words) > 1]
    routes = [route for route, d in inner if d.words[0] == "proxy_pass"]
    status, adapter = _status(inner) if port else ("", "")
    urls = base_urls(url for target in passes for url in _resolved(target, pools))
    return ProxyServer(host, port, tls, urls, status, serves_models(routes), adapter)


def _status(inner: list[tuple[str, Directive]]) -> tuple[str, str]:
    """Route of its page that says most, and the adapter for it; both empty for none."""
    for directive, (ending, adapter) in _PAGES.items():
        routes = [route for route, d in inner if d.words[0] == directive and _ROUTE.fullmatch(route)]
        if routes:
            return routes[0].rstrip("/" if ending else "") + ending, adapter
    return "", ""


def _walk(directives: Iterable[Directive], route: str) -> Iterator[tuple[str, Directive]]:
    """All directives below, each with the path of the location it stands in; the path of a regular one is no route."""
    stack = [(route, directive) for directive in reversed(list(directives))]
    while stack:
        here, directive = stack.pop()
        yield here, directive
        inside = _route(directive.words, here) if directive.words[0] == "location" else here
        stack += [(inside, each) for each in reversed(directive.inside)]


def _route(words: tuple[str, ...], outer: str) -> str:
    """Path of a location; a regular expression stays one, so that it is no path to ask."""
    if len(words) == 2:
        return words[1]
    return (
        words[2] if len(words) == 3 and words[1] in ("=", "^~") else f"~{' '.join(words[1:])}" if words[1:] else outer
    )


def _listens(lines: list[tuple[str, ...]]) -> tuple[str, int, bool]:
    """Host, port and TLS of the first address that can be read; plain ones come first. 80 where none is written."""
    places = [(*place, "ssl" in words) for words in lines if (place := bound(words[0], "80")) is not None]
    return min(places, key=lambda place: place[2], default=("127.0.0.1", 0 if lines else 80, False))


def _resolved(target: str, pools: dict[str, tuple[str, ...]]) -> list[str]:
    """URLs that a proxy_pass leads to: those of its pool, or its own; none where a variable decides."""
    scheme, mark, rest = target.partition("://")
    name = re.split(r"[/?]", rest, maxsplit=1)[0]
    if not mark or "$" in name or name.startswith("unix:"):
        return []
    members = pools.get(name) or (name,)
    return [f"{scheme}://{member if ':' in member else f'{member}:{_standard(scheme)}'}" for member in members]


def _standard(scheme: str) -> int:
    return 443 if scheme == "https" else 80
