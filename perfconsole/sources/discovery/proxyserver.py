"""A door of a proxy as a value: where it takes requests, where those go, or where its page is. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from perfconsole.sources.discovery.weblink import base_url

if TYPE_CHECKING:
    from collections.abc import Iterable

_MODEL_ROUTES = re.compile(r"/v1\b|/(chat/)?completions|/generate|/embeddings")
_ANY = frozenset({"*", "0.0.0.0", "[::]", "::", "[*]", ""})  # noqa: S104 - compared with, not bound to
_MAX_PORT = 65535


@dataclass(frozen=True, slots=True)
class ProxyServer:
    """One thing that a proxy listens for: a `server` of nginx, a frontend, a listener, an entry point."""

    host: str
    port: int
    """0 where it listens on no port that can be read: on socket files alone, or on what a template leaves open."""
    tls: bool
    upstreams: tuple[str, ...]
    """Base URLs of what it sends requests to."""
    status_path: str
    """Route of its page of metrics; empty when there is none that can be asked."""
    serves_models: bool
    """One of its routes is one of the OpenAI API or the like."""
    adapter: str = ""
    """Name of the adapter for its page where a program has pages of several kinds; empty for its usual one."""

    @property
    def url(self) -> str:
        """Base URL at which it takes requests."""
        return f"{'https' if self.tls else 'http'}://{self.host}:{self.port}"


def page_server(host: str, port: int, path: str, *, tls: bool = False) -> ProxyServer:
    """One that has nothing but a page of metrics."""
    return ProxyServer(host, port, tls, (), path, serves_models=False)


def serves_models(routes: Iterable[str]) -> bool:
    """Whether one of the routes, paths or rules, is one of the OpenAI API or the like."""
    return any(_MODEL_ROUTES.search(route) for route in routes)


def bound(text: str, default: str = "") -> tuple[str, int] | None:
    """Host and port of a listening address: `8080`, `:8080`, `127.0.0.1:8080`, `[::]:80`, `*:80`, or a bare host.

    The host is the loopback address for all addresses; `default` is the port of a bare one. None for a socket file
    and for what makes no sense.
    """
    if text.startswith(("unix:", "/")):
        return None
    if text.isdecimal():
        host, port = "", text
    else:
        host, colon, port = text.rpartition(":")
        if not colon or text.endswith("]"):
            host, port = text, default
    return place_at(host, port)


def place_at(host: object, port: object) -> tuple[str, int] | None:
    """A listening place of two parts, each as a configuration has it; None for what makes no sense."""
    text = str(port)
    if not isinstance(host, str) or not (text.isascii() and text.isdecimal() and 0 < int(text[:6]) <= _MAX_PORT):
        return None
    name = "127.0.0.1" if host in _ANY else f"[{host}]" if ":" in host and not host.startswith("[") else host
    return (name, int(text)) if base_url(f"http://{name}:{text}") else None


def server_url(host: object, port: object, *, tls: bool = False) -> str:
    """Base URL of an upstream of two parts; empty for what makes no sense."""
    place = place_at(host, port) if host else None
    return base_url(f"{'https' if tls else 'http'}://{place[0]}:{place[1]}") if place else ""
