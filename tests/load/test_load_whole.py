"""The load against a server that knows the truth. Times are compared with the server's, never with a clock."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from perfconsole.model.probeload import Part, Trouble
from perfconsole.model.probeorders import Arrival, Run, Target
from perfconsole.model.probeplan import Caps, Shape
from tests.load.exactserver.server import ExactServer
from tests.load.exactserver.settings import Settings
from tests.load.loadrun import Told, closed, drive, opening
from tests.sources.servers import tls_context

QUICK = Settings(slots=64, itl_ms=0.5, prefill_ms=1.0)
PEM = Path(__file__).parents[1] / "sources" / "loopback.pem"


def quick(**changes: Any) -> Told:  # noqa: ANN401 - settings of any kind
    """Two users, eight requests, of a quick server with these settings."""
    settings: dict[str, Any] = {"slots": 64, "itl_ms": 0.5, "prefill_ms": 1.0, **changes}
    with ExactServer(Settings(**settings)) as server:
        told = drive(opening(server.port), [closed(2, 8)])
        assert server.settled()
    return told


def troubles(told: Told) -> Counter[Trouble | None]:
    """How the counted requests ended."""
    return Counter(record.trouble for record in told.counted())


def test_tokens_and_times_are_the_servers() -> None:
    """Each request has the tokens that were written; a first one that came with others is put a little before them."""
    with ExactServer(QUICK) as server:
        told = drive(opening(server.port), [closed(3, 9)])
        truths = {truth.wrote_ns[0]: truth for truth in server.truths()}
    records = told.records
    assert len(records) == len(truths)
    assert {record.tokens for record in records} == {16}
    for record, written in zip(sorted(r.first or 0.0 for r in records), sorted(truths), strict=True):
        assert record >= written / 1e9 - 0.05


def test_the_total_of_tokens_is_what_the_server_wrote() -> None:
    """Warm-up and what keeps the load up are in it."""
    with ExactServer(QUICK) as server:
        told = drive(opening(server.port), [closed(1, 2), closed(4, 8, 1)], warm=2)
        written = server.state()["tokens"]
    assert told.end is not None
    assert told.end.output_tokens == written == sum(tick.tokens for tick in told.ticks)


def test_exactly_so_many_requests_count() -> None:
    """The step ends with the last of them; others keep the load up meanwhile."""
    told = quick()
    assert len(told.counted()) == 8
    assert {record.part for record in told.records} <= {Part.COUNTED, Part.FILLER}
    assert told.steps[0].ended >= max(record.ended for record in told.counted()) - 0.001


def test_slots_are_handed_over_between_steps() -> None:
    """The users of the first step go on in the second: only the new ones start together."""
    told = drive_steps()
    second = told.counted(1)
    assert sum(record.burst for record in second) == 2
    assert len(second) == 8


def drive_steps() -> Told:
    """Two users, then four."""
    with ExactServer(Settings(slots=64, itl_ms=5.0, prefill_ms=20.0)) as server:
        return drive(opening(server.port), [closed(2, 8), closed(4, 8, 1)])


def test_one_user_alone_is_no_burst() -> None:
    """Nobody starts together with it."""
    with ExactServer(QUICK) as server:
        told = drive(opening(server.port), [closed(1, 3), closed(2, 4, 1)])
    assert not any(record.burst for record in told.records)
    assert all(step.full is not None for step in told.steps)


def test_connections_are_opened_once_and_kept() -> None:
    """Requests go over those that are there."""
    with ExactServer(QUICK) as server:
        told = drive(opening(server.port), [closed(2, 12)])
        connections = {truth.connection for truth in server.truths()}
    assert len(connections) == 2
    assert all(record.connect_s is None for record in told.records)
    assert sum(many for _, many in told.steps[0].connect) == 2


def test_a_server_that_closes_after_each_answer_is_connected_to_anew() -> None:
    """That time is apart from the first token's."""
    told = quick(close=True)
    assert troubles(told) == {None: 8}
    assert sum(record.connect_s is not None for record in told.counted()) >= 6


@pytest.mark.parametrize(
    "form",
    [
        {"crlf": True},
        {"space": False, "ping_every": 2, "event_lines": True},
        {"done": False},
        {"delimited": True},
        {"split_at": 20},
        {"chunk_at": 30},
        {"role": "early"},
        {"role": "never"},
        {"pad_bytes": 150_000},
        {"text": " \u4e2d\u6587"},
        {"finish_apart": True},
        {"usage": "always"},
        {"usage": "last"},
        {"events_per_write": 3},
        {"tokens_per_event": 4},
        {"empty_every": 3},
        {"channel": "tool_calls"},
        {"reasoning_tokens": 5, "reasoning_field": "reasoning"},
    ],
    ids=str,
)
def test_every_form_of_a_stream_has_its_tokens(form: dict[str, Any]) -> None:
    """By the server's own count."""
    told = quick(**form)
    assert troubles(told) == {None: 8}
    assert {(record.tokens, record.usage) for record in told.counted()} == {(16, True)}


def test_without_usage_events_are_counted() -> None:
    """And it is said that nobody else did."""
    told = quick(usage="never")
    assert {(record.tokens, record.usage) for record in told.counted()} == {(16, False)}


def test_thoughts_are_the_first_token() -> None:
    """The answer itself begins later."""
    told = quick(reasoning_tokens=5)
    waits = [(record.first_answer or 0.0) - (record.first or 0.0) for record in told.counted()]
    assert min(waits) >= 0 < max(waits)


@pytest.mark.parametrize(
    ("fault", "trouble"),
    [
        ({"error_share": 1.0}, Trouble.STATUS),
        ({"inband_after": 3}, Trouble.IN_BAND),
        ({"reset_after": 3}, Trouble.RESET),
        ({"cut_after": 3}, Trouble.RESET),
        ({"garbled": True}, Trouble.GARBLED),
    ],
    ids=str,
)
def test_every_fault_is_an_error(fault: dict[str, Any], trouble: Trouble) -> None:
    """None of them is a latency."""
    told = quick(**fault)
    assert troubles(told) == {trouble: 8}
    assert not any(tick.gaps for tick in told.ticks)


def test_a_tenth_of_errors_is_a_tenth() -> None:
    """The others are counted as ever."""
    with ExactServer(Settings(slots=64, itl_ms=1.0, prefill_ms=2.0, error_share=0.1)) as server:
        told = drive(opening(server.port, output_tokens=4), [closed(4, 40)])
    assert troubles(told)[Trouble.STATUS] in (3, 4, 5)
    assert len(told.counted()) == 40


@pytest.mark.parametrize("where", ["head", "first", "mid"])
def test_a_server_that_hangs_is_left_in_time(where: str) -> None:
    """The requests are broken off, and nothing stays open."""
    with ExactServer(Settings(slots=64, itl_ms=1.0, prefill_ms=2.0, hang=where)) as server:
        told = drive(opening(server.port, timeout_s=0.3), [closed(2, 4)])
        assert server.settled()
    assert troubles(told) == {Trouble.TIMEOUT: 4}
    assert told.end is not None


def test_options_that_a_server_refuses_are_left_out() -> None:
    """It is noted, and no error is counted for it."""
    with ExactServer(Settings(slots=64, itl_ms=1.0, prefill_ms=2.0, refuse="ignore_eos,stream_options")) as server:
        told = drive(opening(server.port), [closed(2, 4)], warm=2)
    assert troubles(told) == {None: 4}
    assert told.end is not None
    assert [note.split(":")[0] for note in told.end.notes] == [
        "the server does not take ignore_eos",
        "the server does not take stream_options",
    ]


def test_the_warm_up_learns_how_long_a_word_is() -> None:
    """Prompts have the wanted length by the server's own count."""
    with ExactServer(Settings(slots=8, itl_ms=1.0, prefill_ms=2.0, tokens_per_word=2.3, template_tokens=31)) as server:
        told = drive(opening(server.port, prompt_tokens=400), [closed(2, 4)], warm=2)
    assert {abs((record.prompt_tokens or 0) - 400) <= 3 for record in told.counted()} == {True}
    assert told.counted(-1) == []


def test_tls_keeps_the_kernels_times() -> None:
    """The stamp is of the packet, not of what is in it."""
    with ExactServer(QUICK, tls=tls_context(PEM)) as server:
        target = Target("https", "127.0.0.1", server.port, verify=False)
        told = drive(opening(server.port, targets=(target,)), [closed(2, 6)])
    assert troubles(told) == {None: 6}
    assert told.steps[0].stamps == "kernel"


def test_a_certificate_that_nobody_signed_is_refused() -> None:
    """With the reason."""
    with ExactServer(QUICK, tls=tls_context(PEM)) as server:
        target = Target("https", "127.0.0.1", server.port)
        told = drive(opening(server.port, targets=(target,)), [closed(1, 1)])
    (record,) = told.counted()
    assert record.trouble is Trouble.REFUSED
    assert "certificate verify failed" in record.detail


def test_a_unix_socket_has_times_of_our_own(tmp_path: Path) -> None:
    """The kernel stamps no packets there, and it is said."""
    path = tmp_path / "s"
    with ExactServer(QUICK, unix=path) as server:
        target = Target("http", "localhost", 80, unix=str(path))
        told = drive(opening(server.port, targets=(target,)), [closed(2, 6)])
    assert troubles(told) == {None: 6}
    assert told.steps[0].stamps == "user"


def test_an_open_loop_starts_at_its_moments() -> None:
    """However many are under way; latency counts from the moment."""
    with ExactServer(Settings(slots=64, itl_ms=1.0, prefill_ms=100.0)) as server:
        told = drive(opening(server.port), [Run(0, Shape.RATE, 100.0, requests=20)])
        most = server.state()["most_running"]
    moments = sorted(record.intended for record in told.counted())
    assert len(moments) == 20
    assert most > 3
    assert all(record.sent >= record.intended for record in told.counted())


def test_a_burst_starts_at_once_and_once() -> None:
    """Nothing follows it."""
    with ExactServer(Settings(slots=64, itl_ms=10.0, prefill_ms=50.0)) as server:
        told = drive(opening(server.port), [Run(0, Shape.BURST, 12.0)])
        assert server.state()["most_running"] == 12
    assert [record.burst for record in told.records] == [True] * 12


def test_a_sample_is_replayed_at_its_moments_and_lengths() -> None:
    """Twice as fast with a speed of 2."""
    arrivals = tuple(Arrival(at, 20, tokens) for at, tokens in ((0.0, 3), (0.2, 5), (0.4, 7)))
    with ExactServer(QUICK) as server:
        told = drive(opening(server.port), [Run(0, Shape.REPLAY, 2.0, arrivals=arrivals)])
    records = sorted(told.counted(), key=lambda r: r.intended)
    assert [record.tokens for record in records] == [3, 5, 7]
    gaps = [b.intended - a.intended for a, b in pairwise(records)]
    assert gaps == pytest.approx([0.1, 0.1], abs=1e-6)


def test_new_connections_are_new_each_time() -> None:
    """With the time to resolve and to connect."""
    with ExactServer(QUICK) as server:
        told = drive(opening(server.port, output_tokens=2), [closed(1, 5, fresh=True, keep=False)])
        connections = [truth.connection for truth in server.truths()]
    assert len(set(connections)) == 5
    assert all(record.connect_s and record.resolve_s for record in told.counted())


def test_an_agent_makes_calls_side_by_side() -> None:
    """A task is many calls; some of them at the same time."""
    with ExactServer(QUICK) as server:
        told = drive(opening(server.port, scenario="agent-fan-out"), [closed(1, 12)])
        assert server.state()["most_running"] > 1
    assert len({record.task for record in told.counted()}) < 12


def test_the_cap_of_requests_is_never_passed() -> None:
    """The load ends itself, and says why."""
    with ExactServer(QUICK) as server:
        told = drive(opening(server.port, caps=Caps(requests=5)), [closed(4, 50)])
        assert len(server.truths()) == 5
    assert told.end is not None
    assert told.end.stopped == "limit of 5 requests"


def test_the_cap_of_tokens_counts_what_may_still_come() -> None:
    """A request is not started whose answer would pass it."""
    with ExactServer(QUICK) as server:
        told = drive(opening(server.port, caps=Caps(output_tokens=48)), [closed(1, 50)])
        assert server.state()["tokens"] <= 48
    assert told.end is not None
    assert told.end.stopped == "limit of 48 output tokens"


def test_the_cap_of_requests_at_a_time_ends_an_open_loop() -> None:
    """A server that falls behind is not buried."""
    with ExactServer(Settings(slots=1, itl_ms=5.0, prefill_ms=200.0)) as server:
        told = drive(opening(server.port, caps=Caps(concurrency=4)), [Run(0, Shape.RATE, 200.0, requests=100)])
        assert server.state()["most_running"] == 1
        assert len(server.truths()) == 4
    assert told.end is not None
    assert told.end.stopped == "limit of 4 requests at a time"


def test_nobody_listening_is_said() -> None:
    """In the records, not by waiting."""
    told = drive(opening(9), [closed(2, 4)])
    assert troubles(told) == {Trouble.REFUSED: 4}
    assert told.counted()[0].detail == "Connection refused"


@pytest.mark.parametrize(
    ("caps", "words"),
    [(Caps(requests=5), "limit of 5 requests"), (Caps(output_tokens=90), "limit of 90 output tokens")],
)
@pytest.mark.parametrize("run", [closed(12, 50), Run(0, Shape.BURST, 12.0, requests=12)])
def test_a_burst_passes_no_cap(run: Run, caps: Caps, words: str) -> None:
    """Of those that would start together only as many start as may; each answer has 16 tokens."""
    with ExactServer(QUICK) as server:
        told = drive(opening(server.port, caps=caps), [run])
        assert len(server.truths()) == 5
    assert told.end is not None
    assert told.end.stopped == words


def test_the_stages_of_a_task_pass_no_cap() -> None:
    """Calls that an agent makes at the same time are cut, too."""
    with ExactServer(QUICK) as server:
        told = drive(opening(server.port, scenario="agent-fan-out", caps=Caps(requests=4)), [closed(2, 50)])
        assert len(server.truths()) == 4
    assert told.end is not None
    assert told.end.stopped == "limit of 4 requests"
