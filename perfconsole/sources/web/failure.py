"""Why a page could not be fetched, as a kind for the program and as one line for an engineer.

Must never hold a control character that a server sent.
"""

from __future__ import annotations

import errno
from enum import StrEnum

_MAX_TEXT = 400
"""A server chooses how long its header is; five lines of 80 columns are enough to name it."""
_NOT_TLS = frozenset({"WRONG_VERSION_NUMBER", "HTTP_REQUEST", "RECORD_LAYER_FAILURE"})
_CLOSED = frozenset({"UNEXPECTED_EOF_WHILE_READING"})
_TLS_ALERT = b"\x15\x03"


class FetchKind(StrEnum):
    """Why there is no complete answer."""

    REFUSED = "refused"
    RESET = "reset"
    UNREACHABLE = "unreachable"
    """No route, or no address for the name."""
    TIMEOUT_CONNECT = "timeout-connect"
    TIMEOUT = "timeout"
    """Connected but not answered in time, or stopped by the console."""
    TOO_LARGE = "too-large"
    REDIRECTS = "redirects"
    BROKEN = "broken"
    """Not HTTP, a bad encoding, or a page shorter than announced."""
    STATUS = "status"
    """Never raised by a fetcher: for a caller to whom a status (403, 503) means that there is no page."""
    TLS = "tls"
    """Somebody answered, but not as TLS wants it, or with a certificate that is not trusted."""


class FetchError(Exception):
    """No complete answer. `text` is one printable line without user, password or query."""

    def __init__(self, kind: FetchKind, text: str) -> None:
        self.kind = kind
        self.text = printable(text)
        super().__init__(self.text)


def printable(text: str) -> str:
    """Put `?` for whatever could move a cursor or turn the direction of writing; cut to 400 characters."""
    clean = "".join(char if char.isprintable() else "?" for char in text[: _MAX_TEXT + 1])
    return clean if len(clean) <= _MAX_TEXT else f"{clean[:_MAX_TEXT]}..."


def size_text(count: int) -> str:
    """Say a number of bytes in words: `412 KiB`."""
    if count < 2**10:
        return f"{count} bytes"
    return f"{count / 2**10:.0f} KiB" if count < 2**20 else f"{count / 2**20:.0f} MiB"


def too_large(limit: int) -> FetchError:
    """Error of a page with more than `limit` bytes."""
    return FetchError(FetchKind.TOO_LARGE, f"page is larger than {size_text(limit)}; reading stopped")


def unconnected(where: str, error: OSError, wait_s: float) -> FetchError:
    """Error of a connect to `where` (host:port) that failed, or did not succeed within `wait_s` seconds."""
    if isinstance(error, TimeoutError):
        text = f"no connection to {where} within {wait_s:.1f} s (host down, packets dropped, or accept queue full)"
        return FetchError(FetchKind.TIMEOUT_CONNECT, text)
    if error.errno == errno.ECONNREFUSED:
        text = f"connection refused by {where} (is the server running, is this the right port?)"
        return FetchError(FetchKind.REFUSED, text)
    if error.errno == errno.ECONNRESET:
        return lost(where, error, 0)
    return FetchError(FetchKind.UNREACHABLE, f"cannot reach {where}: {error.strerror}")


def unanswered(where: str, total_s: float, received: int, quiet_s: float) -> FetchError:
    """Error of a deadline that passed with `received` bytes there, the last of them `quiet_s` seconds ago."""
    if not received:
        text = f"no answer from {where} within {total_s:.1f} s (the connection is open: hung or overloaded)"
        return FetchError(FetchKind.TIMEOUT, text)
    how = "more was still coming" if quiet_s < total_s / 4 else f"then nothing for {quiet_s:.1f} s"
    text = f"no complete answer from {where} within {total_s:.1f} s ({size_text(received)} came, {how})"
    return FetchError(FetchKind.TIMEOUT, text)


def lost(where: str, error: OSError, received: int) -> FetchError:
    """Error of a connection that broke after `received` bytes."""
    after = f"after {size_text(received)} of the answer" if received else "before an answer came"
    how = "reset by" if error.errno in {errno.ECONNRESET, errno.EPIPE} else f"lost ({error.strerror}) to"
    return FetchError(FetchKind.RESET, f"connection {how} {where} {after}")


def untrusted(where: str, error: OSError) -> FetchError:
    """Error of a TLS handshake that failed; told by attributes, so that plain http needs no `ssl`."""
    if doubt := getattr(error, "verify_message", ""):
        advice = "use a name that it is made out to, or have this host trust its authority"
        return FetchError(FetchKind.TLS, f"certificate of {where} is not trusted: {doubt.rstrip('.')} ({advice})")
    if not (reason := getattr(error, "reason", "")):
        return lost(where, error, 0)
    if reason in _CLOSED:
        return FetchError(FetchKind.RESET, f"{where} closed the connection before TLS was agreed on")
    hint = " (does it speak plain http?)" if reason in _NOT_TLS else ""
    return FetchError(FetchKind.TLS, f"no TLS with {where}: {reason.lower().replace('_', ' ')}{hint}")


def garbled(where: str, head: bytes, detail: str) -> FetchError:
    """Error of an answer, beginning with `head`, that breaks the rules of HTTP as `detail` says."""
    if head.startswith(b"HTTP/"):
        return FetchError(FetchKind.BROKEN, f"answer of {where} is broken HTTP: {detail}")
    hint = " (it speaks TLS: try https://)" if head.startswith(_TLS_ALERT) else ""
    return FetchError(FetchKind.BROKEN, f"answer of {where} is not HTTP: it starts with {head!r}{hint}")
