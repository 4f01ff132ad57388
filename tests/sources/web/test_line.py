"""Deadlines, connects, stops and TLS, against loopback servers that never end by themselves."""

from __future__ import annotations

import socket
import threading
from math import isclose
from pathlib import Path

import pytest

from perfconsole.clock import ManualClock
from perfconsole.sources.http import Fetcher, FetchError, FetchKind, Limits
from perfconsole.sources.web.address import parse_address
from perfconsole.sources.web.line import Line
from tests.sources.fetching import METRICS, ROOMY, SHORT, closed_port, failure, fetcher, full_port, stopped
from tests.sources.servers import Peer, Server, answering, dripping, hung, pages, raw, tls_context

CERTIFICATE = Path(__file__).parents[1] / "loopback.pem"


def test_a_hang_after_accept_ends_at_the_deadline() -> None:
    """A server that accepts and stays silent is said to be hung or overloaded."""
    with Server(hung()) as server:
        error = failure(server, limits=SHORT)
    assert error.kind is FetchKind.TIMEOUT
    expected = f"no answer from 127.0.0.1:{server.port} within 0.3 s (the connection is open: hung or overloaded)"
    assert error.text == expected


def test_a_hang_after_the_headers_says_how_long_nothing_came() -> None:
    """A page that never starts ends at the deadline with what had come."""
    with Server(hung(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n")) as server:
        error = failure(server, limits=SHORT)
    assert error.kind is FetchKind.TIMEOUT
    assert "within 0.3 s (40 bytes came, then nothing for 0." in error.text


def test_dripping_headers_end_at_the_deadline() -> None:
    """A byte now and then does not keep the headers waited for."""
    with Server(dripping(b"HTTP/1.1 200 OK\r\n", b"X-A: b\r\n")) as server:
        error = failure(server, limits=SHORT)
    assert error.kind is FetchKind.TIMEOUT
    assert "more was still coming" in error.text


def test_a_dripping_body_ends_at_the_deadline() -> None:
    """A byte now and then does not keep the body waited for."""
    with Server(dripping(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n", b"x")) as server:
        error = failure(server, limits=SHORT)
    assert error.kind is FetchKind.TIMEOUT
    assert "more was still coming" in error.text


def test_redirects_share_one_deadline() -> None:
    """A slow redirect leaves the page behind it only the rest of the time."""

    def script(peer: Peer) -> None:
        while True:
            peer.request()
            peer.pause(0.2)
            peer.page(b"", f"Location: /{len(peer._server.requests)}", status="302 Found")

    with Server(script) as server:
        assert failure(server, limits=SHORT).kind is FetchKind.TIMEOUT


def test_a_refused_connection_asks_the_next_question() -> None:
    """Refusal names the address and what to look at."""
    port = closed_port()
    with pytest.raises(FetchError) as caught:
        Fetcher(f"127.0.0.1:{port}", limits=ROOMY).get("/metrics")
    assert caught.value.kind is FetchKind.REFUSED
    expected = f"connection refused by 127.0.0.1:{port} (is the server running, is this the right port?)"
    assert caught.value.text == expected


def test_a_reset_says_after_how_much() -> None:
    """A reset within the answer says how much had come."""

    def script(peer: Peer) -> None:
        peer.request()
        peer.send(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n")
        peer.pause(0.05)
        peer.reset()

    with Server(script) as server:
        error = failure(server)
    assert error.kind is FetchKind.RESET
    assert error.text == f"connection reset by 127.0.0.1:{server.port} after 40 bytes of the answer"


def test_a_first_connection_that_ends_unanswered_is_a_reset() -> None:
    """A new connection that is closed without a byte is reported, not tried again."""
    with Server(raw()) as server:
        error = failure(server)
    assert (error.kind, server.connections) == (FetchKind.RESET, 1)
    assert error.text.endswith("closed the connection without an answer")


def test_a_full_accept_queue_is_a_connect_timeout() -> None:
    """A port that gives no connection is told apart from one that gives no answer."""
    with full_port() as port, pytest.raises(FetchError, match=r"no connection to .* within 0\.3 s") as caught:
        Fetcher(f"127.0.0.1:{port}", limits=SHORT).get("/metrics")
    assert caught.value.kind is FetchKind.TIMEOUT_CONNECT


def test_the_first_address_does_not_use_up_the_time_of_the_second(monkeypatch: pytest.MonkeyPatch) -> None:
    """A host whose first address swallows packets is reached at its second."""
    with Server(pages(METRICS)) as server, full_port() as port:
        found = [(socket.AF_INET, 0, 0, "", ("127.0.0.1", number)) for number in (port, server.port)]
        monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: found)
        client = Fetcher("http://gpu-07:8000", limits=Limits(connect_s=0.4))
        assert client.get("/metrics").body == METRICS
        client.close()


def test_an_ipv6_address_is_shown_in_brackets() -> None:
    """An IPv6 target is dialled as such, also on a host without IPv6, where it is unreachable."""
    port = closed_port()
    with pytest.raises(FetchError) as caught:
        Fetcher(f"http://[::1]:{port}", limits=ROOMY).get("/metrics")
    assert caught.value.kind in {FetchKind.REFUSED, FetchKind.UNREACHABLE}
    assert f"[::1]:{port}" in caught.value.text


def test_a_name_is_looked_up() -> None:
    """A host name works, also when its first address refuses."""
    with Server(pages(METRICS)) as server:
        client = Fetcher(f"localhost:{server.port}", limits=ROOMY)
        assert client.get("/metrics").body == METRICS
        client.close()


def test_a_dead_resolver_does_not_outlast_the_deadline(monkeypatch: pytest.MonkeyPatch) -> None:
    """A lookup without an answer is left behind, and it is one lookup however often the page is polled."""
    over, lookups = threading.Event(), []

    def resolve(host: str, port: int, **_: object) -> list[object]:
        lookups.append((host, port))
        over.wait(5.0)
        return []

    monkeypatch.setattr(socket, "getaddrinfo", resolve)
    client = Fetcher("http://gpu-07:8000", limits=SHORT)
    for _ in range(2):
        with pytest.raises(FetchError, match="no address for the host gpu-07") as caught:
            client.get("/metrics")
        assert caught.value.kind is FetchKind.UNREACHABLE
    over.set()
    assert lookups == [("gpu-07", 8000)]


def test_an_unknown_name_is_unreachable(monkeypatch: pytest.MonkeyPatch) -> None:
    """The words of the resolver are passed on."""

    def resolve(*_: object, **__: object) -> list[object]:
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", resolve)
    with pytest.raises(FetchError, match="Name or service not known") as caught:
        Fetcher("http://gpu-07:8000", limits=ROOMY).get("/metrics")
    assert caught.value.kind is FetchKind.UNREACHABLE


def test_an_interrupt_breaks_a_get_and_leaves_the_fetcher_usable() -> None:
    """A get that waits is broken from another thread, and the next get is answered."""

    def script(peer: Peer) -> None:
        peer.request()
        if server.connections == 1:
            peer.pause()
        peer.page(METRICS)

    with Server(script) as server, fetcher(server) as client:
        error = stopped(client, client.interrupt, lambda: bool(server.requests))
        assert (error.kind, error.text) == (FetchKind.TIMEOUT, "stopped by the console")
        assert client.get("/metrics").body == METRICS


def test_an_interrupt_without_a_get_does_nothing() -> None:
    """A stop that comes too late does not harm the next get."""
    with Server(pages(METRICS)) as server, fetcher(server) as client:
        client.interrupt()
        client.get("/metrics")
        client.interrupt()
        assert client.get("/metrics").body == METRICS


def test_an_interrupt_reaches_a_lookup(monkeypatch: pytest.MonkeyPatch) -> None:
    """A get that waits for the resolver can be broken too."""
    asked, over = threading.Event(), threading.Event()

    def resolve(*_: object, **__: object) -> list[object]:
        asked.set()
        over.wait(5.0)
        return []

    monkeypatch.setattr(socket, "getaddrinfo", resolve)
    client = Fetcher("http://gpu-07:8000", limits=ROOMY)
    assert stopped(client, client.interrupt, asked.is_set).text == "stopped by the console"
    over.set()


def test_an_interrupt_reaches_a_connect() -> None:
    """A get whose packets vanish can be broken too."""
    with full_port() as port:
        client = Fetcher(f"127.0.0.1:{port}", limits=ROOMY)
        error = stopped(client, client.interrupt, lambda: client._line._sock is not None)
    assert error.text == "stopped by the console"


def test_close_breaks_a_get_and_is_final() -> None:
    """Closing from another thread does not wait for a sick target, and ends the fetcher."""
    with Server(hung()) as server:
        client = Fetcher(server.url, limits=ROOMY)
        assert stopped(client, client.close, lambda: bool(server.requests)).text == "stopped by the console"
        with pytest.raises(FetchError, match="stopped by the console"):
            client.get("/metrics")


def test_a_trusted_certificate_gives_the_page(monkeypatch: pytest.MonkeyPatch) -> None:
    """Over https the page comes when the host trusts the certificate, and the connection is kept."""
    monkeypatch.setenv("SSL_CERT_FILE", str(CERTIFICATE))
    with Server(pages(METRICS), tls_context(CERTIFICATE)) as server, fetcher(server) as client:
        assert [client.get("/metrics").body for _ in range(2)] == [METRICS, METRICS]
    assert server.connections == 1


def test_an_unknown_certificate_is_not_trusted() -> None:
    """A self-signed certificate that the host does not know ends the get."""
    with Server(pages(METRICS), tls_context(CERTIFICATE)) as server:
        error = failure(server)
    assert error.kind is FetchKind.TLS
    advice = "(use a name that it is made out to, or have this host trust its authority)"
    assert error.text == f"certificate of 127.0.0.1:{server.port} is not trusted: self-signed certificate {advice}"


def test_https_to_a_plain_server_hints_at_http() -> None:
    """A server that does not speak TLS is recognised."""
    with Server(answering(b"HTTP/1.1 400 Bad Request\r\n\r\n")) as server, pytest.raises(FetchError) as caught:
        Fetcher(server.url.replace("http:", "https:"), limits=ROOMY).get("/metrics")
    assert caught.value.kind is FetchKind.TLS
    assert "does it speak plain http?" in caught.value.text


def test_a_hung_handshake_ends_at_the_deadline() -> None:
    """A server that accepts and never shakes hands is hung."""
    with Server(lambda peer: peer.pause()) as server, pytest.raises(FetchError) as caught:
        Fetcher(server.url.replace("http:", "https:"), limits=SHORT).get("/metrics")
    assert caught.value.kind is FetchKind.TIMEOUT


def test_an_interrupt_reaches_a_handshake() -> None:
    """A get that waits for TLS can be broken too."""
    with Server(lambda peer: peer.pause()) as server:
        client = Fetcher(server.url.replace("http:", "https:"), limits=ROOMY)
        error = stopped(client, client.interrupt, lambda: server.connections > 0)
    assert error.text == "stopped by the console"


def exchanged(*pieces: tuple[float, float | None], fresh: bool = False) -> float:
    """Seconds that an answer took whose pieces were read at a moment and had come, by the kernel, at another."""
    clock = ManualClock()
    line = Line(parse_address("http://h:1"), Limits(), clock)
    line.begin(60.0)
    line.attempt()
    line.fresh = fresh
    clock.sleep(1.0)
    line.ask()
    for read_at, came in pieces:
        clock.sleep(read_at - clock.now())
        line.note(b"x", None if came is None else came + clock.wall() - clock.now())
    return line.took_s(0.0)


def test_an_answer_that_waits_to_be_read_has_come() -> None:
    """A busy console is not a slow target: it asked at 1 s, the answer was there at 1.5 s and read at 3 s."""
    assert isclose(exchanged((2.0, 1.25), (3.0, 1.5)), 0.5, abs_tol=1e-6)


def test_an_answer_without_a_time_came_when_it_was_read() -> None:
    """So do all over TLS."""
    assert exchanged((3.0, None)) == 2.0


def test_the_time_to_connect_counts() -> None:
    """It is the target's."""
    assert exchanged((3.0, None), fresh=True) == 3.0


@pytest.mark.parametrize(("came", "took"), [(0.5, 0.0), (9.0, 2.0)])
def test_a_time_that_cannot_be_is_not_believed(came: float, took: float) -> None:
    """The clock of the day may be set while an answer is on its way."""
    assert exchanged((3.0, came)) == took
