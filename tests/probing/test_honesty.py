"""Whether the client was the limit, and what to keep in mind where it was not."""

from __future__ import annotations

from dataclasses import replace

import pytest

from perfconsole.model.probeload import Trouble
from perfconsole.model.probeplan import Shape
from tests.probing.building import PLAN, T0, folded, record, request, server, step, ticks

LATE = ((100, 700), (4000, 300))
"""Three reads of ten come 4 ms late where a gap is 5 ms."""


def why(**more: object) -> str:
    """What is said of a step that is valid."""
    found = folded(**more)  # type: ignore[arg-type]  # as folded
    assert found.valid
    return found.why


def fault(**more: object) -> str:
    """What is said of a step that the client limited."""
    found = folded(**more)  # type: ignore[arg-type]  # as folded
    assert not found.valid
    assert found.client_limited
    return found.why


def test_a_quiet_step_is_valid_and_nothing_is_said() -> None:
    """Nobody is troubled with what is as it should be."""
    assert why() == ""


def test_a_server_that_writes_twice_at_once_is_no_fault_of_the_client() -> None:
    """Its reads are merged and come at once."""
    assert why(beats=ticks(merged=400)) == "40% of the reads held more than one event: gaps inside are spread evenly"


def test_a_buffering_proxy_is_no_fault_of_the_client() -> None:
    """All reads are merged; that one of fifty came late does not account for it."""
    beats = ticks(merged=990, gaps=((10, 1000),), lag=((100, 980), (2000, 20)))
    assert "held more than one event" in why(beats=beats)


def test_lag_alone_is_none_either() -> None:
    """Kernel stamps keep the times right."""
    assert why(beats=ticks(lag=LATE)) == ""


def test_a_full_core_that_reads_late_is() -> None:
    """It could do no more."""
    told = fault(beats=ticks(cpu_s=0.45, lag=LATE))
    assert (
        told == "the client was the limit: it used 90% of a core and it read 4 ms late (p99) where half a gap is 2.5 ms"
    )


def test_a_full_core_with_reads_merged_by_lag_is() -> None:
    """Also where the lag is below half a gap."""
    beats = ticks(cpu_s=0.45, lag=((2000, 1000),), merged=300)
    assert "it used 90% of a core" in fault(beats=beats)
    assert "30% of the reads" in why(beats=ticks(cpu_s=0.45, merged=300))


def test_a_full_core_that_keeps_up_is_not() -> None:
    """Nothing came late."""
    assert why(beats=ticks(cpu_s=0.45)) == ""


def test_a_client_starved_by_others_is() -> None:
    """Its own core time is small; it reads late, and two events at once."""
    assert "15% of its reads held more than one event" in fault(beats=ticks(cpu_s=0.05, lag=LATE, merged=150))


def test_a_client_that_is_starved_now_and_then_is_a_doubt() -> None:
    """An engine on the CPU takes every core: two of a hundred reads are late, and the highest gaps less sure."""
    beats = ticks(cpu_s=0.05, lag=((50, 980), (9000, 20)), merged=18)
    assert "9 ms late (p99): the highest gaps are less sure" in why(beats=beats)


def test_a_client_that_reads_and_sends_late_is() -> None:
    """Even where no reads fall together."""
    records = [request(T0 + 0.7 * i, sent=T0 + 0.7 * i + 0.02) for i in range(12)]
    assert "and sent 20 ms late (p99)" in fault(beats=ticks(lag=LATE), records=records)


def test_lag_below_a_millisecond_is_none() -> None:
    """However short the gaps are."""
    beats = ticks(gaps=((200, 1000),), lag=((900, 1000),), merged=300)
    assert "30% of the reads" in why(beats=beats)


def test_slots_that_stand_empty_because_it_sends_late() -> None:
    """Half of the time of a slot between two requests is the client's own."""
    records = [request(T0 + 0.7 * i, sent=T0 + 0.7 * i + 0.06) for i in range(12)]
    told = fault(beats=ticks(busy_s=3.7), records=records)
    assert told.startswith("the client was the limit: 92.5% of the concurrency was delivered")


def test_slots_that_stand_empty_for_another_reason() -> None:
    """It is said, and the step counts."""
    assert why(beats=ticks(busy_s=3.7)) == "92.5% of the concurrency was delivered, not because of the client"
    assert why(beats=ticks(busy_s=3.7), asked=step(fresh=True)) == ""


@pytest.mark.parametrize("shape", [Shape.RATE, Shape.REPLAY])
def test_an_open_loop_must_send_in_time(shape: Shape) -> None:
    """A tenth of the first token and 5 ms, else it is another load."""
    late = [request(T0 + 0.1 * i, sent=T0 + 0.1 * i + 0.02) for i in range(25)]
    told = fault(records=late, asked=step(shape=shape))
    assert told == "the client was the limit: it sent 20 ms late (p99), more than 10% of a TTFT of 50 ms"
    slow = [replace(r, first=r.intended + 0.3) for r in late]
    assert why(records=slow, asked=step(shape=shape)) == ""


def test_a_closed_loop_may_send_a_little_late() -> None:
    """Its requests wait for a slot anyhow."""
    assert why(records=[request(T0 + 0.1 * i, sent=T0 + 0.1 * i + 0.02) for i in range(25)]) == ""


def test_a_step_without_an_answer_says_nothing() -> None:
    """And the client is not at fault."""
    found = folded(records=[request(trouble=Trouble.RESET)] * 3)
    assert (found.valid, found.client_limited, found.why) == (False, False, "none of 3 requests ended well")


def test_bytes_left_unread() -> None:
    """More than an event a stream."""
    assert why(told=record(queued=50_000)) == "50,000 bytes lay unread at the end"
    assert why(told=record(queued=2_000)) == ""


def test_times_of_the_client_itself() -> None:
    """Only where it was late at all."""
    told = why(told=record(stamps="moved"), beats=ticks(lag=((1500, 1000),)))
    assert told == "arrival times are the client's own, up to 1.5 ms late (p99)"
    assert why(told=record(stamps="user")) == ""


def test_answers_that_are_not_what_was_asked_for() -> None:
    """No usage, or fewer tokens."""
    records = [request(T0 + 0.7 * i, usage=False) for i in range(4)]
    assert why(records=records) == "the server gives no usage: tokens are text events"
    short = [request(T0 + 0.7 * i, tokens=64) for i in range(4)]
    assert why(records=short) == "answers had 64 tokens where 128 were asked for"
    assert why(records=short, asked=step(shape=Shape.REPLAY)) == ""


def test_all_requests_of_the_burst() -> None:
    """Their latency stands in for a steady one."""
    told = why(records=[request(burst=True)] * 8)
    assert told == "all requests began together: TTFT and e2e are those of the burst"


def test_a_prefix_cache_that_should_not_hit() -> None:
    """Unless the prompts share their beginning, or are the same."""
    hits = [request(T0 + 0.7 * i, cached_tokens=30) for i in range(4)]
    assert why(records=hits) == "30% of the prompt tokens came out of a prefix cache"
    assert why(records=hits, asked=step(prompt="fixed")) == ""
    assert why(records=hits, plan=replace(PLAN, scenario="shared-prefix")) == ""
    blind = [replace(r, cached_tokens=None) for r in hits]
    assert "20% of the prompt" in why(records=blind, server=server(prefix_hit_ratio=0.2))


def test_an_engine_that_saw_another_load() -> None:
    """More than a tenth and two requests apart, or other tokens."""
    held = server(client_inflight=8.0, running=8.0, waiting=4.0)
    assert why(server=held) == "the engine held 12 requests, the client had 8 open"
    assert why(server=replace(held, waiting=2.0)) == ""
    counted = server(output_tokens=1500.0, client_output_tokens=1000.0)
    assert why(server=counted) == "the engine counted 1,500 output tokens, the client 1,000"
    assert why(server=replace(counted, output_tokens=1040.0)) == ""
