"""What an HAProxy configuration says: frontends, where they lead, the page of its exporter, names of servers. Pure.

Never follows a variable of the environment or an expression: what they decide is not known.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING

from perfconsole.sources.discovery.configuration import Configuration, of_servers
from perfconsole.sources.discovery.proxyserver import ProxyServer, bound, server_url, serves_models
from perfconsole.sources.discovery.weblink import base_urls

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_WORD = re.compile(r"""((?:\\.|"(?:\\.|[^"\\])*"|'[^']*'|[^\s\\"'#])+)|\#.*|\S""")
_QUOTES = re.compile(r"""\\(.)|"((?:\\.|[^"\\])*)"|'([^']*)'""")
_SECTION_TEXT = (
    "global defaults frontend backend listen peers resolvers userlist mailers cache http-errors program ring "
    "log-forward log-profile fcgi-app crt-store acme traces"
)
_SECTIONS = frozenset(_SECTION_TEXT.split())
_FAMILY = re.compile(r"(?:ipv4|ipv6|tcp4?|tcp6|quic4|quic6)@")
_PATH = re.compile(r"\bpath(?:_beg|_sub|_reg|_dir)?\s+(?:-\w+\s+)*(/\S*)")
_EXPORTER = "prometheus-exporter"
_MAX_LINES = 20_000
_MAX_TEMPLATE = 64
_MOST_SERVERS = 256
"""Of one backend; templates make many of little text."""
_MOST_FRONTS = 256


@dataclass(slots=True)
class _Section:
    """One proxy: a frontend, a backend, or both in one (`listen`)."""

    kind: str
    name: str
    lines: list[tuple[str, ...]] = field(default_factory=list)

    def words_of(self, keyword: str) -> Iterator[tuple[str, ...]]:
        """What follows that keyword, line by line."""
        return (words[1:] for words in self.lines if words[0] == keyword and len(words) > 1)


def read_haproxy(texts: Iterable[str]) -> Configuration:
    """Doors and names of servers, of all files together; what makes no sense is left out."""
    sections = list(_sections(texts))
    servers = {
        each.name: list(islice(_servers(each), _MOST_SERVERS))
        for each in sections
        if each.kind in ("backend", "listen")
    }
    fronts = [each for each in sections if each.kind in ("frontend", "listen")][:_MOST_FRONTS]
    doors = [door for each in fronts for door in _doors(each, servers)]
    return of_servers(doors, _names(servers))


def _sections(texts: Iterable[str]) -> Iterator[_Section]:
    """Proxies with their lines; a frontend has the default backend of the defaults before it."""
    current = _Section("", "")
    inherited: tuple[tuple[str, ...], ...] = ()
    for words in _lines(texts):
        if words[0] not in _SECTIONS:
            current.lines.append(words)
            continue
        if current.kind:
            yield current
        if current.kind == "defaults":
            inherited = tuple(line for line in current.lines if line[0] == "default_backend")
        current = _Section(words[0], words[1] if len(words) > 1 else "", list(inherited))
        if current.kind == "listen" and len(words) > 2:
            current.lines.append(("bind", *words[2:]))
    if current.kind:
        yield current


def _lines(texts: Iterable[str]) -> Iterator[tuple[str, ...]]:
    left = _MAX_LINES
    for text in texts:
        for line in text.splitlines()[:left]:
            left -= 1
            words = tuple(_QUOTES.sub(_unquoted, word) for word in _WORD.findall(line) if word)
            if words:
                yield words


def _unquoted(match: re.Match[str]) -> str:
    return next((group for group in match.groups() if group is not None), "")


def _servers(section: _Section) -> Iterator[tuple[str, str]]:
    """Name and base URL of each server of a backend."""
    for name, *rest in section.words_of("server"):
        if rest and (url := _url(rest)):
            yield name, url
    for prefix, *rest in section.words_of("server-template"):
        last = rest[0].rpartition("-")[2] if rest else ""
        if len(rest) > 1 and last.isascii() and last.isdecimal() and (url := _url(rest[1:])):
            yield from ((f"{prefix}{number + 1}", url) for number in range(min(int(last[:4]), _MAX_TEMPLATE)))


def _url(words: list[str]) -> str:
    """URL of a server by its address and what is said of it; empty without a port of its own."""
    host, colon, port = _FAMILY.sub("", words[0]).rpartition(":")
    return server_url(host, port, tls="ssl" in words[1:]) if colon else ""


def _names(servers: dict[str, list[tuple[str, str]]]) -> Iterator[tuple[str, str]]:
    """Each server by its name alone, which its page has in a label of its own; by both where two have that name."""
    times = Counter(name for members in servers.values() for name, _ in members)
    for backend, members in servers.items():
        yield from ((name if times[name] == 1 else f"{backend}/{name}", url) for name, url in members)


def _doors(section: _Section, servers: dict[str, list[tuple[str, str]]]) -> Iterator[ProxyServer]:
    """Each address that it binds to, with its page and what it leads to; one without an address has port 0."""
    urls = base_urls(url for name in _backends(section) for _, url in servers.get(name, ()))
    status, models = _exporter(section), serves_models(_paths(section))
    places = list(_binds(section)) or [("127.0.0.1", 0, False)]
    for host, port, tls in places:
        yield ProxyServer(host, port, tls, urls, status if port else "", models)


def _backends(section: _Section) -> dict[str, None]:
    """Names of where it sends requests."""
    named = [words[0] for key in ("default_backend", "use_backend") for words in section.words_of(key)]
    return dict.fromkeys((*named, section.name) if section.kind == "listen" else named)


def _binds(section: _Section) -> Iterator[tuple[str, int, bool]]:
    for addresses, *options in section.words_of("bind"):
        for address in addresses.split(","):
            host, colon, port = _FAMILY.sub("", address).rpartition(":")
            place = bound(f"{host}:{port.partition('-')[0]}") if colon and "/" not in address else None
            if place is not None:
                yield (*place, "ssl" in options)


def _exporter(section: _Section) -> str:
    """Path of its page; empty where it is no door to the exporter."""
    acls: dict[str, str] = defaultdict(str)
    for name, *rest in section.words_of("acl"):
        acls[name] = f"{acls[name]} {' '.join(rest)}"
    for words in section.words_of("http-request"):
        if words[:2] == ("use-service", _EXPORTER):
            condition = " ".join(f"{word} {acls[word]}" if word in acls else word for word in words[2:])
            path = _PATH.search(condition)
            return path[1] if path else "/metrics"
    return ""


def _paths(section: _Section) -> list[str]:
    """Paths that its conditions tell apart."""
    return [path for words in section.lines for path in _PATH.findall(" ".join(words))]
