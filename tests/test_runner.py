"""Tests of one source at work; with threads it is tested with the monitor."""

from __future__ import annotations

import pytest

from perfconsole.clock import ManualClock
from perfconsole.model.sample import Batch
from perfconsole.runner import Runner


class Slow:
    """Takes two seconds of a clock that it moves itself, and can be stopped meanwhile."""

    kind = "test"
    deadline_s = 0.5
    brief = True
    name = "slow"

    def __init__(self, clock: ManualClock) -> None:
        self.clock = clock
        self.runner: Runner | None = None
        self.happened: list[str] = []

    def poll(self, now: float, wall: float) -> tuple[Batch, ...]:
        """Have the runner looked at in the middle."""
        assert self.runner
        self.clock.sleep(2.0)
        self.happened.append(f"busy for {self.runner.busy_s(self.clock.now())}")
        self.runner.supervise(self.clock.now())
        return (Batch(self.name, self.kind, now, wall, 3.0),)

    def interrupt(self) -> None:
        """Note it."""
        self.happened.append("interrupted")

    def close(self) -> None:
        """Note it, and fail as a file on a full disk elsewhere does."""
        self.happened.append("closed")
        raise OSError


@pytest.fixture
def source() -> Slow:
    """It starts at a moment that is not 0."""
    return Slow(ManualClock(100.0))


def _runner(source: Slow, out: list[Batch], pace_s: float = 0.0) -> Runner:
    source.runner = Runner(source, source.clock, lambda _runner, batch: out.append(batch), pace_s)
    return source.runner


def test_the_next_poll_is_due_a_cadence_after_the_last(source: Slow) -> None:
    """From its end, so that a slow target is asked less often."""
    runner = _runner(source, [])
    runner.run()
    assert runner.due == 105.0


def test_a_slower_pace_counts_for_the_batch_and_for_the_next_poll(source: Slow) -> None:
    """Whoever asks less often finds values stale later."""
    out: list[Batch] = []
    runner = _runner(source, out, pace_s=10.0)
    runner.run()
    assert ([batch.cadence_s for batch in out], runner.due) == ([10.0], 112.0)


def test_a_poll_in_flight_is_timed_and_broken_off(source: Slow) -> None:
    """A second after its deadline."""
    runner = _runner(source, [])
    runner.run()
    assert source.happened == ["busy for 2.0", "interrupted"]
    assert runner.busy_s(1000.0) == 0.0


def test_a_source_is_closed_at_once_between_two_polls(source: Slow) -> None:
    """Nobody is using what it holds; that it cannot be closed well is nobody else's trouble."""
    runner = _runner(source, [])
    runner.stop()
    assert (source.happened, runner.stopped) == (["closed"], True)


def test_a_source_stopped_in_a_poll_is_closed_after_it(source: Slow) -> None:
    """And what the broken poll brought is not handed on."""
    out: list[Batch] = []
    runner = _runner(source, out)
    source.clock.sleep = lambda seconds: runner.stop()  # type: ignore[method-assign]  # noqa: ARG005
    runner.run()
    assert (source.happened[0], source.happened[-1], out) == ("interrupted", "closed", [])
