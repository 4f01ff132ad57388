"""The lines of an HTTP/1.1 request before its body. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from perfconsole.model.probeorders import Target

_DEFAULTS = (
    ("User-Agent", "perfconsole-probe"),
    ("Accept", "text/event-stream"),
    ("Accept-Encoding", "identity"),  # a proxy that compresses would hold tokens back
)
_OURS = frozenset(("content-length", "transfer-encoding", "connection", "content-type", "expect", "upgrade", "te"))
"""Headers that would make another message of it."""
_TOKEN = frozenset("!#$%&'*+-.^_`|~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")
_PORTS = {"http": 80, "https": 443}
_ROUTES = {"chat": "/chat/completions", "completions": "/completions"}


def request_head(target: Target, api: str) -> bytes:
    """Everything up to the number of `Content-Length`, which comes last.

    ValueError for an API, a path or a header that cannot be sent; a header's value is never repeated in it.
    """
    given = {name.lower() for name, _ in target.headers}
    lines = [f"POST {path(target.prefix, api)} HTTP/1.1"]
    if "host" not in given:
        lines.append(f"Host: {authority(target)}")
    lines += [f"{name}: {value}" for name, value in _DEFAULTS if name.lower() not in given]
    lines += [_header(name, value) for name, value in target.headers]
    lines += ["Connection: keep-alive", "Content-Type: application/json", "Content-Length: "]
    return "\r\n".join(lines).encode("latin-1")


def path(prefix: str, api: str) -> str:
    """Where the API is, behind the path of a base URL; one that ends in /v1, or in the route itself, has it already."""
    if api not in _ROUTES:
        raise ValueError(f"no such API: {api}")
    base = prefix.rstrip("/").removesuffix(_ROUTES["chat"]).removesuffix(_ROUTES["completions"])
    base = base if base.endswith("/v1") else f"{base}/v1"
    whole = f"{base if base.startswith('/') else f'/{base}'}{_ROUTES[api]}"
    if not (whole.isascii() and whole.isprintable()) or " " in whole:
        raise ValueError("the path of the URL has characters that have to be escaped (%20)")
    return whole


def authority(target: Target) -> str:
    """Host and port as a Host header has them; the port only where it is not the usual one."""
    host = target.host or "localhost"
    host = f"[{host}]" if ":" in host else host
    if not (host.isascii() and host.isprintable()) or " " in host:
        raise ValueError("the host has characters that no name has")
    return host if target.unix or _PORTS.get(target.scheme) == target.port else f"{host}:{target.port}"


def _header(name: str, value: str) -> str:
    if not name or not _TOKEN.issuperset(name):
        raise ValueError(f"no name of a header: {name!r}")
    if name.lower() in _OURS:
        raise ValueError(f"the probe sets {name} itself")
    if any(ord(char) > 255 or (ord(char) < 32 and char != "\t") or char == "\x7f" for char in value):
        raise ValueError(f"the value of {name} has characters that no header holds")
    return f"{name}: {value.strip()}"
