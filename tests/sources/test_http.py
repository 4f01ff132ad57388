"""Fetching pages from loopback servers that misbehave in every way seen on a bad day."""

from __future__ import annotations

import gzip
import logging
import subprocess  # noqa: TID251 - what an import loads shows only in a fresh interpreter
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import perfconsole
from perfconsole.clock import ManualClock
from perfconsole.errors import UsageError
from perfconsole.sources.http import Fetcher, FetchError, FetchKind
from tests.sources.fetching import METRICS, ROOMY, SHORT, closed_port, failure, fetcher, get
from tests.sources.servers import Peer, Server, hung, pages, raw, redirects


def test_a_page_comes_with_status_type_and_url() -> None:
    """A healthy page is handed over whole."""
    with Server(pages(METRICS, "Content-Type: text/plain; version=0.0.4")) as server:
        reply = get(server)
    assert (reply.status, reply.body) == (200, METRICS)
    assert reply.content_type == "text/plain; version=0.0.4"
    assert reply.url == f"{server.url}/metrics"
    assert reply.took_s > 0


def test_polls_share_one_connection() -> None:
    """Twenty polls cost the target one accept."""
    with Server(pages(METRICS)) as server, fetcher(server) as client:
        for _ in range(20):
            client.get("/metrics")
    assert (server.connections, len(server.requests)) == (1, 20)


def test_a_chunked_page_is_joined() -> None:
    """A page without announced length is read to its last chunk."""
    answer = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n"
    with Server(raw(answer)) as server:
        assert get(server).body == b"abcde"


def test_a_page_may_end_with_its_connection() -> None:
    """A page of an old server, with neither length nor chunks, ends where the connection ends."""
    with Server(raw(b"HTTP/1.0 200 OK\r\n\r\n", METRICS)) as server:
        assert get(server).body == METRICS


def test_an_error_status_is_an_answer() -> None:
    """A 503 with a body is a reply and no error: it says something about the target."""
    with Server(pages(b"engine is dead", status="503 Service Unavailable")) as server:
        reply = get(server)
    assert (reply.status, reply.body) == (503, b"engine is dead")


def test_the_prefix_of_the_base_url_is_kept() -> None:
    """Paths are below the path of the base URL."""
    with Server(pages(METRICS)) as server:
        client = Fetcher(f"{server.url}/proxy/", limits=ROOMY)
        client.get("metrics?name=a b")
        client.close()
    assert server.requests[0].startswith("GET /proxy/metrics?name=a%20b HTTP/1.1\r\n")


def test_requests_are_plain_and_carry_no_cookie() -> None:
    """A target's cookie is not sent back, and no engine on this host is asked to pack."""
    with Server(pages(METRICS, "Set-Cookie: a=b")) as server, fetcher(server) as client:
        client.get("/metrics")
        client.get("/metrics")
    assert "cookie" not in server.requests[1].lower()
    assert "accept-encoding: identity" in server.requests[1].lower()


def test_a_far_target_may_pack() -> None:
    """Over a network the page may come as gzip."""
    assert Fetcher("http://gpu-07:8000")._headers["Accept-Encoding"] == "gzip"


def test_proxies_of_the_environment_are_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    """A proxy that the shell names gets nothing: it would be the proxy that is measured."""
    monkeypatch.setenv("http_proxy", f"http://127.0.0.1:{closed_port()}")
    monkeypatch.setenv("all_proxy", f"http://127.0.0.1:{closed_port()}")
    with Server(pages(METRICS)) as server:
        assert get(server).body == METRICS


def test_own_headers_replace_the_usual_ones() -> None:
    """A header of the caller takes the place of the usual one, whatever its case."""
    with Server(pages(METRICS)) as server, fetcher(server, headers={"accept": "text/plain"}) as client:
        client.get("/metrics")
    assert server.requests[0].lower().count("accept:") == 1


def test_seconds_come_from_the_clock_given() -> None:
    """A clock that stands still gives 0 seconds, so time is the caller's."""
    with Server(pages(METRICS)) as server:
        client = Fetcher(server.url, clock=ManualClock())
        assert client.get("/metrics").took_s == 0.0
        client.close()


def test_an_endless_page_is_read_up_to_the_limit() -> None:
    """Of a stream of 1 GiB no more than the limit and one read are taken."""

    def script(peer: Peer) -> None:
        peer.request()
        peer.send(b"HTTP/1.1 200 OK\r\n\r\n")
        for _ in range(16 * 1024):
            peer.send(b"x" * 65536)

    with Server(script) as server, fetcher(server) as client:
        with pytest.raises(FetchError, match="page is larger than 256 KiB; reading stopped") as caught:
            client.get("/metrics")
        received = client._line.received
    assert caught.value.kind is FetchKind.TOO_LARGE
    assert received <= ROOMY.max_bytes + 65536 + 100


def test_an_announced_size_beyond_the_limit_is_refused_unread() -> None:
    """A page that says it is too large is not read at all."""
    with Server(hung(b"HTTP/1.1 200 OK\r\nContent-Length: 1073741824\r\n\r\n")) as server:
        error = failure(server)
    assert error.kind is FetchKind.TOO_LARGE
    assert error.text == "page announces 1024 MiB, more than 256 KiB; it was not read"


def test_endless_headers_are_cut_off() -> None:
    """Headers that never end are a broken answer long before they fill the memory."""

    def script(peer: Peer) -> None:
        peer.request()
        peer.send(b"HTTP/1.1 200 OK\r\n")
        for _ in range(100_000):
            peer.send(b"X-A: " + b"b" * 995 + b"\r\n")

    with Server(script) as server:
        assert failure(server).kind is FetchKind.BROKEN


def test_a_gzip_page_is_unpacked() -> None:
    """A page that comes packed, asked for or not, is handed over unpacked."""
    with Server(pages(gzip.compress(METRICS), "Content-Encoding: gzip")) as server:
        assert get(server).body == METRICS


def test_a_gzip_bomb_is_too_large() -> None:
    """A page of 100 MB packed into 100 kB is given up at the limit."""
    bomb = gzip.compress(b"\0" * 100_000_000)
    with Server(pages(bomb, "Content-Encoding: gzip")) as server:
        assert failure(server).kind is FetchKind.TOO_LARGE


def test_a_page_that_is_not_packed_as_it_says_is_broken() -> None:
    """A plain page marked as gzip is broken, not empty."""
    with Server(pages(METRICS, "Content-Encoding: gzip")) as server:
        error = failure(server)
    assert (error.kind, error.text) == (FetchKind.BROKEN, "page is marked as gzip but cannot be unpacked")


def test_a_page_that_stops_says_where() -> None:
    """A page shorter than announced is broken, with both numbers."""
    with Server(raw(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n", METRICS)) as server:
        error = failure(server)
    assert error.kind is FetchKind.BROKEN
    assert error.text == f"page stops in the middle ({len(METRICS)} of 1000 bytes)"


def test_a_chunked_page_that_stops_is_broken() -> None:
    """A page without its last chunk is not taken for a short one."""
    with Server(raw(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n")) as server:
        error = failure(server)
    assert (error.kind, error.text) == (FetchKind.BROKEN, "page stops in the middle (3 bytes came, no end)")


def test_bad_chunks_are_broken_http() -> None:
    """Chunks without a size are broken HTTP and not a page that stops."""
    with Server(raw(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nabc\r\n")) as server:
        error = failure(server)
    assert error.kind is FetchKind.BROKEN
    assert "is broken HTTP" in error.text


def test_headers_that_stop_are_broken() -> None:
    """An end within the headers is told apart from an end within the page."""
    with Server(raw(b"HTTP/1.1 200 OK\r\nContent-Le")) as server:
        error = failure(server)
    assert error.kind is FetchKind.BROKEN
    assert error.text.endswith("closed the connection within the headers (27 bytes came)")


def test_what_is_not_http_is_shown() -> None:
    """The first bytes of another protocol are quoted, without control characters."""
    with Server(raw(b"SSH-2.0-OpenSSH_9.6\r\n\x1b[2J\n\r\n")) as server:
        error = failure(server)
    assert error.kind is FetchKind.BROKEN
    assert r"is not HTTP: it starts with b'SSH-2.0-OpenSSH_9.6\r\n" in error.text
    assert error.text.isprintable()


def test_a_tls_alert_hints_at_https() -> None:
    """Plain http to a TLS port says so."""
    with Server(raw(b"\x15\x03\x01\x00\x02\x02\x46")) as server:
        assert "it speaks TLS: try https://" in failure(server).text


@settings(max_examples=60, deadline=None)
@given(
    start=st.sampled_from([b"", b"HTTP/1.1 ", b"HTTP/1.1 200 OK\r\n", b"HTTP/1.1 302 OK\r\nLocation: "]),
    rest=st.binary(),
)
def test_any_answer_is_a_reply_or_a_fetch_error(start: bytes, rest: bytes) -> None:
    """Whatever bytes a server sends, the get ends with a reply or an error in printable words."""
    with Server(raw(start, rest)) as server:
        text = ""
        try:
            get(server, limits=SHORT)
        except FetchError as error:
            text = error.text
    assert text.isprintable()


def test_a_closed_kept_connection_is_replaced() -> None:
    """A server that closes after each page is polled without an error."""

    def script(peer: Peer) -> None:
        peer.request()
        peer.page(METRICS)

    with Server(script) as server, fetcher(server) as client:
        assert [client.get("/metrics").status for _ in range(3)] == [200, 200, 200]
    assert server.connections == 3


def test_a_kept_connection_that_dies_under_a_request_is_tried_once_more() -> None:
    """A server that drops a kept connection just when the next request comes gets that request again."""

    def script(peer: Peer) -> None:
        peer.request()
        peer.page(METRICS)
        peer.request()
        peer.reset()

    with Server(script) as server, fetcher(server) as client:
        assert [client.get("/metrics").status for _ in range(2)] == [200, 200]
    assert (server.connections, len(server.requests)) == (2, 3)


def test_a_second_try_that_fails_is_the_end() -> None:
    """After one silent retry the error is reported."""

    def script(peer: Peer) -> None:
        peer.request()
        if server.connections == 1:
            peer.page(METRICS)
            peer.request()
        peer.reset()

    with Server(script) as server, fetcher(server) as client:
        client.get("/metrics")
        with pytest.raises(FetchError) as caught:
            client.get("/metrics")
    assert (caught.value.kind, len(server.requests)) == (FetchKind.RESET, 3)


def test_a_fetcher_recovers_from_every_kind_of_failure() -> None:
    """After a failed get the next one starts on a connection of its own."""

    def script(peer: Peer) -> None:
        peer.request()
        if server.connections == 1:
            peer.send(b"HTTP/1.1 200 OK\r\nContent-Length: 9999\r\n\r\nabc")
            peer.pause()
        peer.page(METRICS)

    with Server(script) as server, fetcher(server, SHORT) as client:
        with pytest.raises(FetchError):
            client.get("/metrics")
        assert client.get("/metrics").body == METRICS


def test_a_redirect_on_the_same_target_is_followed() -> None:
    """The usual redirect to a trailing slash gives the page, on the same connection."""
    with Server(redirects({"/metrics": "/metrics/"})) as server:
        reply = get(server)
    assert (reply.body, reply.url) == (b"here", f"{server.url}/metrics/")
    assert server.connections == 1


def test_a_full_url_of_the_same_target_is_followed() -> None:
    """A redirect may name scheme, host and port, if they stay what they are."""

    def script(peer: Peer) -> None:
        redirects({"/metrics": f"{server.url}/metrics/?a=1"})(peer)

    with Server(script) as server:
        assert get(server).url == f"{server.url}/metrics/?..."


def test_a_circle_of_redirects_is_named() -> None:
    """A loop is shown step by step."""
    with Server(redirects({"/metrics": "/metrics/", "/metrics/": "/metrics"})) as server:
        error = failure(server)
    assert error.kind is FetchKind.REDIRECTS
    assert error.text == "redirects in a circle: /metrics -> /metrics/ -> /metrics -> ..."


def test_a_chain_of_redirects_ends() -> None:
    """No more than three redirects are followed."""
    with Server(redirects({f"/{step}": f"/{step + 1}" for step in range(9)})) as server:
        error = failure(server, "/0")
    assert error.text == "more than 3 redirects: /0 -> /1 -> /2 -> /3 -> /4"
    assert len(server.requests) == 4


@pytest.mark.parametrize(
    ("location", "shown"),
    [
        ("http://other:9000/metrics?key=secret", "http://other:9000/metrics?..."),
        ("//me:secret@other/metrics", "http://***@other/metrics"),
        ("https://127.0.0.1/metrics", "https://127.0.0.1/metrics"),
    ],
)
def test_a_redirect_to_another_place_is_refused(location: str, shown: str) -> None:
    """Another host, port or scheme is named and not visited, and no secret of its URL is shown."""
    with Server(redirects({"/metrics": location})) as server:
        error = failure(server)
    assert error.kind is FetchKind.REDIRECTS
    assert error.text == f"/metrics redirects to another place, not followed: {shown}"


@pytest.mark.parametrize("location", ["ftp://h/metrics", "http://[::", "http://h:99999/"])
def test_a_redirect_to_nonsense_is_an_error(location: str) -> None:
    """A location that is no http URL is told as that."""
    with Server(redirects({"/metrics": location})) as server:
        error = failure(server)
    assert (error.kind, error.text) == (FetchKind.REDIRECTS, "/metrics redirects to what is no http URL")


def test_credentials_are_sent_as_basic_authentication() -> None:
    """User and password of the URL go out, decoded, and do not come back in the reply."""
    with Server(pages(METRICS)) as server:
        client = Fetcher(f"http://me:s%40cret@127.0.0.1:{server.port}", limits=ROOMY)
        reply = client.get("/metrics?key=hidden")
        client.close()
    assert "authorization: basic bwu6c0bjcmv0\r\n" in server.requests[0].lower()
    assert reply.url == f"{server.url}/metrics?..."


def test_errors_hide_credentials_and_queries() -> None:
    """No error names user, password or query."""
    with Server(redirects({"/a?key=hidden": "/a?key=hidden"})) as server:
        client = Fetcher(f"http://me:secret@127.0.0.1:{server.port}", limits=ROOMY)
        with pytest.raises(FetchError) as caught:
            client.get("/a?key=hidden")
        client.close()
    assert caught.value.text == "redirects in a circle: /a?... -> /a?... -> ..."


def test_nothing_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    """Not even at DEBUG does a request leave a line, which would hold a token."""
    caplog.set_level(logging.DEBUG)
    with Server(pages(METRICS)) as server:
        get(server)
    assert not caplog.records


@pytest.mark.parametrize("headers", [{"X-Key": "sec\nret"}, {"X Key": "secret"}, {"X-Key": "secret "}, {"": "secret"}])
def test_a_header_that_http_cannot_carry_is_refused_at_once(headers: dict[str, str]) -> None:
    """A bad header is the user's to repair, and its value is not shown."""
    with pytest.raises(UsageError) as caught:
        Fetcher("http://h:8000", headers=headers)
    assert "sec" not in str(caught.value)


def test_importing_the_module_does_not_import_httpx() -> None:
    """The first frame does not wait for the 100 ms that httpx and ssl take to import."""
    heavy = "{'httpx', 'httpcore', 'ssl', 'logging'}"
    code = f"import sys, perfconsole.sources.http; print(sorted({heavy} & set(sys.modules)))"
    root = Path(perfconsole.__file__).parents[1]
    done = subprocess.run(  # noqa: S603 - the program is this interpreter and the code stands above
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=root
    )
    assert done.stdout == "[]\n"
