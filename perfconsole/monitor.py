"""The live driver: sources on threads of their own, one queue, a tick a second. The session owns the state.

A source that hangs stalls only its own thread. Nothing here waits for a source that does not answer.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, TypeVar

from perfconsole import garbage
from perfconsole.clock import thread_cpu_s
from perfconsole.crew import Crew
from perfconsole.model.sample import Batch
from perfconsole.runner import Runner, Source
from perfconsole.stride import Stride

if TYPE_CHECKING:
    from collections.abc import Iterable

    from perfconsole.clock import Clock
    from perfconsole.core.session import Session
    from perfconsole.model.rule import Rule
    from perfconsole.model.snapshot import Snapshot

TICK_S = 1.0
_DRAW_S = 0.5
"""How long what can wait does wait for the first picture to be drawn."""
_EARLY_TICKS = 5
"""Seconds in which first answers are shown at once; after that one waking a second does for all sources."""


Later = Callable[[], tuple[list["Rule"], list[Source]]]
"""Gives rules and sources that may come after the first picture."""


@dataclass(frozen=True, slots=True)
class _Change:
    """Sources that join the watch, and sources that leave it for good."""

    coming: tuple[Source, ...] = ()
    going: tuple[Source, ...] = ()


T = TypeVar("T")

_News = tuple[Runner, Batch] | Batch | _Change


class Monitor:
    """Runs sources against a session."""

    def __init__(self, session: Session, sources: Iterable[Source], clock: Clock) -> None:
        self._session = session
        self._clock = clock
        self._queue: SimpleQueue[_News | None] = SimpleQueue()
        """What waits for the thread that ticks; None is the word to stop."""
        self._crew = Crew(clock, lambda runner, batch: self._queue.put((runner, batch)))
        self._sources = tuple(sources)
        """What is polled from the start."""
        self._lock = threading.Lock()
        """Held while the session moves on, and while a history is read from another thread."""
        self._stride = Stride()
        self._stopping = False
        self._answered: set[str] = set()
        self.drawn = threading.Event()
        """Somebody has shown the first picture: what can wait may begin."""

    def run(self, seconds: float, on_snapshot: Callable[[Snapshot], None]) -> None:
        """Poll and tick for so long; `on_snapshot` gets every picture, the last one at the end of the time."""
        self._crew.admit(self._sources)
        start = self._clock.now()
        try:
            ticks, i = max(1, round(seconds / TICK_S)), 0
            while i < ticks:
                i = min(ticks, i + self._stride.ticks)
                deadline = start + seconds * i / ticks
                if i <= _EARLY_TICKS:
                    self._drain_until(deadline)
                else:
                    self._sleep_until(deadline)
                on_snapshot(self._tick())
                if i == 1:
                    garbage.settle()
        finally:
            self._crew.stop()

    def watch(self, on_snapshot: Callable[[Snapshot], None], later: Later | None = None) -> None:
        """Poll and tick until `stop`. The first answer of each source is shown at once, not at the next second.

        What `later` gives joins when the first picture has been drawn: the first numbers must not wait for it.
        """
        self._crew.admit(self._sources)
        start = self._clock.now()
        try:
            i, first = 1, True
            while not self._stopping:
                if self._crew and self._wait_for(start + TICK_S * i, early=i <= _EARLY_TICKS):
                    i = int((self._clock.now() - start) / TICK_S) + self._stride.ticks
                if not self._stopping:
                    on_snapshot(self._tick())
                if first and later is not None:
                    self.drawn.wait(_DRAW_S)
                    rules, sources = later()
                    with self._lock:
                        self._session.adopt(rules)
                    self._crew.admit(sources)
                if first:
                    garbage.settle()
                    first = False
        finally:
            self._crew.stop()

    def join(self, sources: Iterable[Source]) -> None:
        """Watch these too from now on; callable from any thread, also before the first poll."""
        self._queue.put(_Change(coming=tuple(sources)))

    def leave(self, sources: Iterable[Source]) -> None:
        """Watch these no more, and forget what only they knew of; callable from any thread."""
        self._queue.put(_Change(going=tuple(sources)))

    def post(self, batch: Batch) -> None:
        """Take in what an action found; callable from any thread."""
        self._queue.put(batch)

    def stop(self) -> None:
        """Let `watch` end; callable from any thread, waits for nothing."""
        self._stopping = True
        self._queue.put(None)

    def pace(self, seconds: float) -> None:
        """Poll at most once in so many seconds; sources that ask less often on their own stay as they are."""
        self._crew.pace(seconds)

    def visit(self, what: Callable[[Session], T]) -> T:
        """What a function makes of the session, or asks of it, while that stands still; callable from any thread."""
        with self._lock:
            return what(self._session)

    def _tick(self) -> Snapshot:
        now, began = self._clock.now(), thread_cpu_s()
        with self._lock:
            snapshot = self._session.tick(now, self._clock.wall())
        self._stride.note(thread_cpu_s() - began)
        self._crew.supervise(now)
        return snapshot

    def _wait_for(self, deadline: float, *, early: bool) -> bool:
        """True at the deadline. A first answer ends the wait while sources start; later all is taken in at once."""
        if early:
            return self._drain_until(deadline, early=True)
        self._sleep_until(deadline)
        return True

    def _sleep_until(self, deadline: float) -> None:
        """Take in once a second what has come by then: with many targets each wake-up costs more than a batch."""
        while True:  # once at the least: ticks that are late must not leave unseen what has come
            self._clock.sleep(min(deadline - self._clock.now(), TICK_S))
            self._drain_until(self._clock.now())
            if self._stopping or self._clock.now() >= deadline:
                return

    def _drain_until(self, deadline: float, *, early: bool = False) -> bool:
        """Take in what comes until the deadline, and behind it what is there.

        True then, False when it ended sooner (news from a source, a stop).
        """
        while True:
            left = deadline - self._clock.now()
            try:
                news = self._queue.get(timeout=left) if left > 0 else self._queue.get_nowait()
            except Empty:
                return True
            if news is None:
                return left <= 0
            first = self._take(news)
            if early and first and left > 0 and self._queue.empty():
                return False

    def _take(self, news: _News) -> bool:
        """Take in a batch or a change of the sources; True for the first answer of a source."""
        if isinstance(news, Batch):
            self._apply(news)
            return False
        if not isinstance(news, _Change):
            return self._crew.heard(*news) and self._apply(news[1])
        names = self._crew.dismiss(news.going)
        self._answered -= names
        with self._lock:
            self._session.dismiss(names)
        self._crew.admit(news.coming)
        return False

    def _apply(self, batch: Batch) -> bool:
        with self._lock:
            self._session.apply(batch)
        if batch.took_s is None or batch.source in self._answered:
            return False
        self._answered.add(batch.source)
        return True
