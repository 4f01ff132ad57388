"""Tests of one thread that polls many sources."""

from __future__ import annotations

import threading
from queue import SimpleQueue
from typing import TYPE_CHECKING

import pytest

from perfconsole.clock import SystemClock
from perfconsole.lane import Lane
from perfconsole.model.sample import Batch
from perfconsole.runner import Runner

if TYPE_CHECKING:
    from collections.abc import Iterator

LIMIT_S = 10.0
"""No wait in here lasts longer."""
CLOCK = SystemClock()


class Noted:
    """Notes on which thread it is polled, and hangs while it is held."""

    kind = "test"
    deadline_s = 1.0
    brief = True

    def __init__(self, name: str, cadence_s: float) -> None:
        self.name = name
        self.cadence_s = cadence_s
        self.threads: SimpleQueue[threading.Thread] = SimpleQueue()
        self.free = threading.Event()
        self.free.set()
        self.closed = threading.Event()

    def poll(self, now: float, wall: float) -> tuple[Batch, ...]:
        """One batch, once it may go on."""
        self.threads.put(threading.current_thread())
        self.free.wait(LIMIT_S)
        return (Batch(self.name, self.kind, now, wall, self.cadence_s, took_s=0.0),)

    def thread(self) -> threading.Thread:
        """That of its next poll."""
        return self.threads.get(timeout=LIMIT_S)

    def interrupt(self) -> None:
        """It does not give way."""

    def close(self) -> None:
        """Note it."""
        self.closed.set()


def run_of(source: Noted) -> Runner:
    """A runner whose batches nobody reads."""
    return Runner(source, CLOCK, lambda _runner, _batch: None, 0.0)


@pytest.fixture
def pair() -> tuple[Noted, Noted]:
    """One that is polled all the time and one that is polled once."""
    return Noted("often", 0.001), Noted("once", 3600.0)


@pytest.fixture
def runners(pair: tuple[Noted, Noted]) -> Iterator[tuple[Runner, Runner]]:
    """Their runners, stopped at the end."""
    found = run_of(pair[0]), run_of(pair[1])
    yield found
    for source, runner in zip(pair, found, strict=True):
        runner.stop()
        source.free.set()


def test_all_of_a_lane_are_polled_by_one_thread(pair: tuple[Noted, Noted], runners: tuple[Runner, Runner]) -> None:
    """In turn, each when it is due."""
    Lane("two", runners, CLOCK)
    assert pair[0].thread() is pair[1].thread() is pair[0].thread()


def test_whoever_joins_does_not_wait_for_the_next_turn(
    pair: tuple[Noted, Noted], runners: tuple[Runner, Runner]
) -> None:
    """The thread sleeps an hour and wakes up for it."""
    often, once = pair
    lane = Lane("two", [runners[1]], CLOCK)
    once.thread()
    assert lane.take([runners[0]])
    assert often.thread().is_alive()


def test_a_lane_ends_with_its_last_runner(pair: tuple[Noted, Noted], runners: tuple[Runner, Runner]) -> None:
    """Its thread does not stay behind, and takes nobody any more."""
    lane = Lane("one", [runners[1]], CLOCK)
    thread = pair[1].thread()
    runners[1].stop()
    lane.wake()
    thread.join(LIMIT_S)
    assert (thread.is_alive(), lane.ended, lane.take([runners[0]])) == (False, True, False)
    assert pair[1].closed.is_set()


def test_those_behind_a_stuck_one_are_given_up(pair: tuple[Noted, Noted], runners: tuple[Runner, Runner]) -> None:
    """After a second; the stuck one stays, and is polled on when it is back."""
    often, _ = pair
    often.free.clear()
    lane = Lane("two", runners, CLOCK)
    thread = often.thread()
    assert lane.forsake(CLOCK.now() + 0.5) == []
    assert lane.forsake(CLOCK.now() + 2.0) == [runners[1]]
    often.free.set()
    assert often.thread() is thread


def test_a_lane_that_moves_on_gives_up_nobody(pair: tuple[Noted, Noted], runners: tuple[Runner, Runner]) -> None:
    """Nobody is at work in an hour's pause."""
    lane = Lane("one", [runners[1]], CLOCK)
    pair[1].thread()
    assert not pair[1].closed.wait(0.01)
    assert lane.forsake(CLOCK.now() + 60.0) == []
