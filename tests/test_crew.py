"""Tests of the threads of sources as a crew; how they run is tested with the monitor."""

from __future__ import annotations

from queue import SimpleQueue
from typing import TYPE_CHECKING

from perfconsole.clock import SystemClock
from perfconsole.crew import Crew, Runner
from perfconsole.model.sample import Batch

if TYPE_CHECKING:
    from perfconsole.crew import Source

LIMIT_S = 10.0


class _Twofold:
    """Gives a page and its health at each poll."""

    kind = "test"
    deadline_s = 1.0
    name = "page"

    def poll(self, now: float, wall: float) -> tuple[Batch, ...]:
        """Two batches of different names."""
        return tuple(Batch(name, self.kind, now, wall, 60.0, took_s=0.0) for name in ("page", "page health"))

    def interrupt(self) -> None:
        """Nothing is in flight for long."""

    def close(self) -> None:
        """Nothing is held."""


def crew_of(source: Source) -> tuple[Crew, list[tuple[Runner, Batch]]]:
    """A crew of one source, and the three batches of its start and its first poll."""
    out: SimpleQueue[tuple[Runner, Batch]] = SimpleQueue()
    crew = Crew(SystemClock(), lambda runner, batch: out.put((runner, batch)))
    crew.admit([source])
    return crew, [out.get(timeout=LIMIT_S) for _ in range(3)]


def test_whoever_leaves_gives_all_names_that_it_had() -> None:
    """So that what was known by them can be forgotten."""
    source = _Twofold()
    crew, news = crew_of(source)
    assert all(crew.heard(runner, batch) for runner, batch in news)
    assert crew.dismiss([source]) == {"page", "page health"}
    assert not crew


def test_what_comes_after_somebody_left_is_not_heard() -> None:
    """Its poll was out at that moment."""
    source = _Twofold()
    crew, news = crew_of(source)
    crew.dismiss([source])
    assert not crew.heard(*news[-1])


def test_a_stranger_cannot_leave() -> None:
    """And takes nobody along."""
    crew, _ = crew_of(_Twofold())
    assert crew.dismiss([_Twofold()]) == set()
    assert crew
    crew.stop()
