"""Where a target listens: the URL that a user gives, read, checked, and made fit to be shown.

Must never put a user, a password or a query into an error.
"""

from __future__ import annotations

import ipaddress
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import quote, urlsplit

from perfconsole.errors import UsageError
from perfconsole.sources.web.failure import printable

if TYPE_CHECKING:
    from urllib.parse import SplitResult

_PORTS = {"http": 80, "https": 443}
_PAGES = ("/metrics", "/health", "/v1")
"""Paths that people copy along with the address of an engine; a source adds the path that it needs."""

_SAFE = "/%:@!$&'()*+,;=~?"
"""Allowed in a request target (RFC 3986), and `%`, since the user may have encoded what is not."""


@dataclass(frozen=True, slots=True)
class Address:
    """The parts of a base URL; `port` is None where the URL names none, `user` holds `user:password` still quoted."""

    scheme: str
    host: str
    port: int | None
    prefix: str
    user: str

    @property
    def shown(self) -> str:
        """Host and port as a URL has them: `h:8000`, `[::1]:8000`, `h`."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port is None else f"{host}:{self.port}"

    @property
    def place(self) -> str:
        """Host and port as a URL has them, the usual port of the scheme where none is named."""
        return self.shown if self.port is not None else f"{self.shown}:{_PORTS[self.scheme]}"

    @property
    def origin(self) -> tuple[str, str, int]:
        """Scheme, host and port: what a redirect must not leave."""
        return self.scheme, self.host, _PORTS[self.scheme] if self.port is None else self.port

    @property
    def loopback(self) -> bool:
        """Whether the bytes stay on this host."""
        return self.host == "localhost" or (is_literal(self.host) and ipaddress.ip_address(self.host).is_loopback)


def is_literal(host: str) -> bool:
    """Whether the host is an IP address, which needs no lookup."""
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


def parse_address(text: str) -> Address:
    """Read the address that a user's text means; `http://` may be left out. Raises UsageError for nonsense."""
    trimmed = text.strip()
    try:
        parts = urlsplit(trimmed if "://" in trimmed else f"http://{trimmed}")
        fault = _fault(parts)
    except ValueError:
        fault = "host or port cannot be read (ports go up to 65535; an IPv6 address needs brackets: [::1]:8000)"
    if " " in trimmed or not trimmed.isprintable():
        fault = "spaces or control characters in it"
    if fault:
        raise UsageError(printable(f"not the URL of a target: {_hidden(trimmed)}: {fault}"))
    user = parts.netloc.rpartition("@")[0]
    return Address(parts.scheme, parts.hostname or "", parts.port, parts.path.rstrip("/"), user)


def _fault(parts: SplitResult) -> str:
    """Say what keeps the parts from being an address; empty when nothing does. Raises ValueError for a bad port."""
    host, place = parts.hostname or "", parts.netloc.rpartition("@")[2]
    if parts.scheme not in _PORTS:
        return f"unknown scheme {parts.scheme!r} (http and https are known)"
    if not host:
        return "an IPv6 address needs brackets: [::1]:8000" if place.count(":") > 1 else "no host in it"
    if parts.port == 0 or place.endswith(":"):
        return "no usable port after the colon"
    if host.isdigit():
        return f"no host in it (if {host} is the port: localhost:{host})"
    if not (is_literal(host) or re.fullmatch(r"[a-z0-9_-]+(\.[a-z0-9_-]+)*\.?", host)):
        return "this is no host name"
    return "a query or a fragment does not belong here" if parts.query or parts.fragment else ""


def _hidden(text: str) -> str:
    """Cut the text at its query and take out what may be a password: in nonsense that is all before the last `@`."""
    return re.sub(r"^(\w+://)?.*@", r"\1***@", text, flags=re.DOTALL).partition("?")[0]


def validate_url(text: str) -> str:
    """Find the base URL that the text means: `h:8000/metrics` gives `http://h:8000`; raises UsageError for nonsense.

    A user and password in the text stay in the result: show it only through `redact`.
    """
    address = parse_address(text)
    path = address.prefix
    while page := next((page for page in _PAGES if path.endswith(page)), ""):
        path = path.removesuffix(page).rstrip("/")
    user = f"{address.user}@" if address.user else ""
    return f"{address.scheme}://{user}{address.shown}{path}"


def redact(url: str) -> str:
    """Make a URL or path fit to be shown: without user, password, query and fragment."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return "(unreadable URL)"
    user, _, place = parts.netloc.rpartition("@")
    start = f"{parts.scheme}:" if parts.scheme else ""
    host = f"//{'***@' if user else ''}{place}" if parts.netloc else ""
    return f"{start}{host}{parts.path}{'?...' if parts.query else ''}"


def request_target(path: str, query: str) -> str:
    """Path and query as a request line carries them: spaces, control characters and `#` percent-encoded."""
    quoted = quote(path if path.startswith("/") else f"/{path}", safe=_SAFE).replace("?", "%3F")
    return f"{quoted}?{quote(query, safe=_SAFE)}" if query else quoted
