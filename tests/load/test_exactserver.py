"""Tests of the exact server as a whole: what it schedules, what it logs, and what it holds open."""

from __future__ import annotations

import json
import ssl
from contextlib import ExitStack
from itertools import pairwise
from pathlib import Path

import pytest

from tests.load.asking import Asking, wait_for
from tests.load.exactserver.program import program
from tests.load.exactserver.server import ExactServer
from tests.load.exactserver.settings import Settings
from tests.sources.servers import tls_context

_MS = 1_000_000
FAST = Settings(slots=4, itl_ms=1.0, prefill_ms=2.0)
PEM = Path(__file__).parents[1] / "sources" / "loopback.pem"


def test_the_log_has_the_schedule_and_what_was_done() -> None:
    """Prefill, then a token every ITL, each written at its moment or after it."""
    with ExactServer(Settings(itl_ms=2.0, prefill_ms=3.0, prefill_us_per_token=100.0)) as server:
        with Asking(server.port) as asking:
            asking.ask(tokens=5, prompt="a b")
        (truth,) = server.truths()
    assert truth.admitted_mono == truth.arrival_mono
    assert truth.prompt_tokens == 2 + 8
    assert truth.due_mono[0] - truth.admitted_mono == 3 * _MS + 10 * 100_000
    assert [b - a for a, b in pairwise(truth.due_mono)] == [2 * _MS] * 4
    offset = truth.arrival_ns - truth.arrival_mono
    assert all(wrote - offset > due - _MS for due, wrote in zip(truth.due_mono, truth.wrote_ns, strict=True))
    assert list(truth.wrote_ns) == sorted(truth.wrote_ns)
    assert truth.ended == "done"


def test_requests_beyond_the_slots_wait_in_order() -> None:
    """Never more than the slots run; who came first is admitted first, the moment a slot is free."""
    with ExactServer(Settings(slots=2, itl_ms=1.0, hang="first")) as server, ExitStack() as stack:
        askings = [stack.enter_context(Asking(server.port)) for _ in range(7)]
        for asking in askings:
            asking.send(tokens=3)
        wait_for(lambda: len(server.truths()) == 7)
        server.set(hang="")
        assert {asking.reply().status for asking in askings} == {200}
        truths, state = server.truths(), server.state()
    assert state["most_running"] == 2
    admitted = [truth.admitted_mono or 0 for truth in truths]
    assert admitted == sorted(admitted)
    assert [truth.waiting_before for truth in truths] == [0, 0, 0, 1, 2, 3, 4]
    late = [truth for truth in truths if truth.admitted_mono != truth.arrival_mono]
    freed = {truth.due_mono[-1] for truth in truths}
    assert {truth.admitted_mono for truth in late} <= freed


def test_a_connection_is_used_again_and_counted() -> None:
    """Each request has the number of its connection, and its place on it."""
    with ExactServer(FAST) as server:
        with Asking(server.port) as first, Asking(server.port) as second:
            for asking in (first, second, first):
                asking.ask(tokens=1)
        assert [(truth.connection, truth.nth) for truth in server.truths()] == [(0, 0), (1, 0), (0, 1)]


def test_nothing_is_left_after_clients_have_gone() -> None:
    """Closing frees the slot of what ran and the place of what waited, and both are in the log as aborted."""
    with ExactServer(Settings(slots=1, prefill_ms=60_000.0)) as server:
        with Asking(server.port) as one, Asking(server.port) as other:
            one.send()
            one.until(b"\r\n\r\n")
            other.send()
            other.until(b"\r\n\r\n")
            assert (server.state()["running"], server.state()["waiting"]) == (1, 1)
        assert server.settled()
        assert server.state()["ended"] == {"aborted": 2}


def test_tokens_are_counted_by_the_words_of_the_prompt() -> None:
    """A factor and a template, so that a client can find both out from the usage."""
    settings = Settings(tokens_per_word=1.5, template_tokens=20, prefill_ms=0.0)
    with ExactServer(settings) as server, Asking(server.port) as asking:
        chat = asking.ask(tokens=2, prompt="a b c d").usage
        plain = asking.ask(tokens=2, prompt="a b c d", api="completions").usage
    assert chat == {"prompt_tokens": 26, "total_tokens": 28, "completion_tokens": 2}
    assert plain == {"prompt_tokens": 6, "total_tokens": 8, "completion_tokens": 2}


def test_a_prefix_seen_before_costs_no_prefill() -> None:
    """Whole blocks of words from the beginning; a block behind another one that is new does not count."""
    same, other = " ".join(f"w{i}" for i in range(40)), " ".join(f"v{i}" for i in range(40))
    settings = Settings(prefix_cache=True, prefill_ms=0.0, prefill_us_per_token=10.0, itl_ms=0.5)
    with ExactServer(settings) as server:
        with Asking(server.port) as asking:
            replies = [asking.ask(tokens=1, prompt=prompt) for prompt in (same, other, same, "x " + same)]
        truths = server.truths()
    assert [truth.cached_tokens for truth in truths] == [0, 0, 32, 0]
    assert [truth.due_mono[0] - truth.arrival_mono for truth in truths][2] == (48 - 32) * 10_000
    assert (replies[2].usage or {})["prompt_tokens_details"] == {"cached_tokens": 32}


def test_settings_are_changed_while_it_runs() -> None:
    """By a page, and not to what there is not."""
    with ExactServer(FAST) as server, Asking(server.port) as asking:
        asking.request("POST /admin", b'{"itl_ms": 3, "slots": 7}')
        assert json.loads(asking.reply().body)["slots"] == 7
        for wrong in (b'{"no": 1}', b'{"slots": "7"}', b'{"slots": true}', b"7", b"{"):
            asking.request("POST /admin", wrong)
            assert asking.reply().status == 400
        assert asking.get("/admin")["settings"]["itl_ms"] == 3.0
        with pytest.raises(ValueError, match="no such setting"):
            server.set(nothing=1)


def test_the_log_is_a_page_too_and_can_be_emptied() -> None:
    """What a client of another process reads is the same record."""
    with ExactServer(FAST) as server, Asking(server.port) as asking:
        asking.ask(tokens=3)
        (truth,) = server.truths()
        said = asking.get("/log")
        assert said["requests"] == [json.loads(json.dumps(truth.as_dict()))]
        assert abs(said["offset_ns"] - (truth.arrival_ns - truth.arrival_mono)) < 60_000 * _MS
        server.set(clear=True)
        assert asking.get("/log")["requests"] == []


def test_it_speaks_tls() -> None:
    """With the certificate of the loopback."""
    trust = ssl.create_default_context(cafile=str(PEM))
    with ExactServer(FAST, tls=tls_context(PEM)) as server, Asking(server.port, tls=trust) as asking:
        assert server.url.startswith("https://127.0.0.1:")
        assert asking.ask(tokens=3).texts == [" tok"] * 3
        assert asking.ask(tokens=2).texts == [" tok"] * 2


def test_it_listens_on_a_unix_socket(tmp_path: Path) -> None:
    """And takes its name away in the end."""
    path = tmp_path / "sock"
    with ExactServer(FAST, unix=path) as server:
        with Asking(unix=path) as asking:
            assert len(asking.ask(tokens=3).texts) == 3
        assert server.settled()
    assert not path.exists()


def test_an_answer_larger_than_the_socket_takes_arrives_whole() -> None:
    """What the kernel does not take at once is kept, and nothing is lost or out of order."""
    with ExactServer(Settings(itl_ms=0.0, prefill_ms=0.0, pad_bytes=200_000)) as server:
        with Asking(server.port) as asking:
            asking.send(tokens=40)
            wait_for(lambda: server.state()["ended"] == {"done": 1})
            reply = asking.reply()
        assert len(reply.body) > 40 * 200_000
        assert len(reply.texts) == 40
        assert server.settled()


def test_as_a_program_it_ends_with_its_input() -> None:
    """Nothing is left of it when who started it has gone."""
    with program("slots=3", "model=other") as running, Asking(running.port) as asking:
        assert asking.get("/v1/models")["data"][0]["id"] == "other"
        assert asking.get("/admin")["settings"]["slots"] == 3
    assert not Path(f"/proc/{running.pid}").exists()
