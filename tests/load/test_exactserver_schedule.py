"""Tests of the schedule of the exact server: moments in, moments out."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from tests.load.exactserver.schedule import Schedule
from tests.load.exactserver.settings import Settings
from tests.load.exactserver.truth import Truth

_MS = 1_000_000


def request(number: int, arrival: int = 0, want: int = 3, prompt: int = 10) -> Truth:
    """A request that arrived at that moment."""
    return Truth(number, number, 0, "chat", arrival, arrival, want=want, prompt_tokens=prompt)


def play(schedule: Schedule, arrivals: list[Truth], every: int = _MS) -> None:
    """Come by every so often until all is done, however late for each token that is."""
    left, now = list(arrivals), 0
    while left or schedule.running or schedule.queue:
        while left and left[0].arrival_mono <= now:
            schedule.arrive(left.pop(0), now)
        while schedule.pop(now) is not None:
            pass
        now += every


def test_tokens_are_due_by_the_model() -> None:
    """Prefill by the prompt, then so long a token by how many run."""
    schedule = Schedule(Settings(prefill_ms=5.0, prefill_us_per_token=100.0, itl_ms=2.0, itl_us_per_running=500.0))
    alone, pair = request(0, 0, want=4), request(1, 8 * _MS, want=2)
    play(schedule, [alone, pair])
    assert list(alone.due_mono) == [6 * _MS, 8_500_000, 11_500_000, 14_500_000]
    assert list(pair.due_mono) == [14 * _MS, 17 * _MS]


@given(st.integers(_MS // 4, 40 * _MS))
def test_nothing_drifts_however_late_the_server_is(every: int) -> None:
    """Moments and the order of slots are the same for one that looks rarely; only what arrives is seen later."""
    runs = []
    for each in (_MS // 4, every):
        requests = [request(number) for number in range(7)]
        play(Schedule(Settings(slots=2, prefill_ms=3.0, itl_ms=1.0)), requests, each)
        runs.append([(truth.admitted_mono, list(truth.due_mono)) for truth in requests])
    assert runs[0] == runs[1]


@given(
    st.integers(1, 5),
    st.lists(st.tuples(st.integers(0, 50), st.integers(1, 6)), min_size=1, max_size=25),
)
def test_slots_are_never_exceeded_and_the_queue_is_first_in_first_out(slots: int, plan: list[tuple[int, int]]) -> None:
    """Whatever comes when: between admission and the last token, never more than the slots; admitted as they came."""
    requests = [request(i, at * _MS // 2, want) for i, (at, want) in enumerate(sorted(plan))]
    play(Schedule(Settings(slots=slots, prefill_ms=2.0, itl_ms=1.0)), requests, _MS // 2)
    admitted = [truth.admitted_mono or 0 for truth in requests]
    assert admitted == sorted(admitted)
    for moment in admitted:
        assert sum((t.admitted_mono or 0) <= moment < t.due_mono[-1] for t in requests) <= slots
    assert all(len(truth.due_mono) == truth.want for truth in requests)


def test_the_rate_with_full_slots_is_that_of_the_formula() -> None:
    """S x N / (P + (N - 1) x I)."""
    requests = [request(number, want=11) for number in range(40)]
    play(Schedule(Settings(slots=4, prefill_ms=10.0, itl_ms=2.0)), requests)
    assert max(truth.due_mono[-1] for truth in requests) == 10 * (10 + 10 * 2) * _MS


def test_in_step_all_streams_get_their_tokens_at_once() -> None:
    """One that comes in between waits for the next step, and the step is as long as those who run make it."""
    schedule = Schedule(Settings(prefill_ms=5.0, itl_ms=4.0, itl_us_per_running=1000.0, step_sync=True))
    requests = [request(0, 0, want=8), request(1, 2 * _MS, want=4)]
    play(schedule, requests, _MS // 4)
    first, second = (list(truth.due_mono) for truth in requests)
    assert first[:3] == [5 * _MS, 11 * _MS, 17 * _MS]
    assert second[0] == 11 * _MS
    assert set(second) <= set(first)
    assert {b - a for a, b in pairwise(first)} == {6 * _MS, 5 * _MS}


def test_without_room_for_its_token_the_youngest_is_thrown_out() -> None:
    """It goes to the head of the queue, and goes on where it was when there is room."""
    schedule = Schedule(Settings(prefill_ms=1.0, itl_ms=1.0, kv_tokens=26))
    requests = [request(0, want=8), request(1, 0, want=8)]
    play(schedule, requests)
    assert [truth.preemptions for truth in requests] == [0, 1]
    assert schedule.preemptions == 1
    assert [len(truth.due_mono) for truth in requests] == [8, 8]
    assert requests[1].due_mono[7] > requests[0].due_mono[7]
    assert schedule.held == 0


def test_a_request_larger_than_all_room_runs_alone() -> None:
    """It is not thrown out for its own sake for ever."""
    schedule = Schedule(Settings(prefill_ms=1.0, itl_ms=1.0, kv_tokens=12))
    requests = [request(0, want=8), request(1, want=2)]
    play(schedule, requests)
    assert [len(truth.due_mono) for truth in requests] == [8, 2]
    assert requests[1].due_mono[0] > requests[0].due_mono[-1]


def test_a_stall_puts_off_everything_once() -> None:
    """The gap in which it falls is longer by it, the others are not."""
    schedule = Schedule(Settings(prefill_ms=1.0, itl_ms=1.0))
    stalled = request(0, want=4)
    schedule.arrive(stalled, 0)
    assert schedule.pop(1 * _MS) is stalled
    schedule.stall(1_500_000, 10 * _MS)
    assert schedule.pop(11 * _MS) is None
    while schedule.pop(100 * _MS):
        pass
    assert list(stalled.due_mono) == [1 * _MS, 12 * _MS, 13 * _MS, 14 * _MS]


def test_one_that_leaves_gives_its_slot_away_at_that_moment() -> None:
    """Running or waiting."""
    schedule = Schedule(Settings(slots=1, prefill_ms=5.0))
    first, second, third = (request(number) for number in range(3))
    for each in (first, second, third):
        schedule.arrive(each, 0)
    schedule.leave(second, 1)
    schedule.leave(first, 2 * _MS)
    assert list(schedule.running) == [third]
    assert third.admitted_mono == 2 * _MS
    assert schedule.next_due() is not None
    assert schedule.pop(7 * _MS) is third


def test_what_halts_goes_on_when_it_is_released() -> None:
    """From that moment."""
    schedule = Schedule(Settings(prefill_ms=1.0, itl_ms=1.0))
    halting = request(0, want=3)
    halting.halt = 1
    schedule.arrive(halting, 0)
    assert schedule.pop(5 * _MS) is halting
    assert schedule.pop(5 * _MS) is None
    assert halting.parked
    schedule.release(9 * _MS)
    assert schedule.pop(9 * _MS) is halting
    assert list(halting.due_mono) == [1 * _MS, 9 * _MS]
