"""One metrics page as it stands now, from a URL, a file or standard input, bounded in size and time.

Owns where a page may be found. Never judges what is on it.
"""

from __future__ import annotations

import gzip
import sys
import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from perfconsole.errors import UsageError
from perfconsole.sources.http import Fetcher, FetchError, FetchKind, Limits
from perfconsole.sources.web.address import parse_address, redact, validate_url

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from pathlib import Path
    from typing import BinaryIO

    from perfconsole.sources.http import Reply

MAX_BYTES = Limits().max_bytes
"""Of a page from a file as from the net, and again unpacked."""
_PACKED = b"\x1f\x8b"
_NO_PAGES = ("/health", "/v1")
"""Ends of URLs that are copied along and are no pages; asking for health may cost a generation."""


@dataclass(frozen=True, slots=True)
class OnePage:
    """A page and where it came from."""

    body: bytes
    openmetrics: bool
    where: str
    """URL or file, fit to be shown."""
    path: str = ""
    """Path of the page at its server; empty for a file."""


def from_file(path: Path) -> OnePage:
    """The page in a file, packed or not; UsageError when it cannot be read or is none."""
    try:
        with path.open("rb") as file:
            return _whole(file, str(path))
    except OSError as error:
        raise UsageError(f"{path}: cannot be read: {error.strerror or error}") from error


def from_stdin() -> OnePage:
    """The page on standard input."""
    return _whole(sys.stdin.buffer, "standard input")


def _whole(file: BinaryIO, where: str) -> OnePage:
    """All of it, with the newline at its end that editors and copies leave out; from a server it would be a cut."""
    body = file.read(MAX_BYTES + 1)
    if body[:2] == _PACKED and len(body) <= MAX_BYTES:
        body = _unpacked(body, where)
    if len(body) > MAX_BYTES:
        raise UsageError(f"{where}: larger than {MAX_BYTES // 2**20} MiB, which is no metrics page")
    if not body.strip():
        raise UsageError(f"{where}: it is empty; save the page again: curl URL/metrics > FILE")
    if body.startswith(b"# t "):
        raise UsageError(f"{where}: a recording of many pages; judge it with `perfconsole check --replay`")
    return OnePage(body if body.endswith(b"\n") else body + b"\n", b"\n# EOF" in body[-16:], where)


def _unpacked(body: bytes, where: str) -> bytes:
    import io  # noqa: PLC0415 - only packed pages need it

    try:
        with gzip.open(io.BytesIO(body)) as file:
            return file.read(MAX_BYTES + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise UsageError(f"{where}: damaged gzip file ({error}); save the page again") from error


def from_url(
    text: str, paths: Iterable[str], knows: Callable[[OnePage], bool | str], headers: Mapping[str, str]
) -> OnePage:
    """The page at a URL, or at one of the paths below it; FetchError when there is none, UsageError for no URL.

    `knows` says whether somebody knows the page: a page that is known is taken at once, a page of metrics that nobody
    knows (False) only when there is no better one, and what is none (a text that says why) is passed over.
    """
    fetcher = Fetcher(_root(text), headers=headers)
    stranger: OnePage | None = None
    refusals: list[str] = []
    try:
        for path in _tried(text, paths):
            reply = _asked(fetcher, path, first=not refusals and stranger is None)
            if isinstance(reply, str):
                refusals.append(reply)
                continue
            page = OnePage(reply.body, "openmetrics" in reply.content_type, reply.url, path)
            known = knows(page) if reply.status == 200 else f"HTTP {reply.status}"
            if known is True:
                return page
            if isinstance(known, str):
                refusals.append(f"{path} ({known})")
            else:
                stranger = stranger or page
    finally:
        fetcher.close()
    if stranger is None:
        text = f"{redact(_root(text))} answers, and has no page of metrics at {', '.join(refusals)}"
        raise FetchError(FetchKind.STATUS, f"{text}; name the whole URL of the page")
    return stranger


def _asked(fetcher: Fetcher, path: str, *, first: bool) -> Reply | str:
    """The answer for one path, or why there is none; a server whose first answer does not come is not asked again."""
    try:
        return fetcher.get(path)
    except FetchError as error:
        if first:
            raise
        return f"{path} ({error.text})"


def _root(text: str) -> str:
    """Scheme, user, host and port of a URL."""
    address = parse_address(text)
    user = f"{address.user}@" if address.user else ""
    return f"{address.scheme}://{user}{address.shown}"


def _tried(text: str, paths: Iterable[str]) -> tuple[str, ...]:
    """Paths to ask for: what the URL names, and what may be below it."""
    named = parse_address(text).prefix
    if named and text.rstrip().endswith("/"):
        named += "/"
    base = parse_address(validate_url(text)).prefix
    own = (named,) if named and not named.rstrip("/").endswith(_NO_PAGES) else ()
    return tuple(dict.fromkeys((*own, *(f"{base}{path}" for path in paths))))
