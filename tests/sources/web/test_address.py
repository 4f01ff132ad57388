"""URLs as people type them, and as they may be shown."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perfconsole.errors import UsageError
from perfconsole.sources.web.address import parse_address, redact, request_target, validate_url


@pytest.mark.parametrize(
    ("text", "url"),
    [
        ("localhost:8000", "http://localhost:8000"),
        (" http://h:8000/ ", "http://h:8000"),
        ("h:8000/metrics", "http://h:8000"),
        ("h:8000/metrics/", "http://h:8000"),
        ("http://h:8000/v1/", "http://h:8000"),
        ("http://h:8000/v1/metrics", "http://h:8000"),
        ("h/health", "http://h"),
        ("h/proxy/vllm/metrics", "http://h/proxy/vllm"),
        ("HTTPS://GPU-07.Example/V2", "https://gpu-07.example/V2"),
        ("10.0.0.7:8000", "http://10.0.0.7:8000"),
        ("[::1]:8000", "http://[::1]:8000"),
        ("me:secret@h:8000/v1", "http://me:secret@h:8000"),
        ("vllm_0.svc.cluster.local.:8000", "http://vllm_0.svc.cluster.local.:8000"),
    ],
)
def test_what_people_type_becomes_a_base_url(text: str, url: str) -> None:
    """Scheme, slashes and the usual pages may be there or not."""
    assert validate_url(text) == url


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "no host in it"),
        ("http://", "no host in it"),
        (":8000", "no host in it"),
        ("8000", "localhost:8000"),
        ("ftp://h", "unknown scheme 'ftp'"),
        ("http:/h:8000", "no usable port"),
        ("h:", "no usable port"),
        ("h:0", "no usable port"),
        ("h:65536", "host or port cannot be read"),
        ("h:80a", "host or port cannot be read"),
        ("::1", "needs brackets"),
        ("[::1", "needs brackets"),
        ("h :8000", "spaces or control characters"),
        ("h\x1b[2J:8000", "spaces or control characters"),
        ("a..b:8000", "this is no host name"),
        ("h/metrics?key=1", "a query or a fragment"),
        ("h/metrics#1", "a query or a fragment"),
    ],
)
def test_nonsense_is_refused_in_one_line(text: str, words: str) -> None:
    """What is no URL of a target is the user's to repair, and the line says how."""
    with pytest.raises(UsageError) as caught:
        validate_url(text)
    assert words in str(caught.value)
    assert str(caught.value).isprintable()


@pytest.mark.parametrize(
    "text", ["ftp://me:secret@h", "me:secret@h:0", "me:s/secret@h:8000", "http://me:secret@", "h:8000/?key=secret"]
)
def test_a_refusal_hides_the_password(text: str) -> None:
    """Also nonsense may hold a password, which is not shown."""
    with pytest.raises(UsageError) as caught:
        validate_url(text)
    assert "secret" not in str(caught.value)


@settings(deadline=None)
@given(text=st.text() | st.from_regex(r"(http://)?[a-z:@/?\[\]0-9.]{0,20}", fullmatch=True))
def test_a_base_url_stays_what_it_is(text: str) -> None:
    """Any text is refused or becomes a base URL that is its own base URL."""
    try:
        url = validate_url(text)
    except UsageError:
        return
    assert validate_url(url) == url


@pytest.mark.parametrize(
    ("text", "place"), [("https://h", "h:443"), ("h", "h:80"), ("http://[::1]/v1", "[::1]:80"), ("h:8000/x", "h:8000")]
)
def test_a_place_always_has_a_port(text: str, place: str) -> None:
    """Two ways to write one place are one."""
    assert parse_address(text).place == place


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("http://me:secret@h:8000/metrics?key=secret#secret", "http://***@h:8000/metrics?..."),
        ("/metrics?key=secret", "/metrics?..."),
        ("http://h:8000/metrics", "http://h:8000/metrics"),
        ("http://[::1", "(unreadable URL)"),
    ],
)
def test_a_url_is_shown_without_its_secrets(url: str, shown: str) -> None:
    """User, password, query and fragment are left out, the rest stays."""
    assert redact(url) == shown


@settings(deadline=None)
@given(path=st.text(), query=st.text())
def test_a_request_target_is_plain(path: str, query: str) -> None:
    """No path or query can break out of the request line."""
    target = request_target(path, query)
    assert target.startswith("/")
    assert target.isascii()
    assert target.isprintable()
    assert not set(target) & set(' #\\"<>')
    assert target.count("?") >= bool(query)


@pytest.mark.parametrize(
    ("host", "loopback"), [("localhost", True), ("127.0.0.9", True), ("[::1]", True), ("10.0.0.7", False), ("h", False)]
)
def test_loopback_is_this_host_only(host: str, loopback: bool) -> None:  # noqa: FBT001 - a column of the table
    """Only names and addresses that cannot leave the host count as local."""
    assert parse_address(host).loopback is loopback
