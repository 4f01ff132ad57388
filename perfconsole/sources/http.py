"""Bounded GETs of the pages that a target serves, for targets that may be sick.

Owns the requests to one target and what makes an answer complete. Must never outlast its deadline, keep more than its
limit of a page, follow a redirect to another place, show a password or a query, log, or import httpx before a get.
"""

from __future__ import annotations

import base64
import re
import threading
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, cast
from urllib.parse import unquote, urljoin, urlsplit

from perfconsole.clock import Clock, SystemClock
from perfconsole.errors import UsageError
from perfconsole.sources.web.address import Address, parse_address, redact, request_target, validate_url
from perfconsole.sources.web.encoding import unpack
from perfconsole.sources.web.failure import FetchError, FetchKind, garbled, printable, size_text, too_large
from perfconsole.sources.web.line import Limits, Line

if TYPE_CHECKING:
    from collections.abc import Mapping

    import httpcore
    import httpx

__all__ = ["FetchError", "FetchKind", "Fetcher", "Limits", "Reply", "redact", "validate_url"]

_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_DRAIN_BYTES = 64 * 1024
"""The page of a redirect is read up to this size, which keeps the connection; a larger one is cut off."""
_KEEP_S = 60.0
"""How long an idle connection is kept: longer than any cadence, so that a poll does not cost the target an accept."""
_HEADER_NAME = r"[A-Za-z0-9!#$%&'*+.^_`|~-]+"
_HEADER_VALUE = r"([\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?)?"
_DEFAULT_LIMITS = Limits()
_NO_HEADERS: Mapping[str, str] = MappingProxyType({})
_SYSTEM_CLOCK = SystemClock()


@dataclass(frozen=True, slots=True)
class Reply:
    """A complete answer, whatever its status; `body` is unpacked, `took_s` are seconds."""

    status: int
    body: bytes
    content_type: str
    took_s: float
    url: str
    """What answered in the end, fit to be shown: without user, password and query."""


@dataclass(frozen=True, slots=True)
class _Page:
    status: int
    body: bytes
    content_type: str
    location: str
    """Where a redirect leads; empty for all else."""


class Fetcher:
    """GETs from one target over one kept connection, one at a time; `interrupt` and `close` come from any thread.

    Raises UsageError for a base URL or a header that cannot be used.
    """

    def __init__(
        self,
        base_url: str,
        *,
        limits: Limits = _DEFAULT_LIMITS,
        headers: Mapping[str, str] = _NO_HEADERS,
        clock: Clock = _SYSTEM_CLOCK,
    ) -> None:
        self._address = parse_address(base_url)
        self._base = f"{self._address.scheme}://{self._address.shown}"
        self._headers = _request_headers(self._address, headers)
        self._limits = limits
        self._clock = clock
        self._line = Line(self._address, limits, clock)
        self._turn = threading.Lock()
        self._transport: httpx.HTTPTransport | None = None
        self._closed = False

    def get(self, path: str, total_s: float | None = None) -> Reply:
        """Fetch the page at a path (`/metrics`, a query may follow) below the base URL; raises FetchError only.

        `total_s` is how long this one may take, where that is not what the limits say.
        """
        with self._turn:
            # First of all, so that the imports count neither as time of the target nor against its deadline.
            self._transport = self._transport or _open_transport(self._address, self._line)
            self._line.begin(self._limits.total_s if total_s is None else total_s)
            try:
                return self._follow(self._target(path))
            finally:
                self._line.end()

    def interrupt(self) -> None:
        """Break the get in flight, if there is one; it raises FetchError, and the next get works as ever."""
        self._line.stop()

    def close(self) -> None:
        """Break the get in flight and give the connection up; every later get raises FetchError."""
        self._closed = True
        self._line.stop()
        with self._turn:
            if self._transport is not None:
                self._transport.close()

    def _target(self, path: str) -> str:
        page, _, query = path.partition("?")
        return request_target(f"{self._address.prefix}/{page.removeprefix('/')}", query)

    def _follow(self, target: str) -> Reply:
        """Fetch the page at the end of the redirects."""
        start = self._clock.now()
        chain = [target]
        while (page := self._ask(chain[-1])).location:
            chain.append(self._next(page.location, chain))
        took = self._line.took_s(start)
        return Reply(page.status, page.body, page.content_type, took, redact(self._base + chain[-1]))

    def _next(self, location: str, chain: list[str]) -> str:
        """Target of a redirect; it stays at the same scheme, host and port, so that headers go nowhere else."""
        here = self._base + chain[-1]
        try:
            there = parse_address(urljoin(here, location).partition("?")[0].partition("#")[0])
            parts = urlsplit(urljoin(here, location))
        except (UsageError, ValueError):
            raise FetchError(FetchKind.REDIRECTS, f"{redact(chain[-1])} redirects to what is no http URL") from None
        if there.origin != self._address.origin:
            text = f"{redact(chain[-1])} redirects to another place, not followed: {redact(urljoin(here, location))}"
            raise FetchError(FetchKind.REDIRECTS, text)
        target = request_target(parts.path, parts.query)
        shown = " -> ".join(map(redact, [*chain, target]))
        if target in chain:
            raise FetchError(FetchKind.REDIRECTS, f"redirects in a circle: {shown} -> ...")
        if len(chain) > self._limits.max_redirects:
            raise FetchError(FetchKind.REDIRECTS, f"more than {self._limits.max_redirects} redirects: {shown}")
        return target

    def _ask(self, target: str) -> _Page:
        """One page, asked for again when a kept connection turns out to be dead."""
        try:
            return self._exchange(target)
        except FetchError as error:
            # A server drops idle connections when it likes, also with our request on its way: no sign of ill health.
            if error.kind is not FetchKind.RESET or self._line.fresh or self._line.received:
                raise
        return self._exchange(target)

    def _exchange(self, target: str) -> _Page:
        import httpx  # noqa: PLC0415 - imported by the transport before

        if self._closed or self._transport is None:
            raise FetchError(FetchKind.TIMEOUT, "stopped by the console")
        self._line.attempt()
        try:
            # The transport and not a client: no cookies, no proxies of the environment, no log lines, no redirects.
            request = httpx.Request("GET", self._base + target, headers=self._headers)
            response = self._transport.handle_request(request)
            try:
                return self._read(response)
            finally:
                response.close()
        except httpx.RemoteProtocolError as error:
            raise self._broken(str(error)) from None
        except (httpx.HTTPError, httpx.InvalidURL, httpx.StreamError, ValueError) as error:
            # Only the class: the text may quote a header of ours.
            text = f"request to {self._line.where} failed: {type(error).__name__}"
            raise FetchError(FetchKind.BROKEN, text) from None

    def _broken(self, detail: str) -> FetchError:
        line = self._line
        if not line.ended:
            return garbled(line.where, line.head, detail)
        text = f"{line.where} closed the connection within the headers ({size_text(line.received)} came)"
        return FetchError(FetchKind.BROKEN, text)

    def _read(self, response: httpx.Response) -> _Page:
        headers = response.headers
        location = headers.get("location", "") if response.status_code in _REDIRECTS else ""
        announced = _announced(headers)
        if location and (announced is None or announced > _DRAIN_BYTES):
            return _Page(response.status_code, b"", "", location)
        raw = self._read_raw(response, announced)
        if location:
            return _Page(response.status_code, b"", "", location)
        body = unpack(raw, headers.get("content-encoding", ""), self._limits.max_bytes)
        return _Page(response.status_code, body, printable(headers.get("content-type", "")), "")

    def _read_raw(self, response: httpx.Response, announced: int | None) -> bytes:
        """Read the page as sent; raises FetchError for one that is too large or ends too soon."""
        import httpx  # noqa: PLC0415 - imported by the transport before

        limit = self._limits.max_bytes
        if announced is not None and announced > limit:
            text = f"page announces {size_text(announced)}, more than {size_text(limit)}; it was not read"
            raise FetchError(FetchKind.TOO_LARGE, text)
        raw = bytearray()
        try:
            for chunk in response.iter_raw():
                raw += chunk
                if len(raw) > limit:
                    raise too_large(limit)
        except httpx.RemoteProtocolError as error:
            if not self._line.ended:
                raise garbled(self._line.where, self._line.head, str(error)) from None
            came = f"{len(raw)} bytes came, no end" if announced is None else f"{len(raw)} of {announced} bytes"
            raise FetchError(FetchKind.BROKEN, f"page stops in the middle ({came})") from None
        return bytes(raw)


def _request_headers(address: Address, extra: Mapping[str, str]) -> dict[str, str]:
    """Headers of every request; raises UsageError, without the value, for what HTTP cannot carry."""
    # Packing costs an engine on this host CPU time and saves it nothing.
    encoding = "identity" if address.loopback else "gzip"
    own = {"User-Agent": "perfconsole", "Accept": "*/*", "Accept-Encoding": encoding}
    if address.user:
        user, _, password = address.user.partition(":")
        pair = f"{unquote(user)}:{unquote(password)}".encode()
        own["Authorization"] = f"Basic {base64.b64encode(pair).decode()}"
    for name, value in extra.items():
        if not re.fullmatch(_HEADER_NAME, name) or not re.fullmatch(_HEADER_VALUE, value):
            raise UsageError(printable(f"header {name}: its name or value has characters that HTTP cannot carry"))
    given = {name.lower() for name in extra}
    return {name: value for name, value in own.items() if name.lower() not in given} | dict(extra)


def _open_transport(address: Address, line: Line) -> httpx.HTTPTransport:
    """Make an httpx transport of one connection that runs over the line."""
    import logging  # noqa: PLC0415 - not needed before a get
    import ssl  # noqa: PLC0415 - not needed before a get

    import httpcore  # noqa: PLC0415 - a part of httpx, and as slow to import
    import httpx  # noqa: PLC0415 - not needed before a get

    # httpcore writes targets and headers, so tokens too, at DEBUG.
    logging.getLogger("httpcore").setLevel(logging.CRITICAL)
    # The certificates of the host, which knows the authority of its house; 45 ms that plain http does not pay.
    tls = ssl.create_default_context() if address.scheme == "https" else ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    transport = httpx.HTTPTransport(verify=tls, trust_env=False)
    transport._pool = httpcore.ConnectionPool(  # noqa: SLF001 - httpx has no public place for a network backend
        ssl_context=tls,
        max_connections=1,
        keepalive_expiry=_KEEP_S,
        network_backend=cast("httpcore.NetworkBackend", line),
    )
    return transport


def _announced(headers: httpx.Headers) -> int | None:
    """Bytes that the page is to have on the wire; None when it is chunked or ends with the connection."""
    length = headers.get("content-length", "")
    return int(length) if length.isdecimal() and "transfer-encoding" not in headers else None
