"""A probe under way, with a load process that is played."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

from perfconsole.actions.proberun import ProbeRun
from perfconsole.clock import SystemClock
from perfconsole.probing.conductor import Lead, Phase
from perfconsole.probing.guard import Cause, Stopped
from tests.actions.test_loading import _ended, _until
from tests.probing.fakeload import FakeLoad, opening, plan

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

CLOCK = SystemClock()
STRETCH = FakeLoad().stretch


@pytest.fixture(name="begin")
def _begin() -> Iterator[Callable[[str], ProbeRun]]:
    """Begins a probe whose load process is in some mood; all are ended."""
    begun: list[ProbeRun] = []

    def begin(mood: str) -> ProbeRun:
        now = CLOCK.now()
        lead = Lead(opening(), CLOCK.wall() - now)
        argv = [sys.executable, "-m", "tests.commands.playedload", mood]
        begun.append(ProbeRun(plan(1, 4, adaptive=False), lead, now, argv))
        return begun[-1]

    yield begin
    for run in begun:
        run.close()


def _look(run: ProbeRun) -> bool:
    return run.look(None, STRETCH, CLOCK.now())


def test_to_its_end(begin: Callable[[str], ProbeRun]) -> None:
    """Whoever looks moves it on; when it is done nothing of it runs."""
    run = begin("")
    _until(lambda: _look(run))
    assert (run.done, run.conductor.stopped) == (True, None)
    assert [result.step.amount for result in run.conductor.results] == [1, 4]
    _until(lambda: _ended(run.pid))


def test_stopped(begin: Callable[[str], ProbeRun]) -> None:
    """It is told, says its last word, and is gone."""
    run = begin("silent")
    _until(lambda: not _look(run) and run.conductor.phase is Phase.STEP)
    person = Stopped(Cause.PERSON, "a key was pressed")
    run.stop(person, STRETCH, CLOCK.now())
    _until(lambda: _look(run))
    assert run.conductor.stopped == person
    assert run.conductor.ledger.end is not None
    _until(lambda: _ended(run.pid))


def test_a_load_process_that_dies(begin: Callable[[str], ProbeRun]) -> None:
    """Is found out at the next look."""
    run = begin("crash")
    _until(lambda: _look(run))
    assert run.conductor.stopped == Stopped(Cause.CLIENT, "the load process ended: MemoryError: all gone")
