"""Tests of what goes wrong at the exact server when it is told so."""

from __future__ import annotations

import pytest

from tests.load.asking import Asking, wait_for
from tests.load.exactserver.server import ExactServer
from tests.load.exactserver.settings import Settings
from tests.load.test_exactserver_wire import serving


@pytest.mark.parametrize(("status", "retry"), [(500, None), (429, "1"), (503, "1")])
def test_a_share_of_requests_fails(status: int, retry: str | None) -> None:
    """Exactly so many of them, evenly spread, on connections that stay open."""
    with serving(error_share=0.25, error_status=status) as (server, asking):
        replies = [asking.ask(tokens=1) for _ in range(8)]
        assert [reply.status for reply in replies] == [200, 200, 200, status] * 2
        assert replies[3].headers.get("retry-after") == retry
        assert server.state()["ended"] == {"done": 6, "refused": 2}
        assert [truth.status for truth in server.truths()][3] == status


def test_an_error_may_come_inside_a_stream() -> None:
    """After tokens, under status 200, and the connection is good for the next request."""
    with serving(inband_after=2, trouble_share=0.5) as (server, asking):
        asking.ask(tokens=4)
        reply = asking.ask(tokens=4)
        assert reply.status == 200
        assert reply.texts == [" tok"] * 2
        assert reply.events[-1]["error"]["code"] == 500
        assert len(asking.ask(tokens=4).texts) == 4
        assert [truth.ended for truth in server.truths()] == ["done", "in-band", "done"]
        assert len(server.truths()[1].wrote_ns) == 2


def test_a_stream_may_be_reset() -> None:
    """The client sees RST."""
    with serving(reset_after=2) as (server, asking):
        asking.send(tokens=4)
        with pytest.raises(ConnectionResetError):
            asking.rest()
        assert server.settled()
        assert [truth.ended for truth in server.truths()] == ["reset"]


def test_a_stream_may_be_cut() -> None:
    """The connection is closed in order, but the answer has no end."""
    with serving(cut_after=2) as (server, asking):
        asking.send(tokens=4)
        assert asking.rest().count(b" tok") == 2
        assert server.settled()
        assert [truth.ended for truth in server.truths()] == ["cut"]


def test_what_was_held_back_goes_out_before_the_end() -> None:
    """Whole events; a token of an event that is not whole is lost, and the log does not have it."""
    with serving(cut_after=6, tokens_per_event=2, events_per_write=4) as (server, asking):
        asking.send(tokens=9)
        assert asking.rest().count(b" tok") == 1 + 2 + 2
        assert server.settled()
        (truth,) = server.truths()
    assert (len(truth.wrote_ns), len(truth.due_mono)) == (5, 6)


@pytest.mark.parametrize(("hang", "head", "tokens"), [("head", False, 0), ("first", True, 0), ("mid", True, 2)])
def test_a_request_may_hang(hang: str, *, head: bool, tokens: int) -> None:
    """Until it is released: then the rest comes."""
    with serving(hang=hang, hang_after=2) as (server, asking):
        asking.send(tokens=4)
        wait_for(lambda: [truth.parked for truth in server.truths()] == [True])
        assert [len(truth.wrote_ns) for truth in server.truths()] == [tokens]
        assert asking.silent() is not head
        assert server.state()["running"] == 1
        server.set(hang="")
        assert asking.reply().texts == [" tok"] * 4


def test_a_hanging_request_ends_with_its_client() -> None:
    """And gives its slot to the next."""
    with ExactServer(Settings(slots=1, hang="head")) as server:
        with Asking(server.port) as asking:
            asking.send()
            wait_for(lambda: server.state()["running"] == 1)
        assert server.settled()


def test_all_streams_may_stall_once() -> None:
    """What runs and what comes."""
    with serving(prefill_ms=60_000.0) as (server, asking), Asking(server.port) as other:
        asking.send()
        wait_for(lambda: server.state()["running"] == 1)
        server.set(stall_ms=120_000)
        other.send()
        wait_for(lambda: server.state()["running"] == 2)
        first, second = server.truths()
        assert first.due - first.arrival_mono == 180_000 * 1_000_000
        assert (second.admitted_mono or 0) - second.arrival_mono > 60_000 * 1_000_000


def test_a_stranger_is_refused() -> None:
    """Without the key, with another model, with too long a request, or with a field that is not taken."""
    with serving(key="k", refuse="ignore_eos,min_p", max_model_len=100) as (server, asking):
        wrong: list[dict[str, object]] = [
            {},
            {"bearer": "no"},
            {"bearer": "k", "model": "other"},
            {"bearer": "k", "ignore_eos": True},
            {"bearer": "k", "tokens": 200},
            {"bearer": "k", "messages": "text"},
        ]
        assert [asking.ask(**fields).status for fields in wrong] == [401, 401, 404, 400, 400, 400]  # type: ignore[arg-type] # a table of words
        assert asking.ask(bearer="k", tokens=1).status == 200
        assert len(server.truths()) == 7


def test_an_answer_may_be_no_http() -> None:
    """And the connection is closed."""
    with serving(garbled=True) as (server, asking):
        asking.send()
        assert asking.rest().startswith(b"\x00")
        assert [truth.ended for truth in server.truths()] == ["garbled"]


def test_what_is_no_request_is_answered_with_400() -> None:
    """And the connection is closed."""
    with serving() as (server, asking):
        asking.raw(b"nonsense\r\n\r\n")
        assert asking.reply().status == 400
        assert asking.rest() == b""
        assert server.settled()


def test_an_unknown_page_is_not_found() -> None:
    """As FastAPI says it."""
    with serving() as (_, asking):
        asking.request("GET /nothing")
        assert asking.reply().status == 404
