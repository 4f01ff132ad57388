"""Tests of a probe that the screen leads, with a load process that is played."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import pytest

from perfconsole.clock import SystemClock
from perfconsole.errors import NotPermittedError
from perfconsole.model.probeplan import Shape
from perfconsole.probing.conductor import Lead
from perfconsole.tui.probelead import ProbeLead
from perfconsole.tui.probewish import Begun
from tests.probing.fakeload import opening, plan
from tests.tui.probing import load_processes, play_load
from tests.tui.screens import HandFeed
from tests.view.pictures import ENGINE, indicator, snapshot

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from perfconsole.tui.feed import Feed

CLOCK = SystemClock()
BEFORE = snapshot()
LOADED = snapshot(seq=2, indicators=(indicator("engine.requests_running", 4.0),))


@pytest.fixture(name="lead")
def _lead(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str, HandFeed], ProbeLead]]:
    """Leads a probe of two steps, whose load process is in some mood; all are ended."""
    made: list[ProbeLead] = []

    def lead(mood: str, feed: HandFeed) -> ProbeLead:
        play_load(monkeypatch, mood)
        plans = plan(1, 4, adaptive=False)
        begun = Begun(plans, Lead(opening(), CLOCK.wall() - CLOCK.now(), (ENGINE,), BEFORE), (ENGINE,), None)
        made.append(ProbeLead(begun, cast("Feed", feed), CLOCK))
        return made[-1]

    yield lead
    for each in made:
        each.close()
    assert load_processes() == []


def until(done: Callable[[], bool]) -> None:
    """Look until it is so."""
    end = CLOCK.now() + 20.0
    while not done():
        assert CLOCK.now() < end
        CLOCK.sleep(0.01)


def test_to_its_end(lead: Callable[[str, HandFeed], ProbeLead]) -> None:
    """Its result has all steps, and the picture of the time of the load, not the one after it."""
    feed = HandFeed(BEFORE)
    probe = lead("silent", feed)
    until(lambda: not probe.look() and probe.view().now is not None)
    feed.newest = LOADED
    assert not probe.look()
    probe.stop()
    until(probe.look)
    feed.newest = snapshot(seq=3)
    ended = probe.ended()
    assert ended.loaded is LOADED
    assert ended.conductor.stopped is not None
    assert ended.conductor.stopped.why == "stopped by a key"


def test_what_is_drawn_of_it(lead: Callable[[str, HandFeed], ProbeLead]) -> None:
    """Where it stands, with what the layers do; twice a second."""
    probe = lead("silent", HandFeed(LOADED))
    assert probe.view().phase == "connecting"
    until(lambda: not probe.look() and probe.view().now is not None)
    view = probe.view()
    assert view.now is not None
    assert (view.now.step.shape, view.now.step.amount) == (Shape.CONCURRENCY, 1.0)
    assert [layer.layer for layer in view.layers] == ["engine"]
    assert not probe.due
    until(lambda: probe.due)


def test_a_watch_that_broke(lead: Callable[[str, HandFeed], ProbeLead]) -> None:
    """Nobody loads an engine that nobody looks at."""
    feed = HandFeed(BEFORE)
    probe = lead("silent", feed)
    feed.fault = "it broke"
    until(probe.look)
    stopped = probe.ended().conductor.stopped
    assert stopped is not None
    assert stopped.why == "nobody watches the engine any more: it broke"


def test_a_load_process_that_cannot_be_started(
    lead: Callable[[str, HandFeed], ProbeLead], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Is said by whoever begins it."""
    from perfconsole.actions import loading  # noqa: PLC0415 - patched behind the fixture

    monkeypatch.setattr("tests.tui.test_probelead.play_load", lambda *_: None)
    monkeypatch.setattr(loading, "load_argv", lambda: ["/no/such/program"])
    with pytest.raises(NotPermittedError):
        lead("", HandFeed(BEFORE))
