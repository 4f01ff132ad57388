"""Tests of the threads of sources as a crew; how they run is tested with the monitor."""

from __future__ import annotations

import threading
from queue import SimpleQueue
from typing import TYPE_CHECKING

from perfconsole.clock import SystemClock
from perfconsole.crew import Crew
from perfconsole.model.sample import Batch

if TYPE_CHECKING:
    from perfconsole.runner import Runner, Source

LIMIT_S = 10.0
FAST_S = 0.001


class _Twofold:
    """Gives a page and its health at each poll."""

    kind = "test"
    deadline_s = 1.0
    brief = False
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


class _Brief:
    """Says which thread polls it, and hangs while it is held."""

    deadline_s = 60.0
    brief = True

    def __init__(self, name: str, threads: SimpleQueue[tuple[str, threading.Thread]]) -> None:
        self.name, self.kind = name, "test"
        self.free = threading.Event()
        self.free.set()
        self._threads = threads

    def poll(self, now: float, wall: float) -> tuple[Batch, ...]:
        """One batch, when it is let."""
        self._threads.put((self.name, threading.current_thread()))
        self.free.wait(LIMIT_S)
        return (Batch(self.name, self.kind, now, wall, FAST_S, took_s=0.0),)

    def interrupt(self) -> None:
        """Nothing is in flight for long."""

    def close(self) -> None:
        """Nothing is held."""


def _next_thread(name: str, threads: SimpleQueue[tuple[str, threading.Thread]]) -> threading.Thread:
    """The thread of the next poll of a source."""
    while True:
        found, thread = threads.get(timeout=LIMIT_S)
        if found == name:
            return thread


def test_brief_sources_of_a_kind_share_a_thread() -> None:
    """Also those that join later; the others have one each, and so has another kind."""
    threads: SimpleQueue[tuple[str, threading.Thread]] = SimpleQueue()
    sources = [_Brief(name, threads) for name in "abcd"]
    sources[2].brief, sources[3].kind = False, "other"
    crew = Crew(SystemClock(), lambda _runner, _batch: None)
    crew.admit([sources[0], *sources[2:]])
    crew.admit([sources[1]])
    a, b, c, d = (_next_thread(name, threads) for name in "abcd")
    crew.stop()
    assert (a is b, len({a, c, d})) == (True, 3)


def test_brief_sources_go_on_without_one_that_is_stuck() -> None:
    """As soon as somebody looks after them."""
    clock, threads = SystemClock(), SimpleQueue[tuple[str, threading.Thread]]()
    stuck, other = _Brief("stuck", threads), _Brief("other", threads)
    stuck.free.clear()
    crew = Crew(clock, lambda _runner, _batch: None)
    crew.admit([stuck, other])
    before = _next_thread("stuck", threads)
    crew.supervise(clock.now() + 30.0)
    assert _next_thread("other", threads) is not before
    crew.stop()
    stuck.free.set()
