"""The words for what went wrong: printable, short, with sizes a person can read."""

from __future__ import annotations

import errno
import ssl

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perfconsole.sources.web.failure import FetchError, FetchKind, lost, size_text, unconnected, untrusted


@settings(deadline=None)
@given(text=st.text())
def test_an_error_is_one_printable_line(text: str) -> None:
    """No text of a server can move the cursor, break the line or fill the screen."""
    error = FetchError(FetchKind.BROKEN, text * 100)
    assert error.text.isprintable()
    assert len(error.text) <= 403
    assert str(error) == error.text


@pytest.mark.parametrize(
    ("count", "words"), [(0, "0 bytes"), (1023, "1023 bytes"), (421888, "412 KiB"), (16 * 2**20, "16 MiB")]
)
def test_sizes_are_said_in_binary_units(count: int, words: str) -> None:
    """A size is told in the unit in which limits are set."""
    assert size_text(count) == words


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        (errno.ECONNREFUSED, FetchKind.REFUSED),
        (errno.ECONNRESET, FetchKind.RESET),
        (errno.EHOSTUNREACH, FetchKind.UNREACHABLE),
        (errno.ENETUNREACH, FetchKind.UNREACHABLE),
        (errno.EMFILE, FetchKind.UNREACHABLE),
        (errno.ETIMEDOUT, FetchKind.TIMEOUT_CONNECT),
    ],
)
def test_a_failed_connect_has_a_kind(code: int, kind: FetchKind) -> None:
    """Refused, dropped and unroutable are different troubles."""
    assert unconnected("h:8000", OSError(code, "words"), 2.0).kind is kind


def test_a_connection_lost_for_another_reason_names_it() -> None:
    """What is no reset is passed on in the words of the system."""
    error = lost("h:8000", OSError(errno.EHOSTUNREACH, "No route to host"), 2048)
    assert error.text == "connection lost (No route to host) to h:8000 after 2 KiB of the answer"


def test_a_connection_that_is_closed_within_a_handshake_is_a_reset() -> None:
    """A forwarder takes connections for a server that is gone, and closes them."""
    incoming = ssl.MemoryBIO()
    incoming.write_eof()
    shaking = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT).wrap_bio(incoming, ssl.MemoryBIO(), server_hostname="h")
    with pytest.raises(ssl.SSLError) as caught:
        shaking.do_handshake()
    assert untrusted("h:1", caught.value).kind is FetchKind.RESET
