"""The live driver: one thread a source, one queue, one tick a second. Owns the threads; the session owns the state.

A source that hangs stalls only its own thread. Nothing here waits for a source that does not answer.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import replace
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Protocol

from perfconsole import garbage
from perfconsole.model.sample import Batch

if TYPE_CHECKING:
    from collections.abc import Iterable

    from perfconsole.clock import Clock
    from perfconsole.core.session import Session
    from perfconsole.model.entity import Entity
    from perfconsole.model.rule import Rule
    from perfconsole.model.snapshot import Snapshot

TICK_S = 1.0
_DRAW_S = 0.5
"""How long what can wait does wait for the first picture to be drawn."""
_EARLY_TICKS = 5
"""Seconds in which first answers are shown at once; after that one waking a second does for all sources."""
_GRACE_S = 1.0
"""A poll that outlasts its deadline by this much is broken off from outside."""


class Source(Protocol):
    """Something that is polled. Only its own thread calls `poll`; `interrupt` and `close` come from any thread."""

    kind: str
    deadline_s: float

    @property
    def name(self) -> str:
        """Name in health lines."""

    def poll(self, now: float, wall: float) -> tuple[Batch, ...]:
        """One poll; the batches say how long until the next."""

    def interrupt(self) -> None:
        """Break a poll in flight."""

    def close(self) -> None:
        """Let go of what it holds; may come twice."""


Later = Callable[[], tuple[list["Rule"], list[Source]]]
"""Gives rules and sources that may come after the first picture."""


_News = Batch | tuple[Source, ...] | None
"""What waits for the thread that ticks: a batch, sources that join, or the word to stop."""


class _Runner:
    """The thread of one source."""

    def __init__(self, source: Source, clock: Clock, out: SimpleQueue[_News], pace_s: float = 0.0) -> None:
        self.source = source
        self.pace_s = pace_s
        """Lower bound of the cadence, as the person at the screen sets it."""
        self._clock = clock
        self._out = out
        self._stop = threading.Event()
        self._busy_since: float | None = None
        self._thread = threading.Thread(target=self._run, name=f"source {source.name}", daemon=True)

    def start(self) -> None:
        now, wall = self._clock.now(), self._clock.wall()
        self._out.put(Batch(self.source.name, self.source.kind, now, wall, TICK_S))
        self._thread.start()

    def _run(self) -> None:
        while not self._stop.is_set():
            self._busy_since = self._clock.now()
            batches = self._timed_poll()
            self._busy_since = None
            if self._stop.is_set():
                self.source.close()  # the stop came while the poll was out, and only broke it
                return
            pace = self.pace_s
            for batch in batches:
                self._out.put(batch if batch.cadence_s >= pace else replace(batch, cadence_s=pace))
            self._stop.wait(max(pace, min((b.cadence_s for b in batches), default=TICK_S)))

    def _timed_poll(self) -> tuple[Batch, ...]:
        """The batches of one poll; sources that hold no clock are timed here."""
        started = self._clock.now()
        batches = self._poll()
        took = self._clock.now() - started
        return tuple(b if b.took_s is not None else replace(b, took_s=took) for b in batches)

    def _poll(self) -> tuple[Batch, ...]:
        now, wall = self._clock.now(), self._clock.wall()
        try:
            return self.source.poll(now, wall)
        except Exception as error:  # noqa: BLE001 - a fault of ours in one source must cost that source only
            text = f"fault in perfconsole, please report it: {type(error).__name__}: {error}"
            took = self._clock.now() - now
            return (Batch(self.source.name, self.source.kind, now + took, wall + took, 5.0, took_s=took, error=text),)

    def supervise(self, now: float) -> None:
        """Break a poll that outlasts its deadline; it then reports so itself."""
        busy = self._busy_since
        if busy is not None and now - busy > self.source.deadline_s + _GRACE_S:
            self.source.interrupt()

    def stop(self) -> None:
        """Ask the thread to end; never waits for it."""
        self._stop.set()
        if self._busy_since is None:
            self.source.close()
        else:
            self.source.interrupt()


class Monitor:
    """Runs sources against a session."""

    def __init__(self, session: Session, sources: Iterable[Source], clock: Clock) -> None:
        self._session = session
        self._clock = clock
        self._queue: SimpleQueue[_News] = SimpleQueue()
        self._runners = [_Runner(source, clock, self._queue) for source in sources]
        self._lock = threading.Lock()
        """Held while the session moves on, and while a history is read from another thread."""
        self._stopping = False
        self._pace_s = 0.0
        self._answered: set[str] = set()
        self.drawn = threading.Event()
        """Somebody has shown the first picture: what can wait may begin."""

    def run(self, seconds: float, on_snapshot: Callable[[Snapshot], None]) -> None:
        """Poll and tick for so long; `on_snapshot` gets every picture, the last one at the end of the time."""
        start = self._begin()
        try:
            ticks = max(1, round(seconds / TICK_S))
            for i in range(1, ticks + 1):
                self._drain_until(start + seconds * i / ticks)
                on_snapshot(self._tick())
                if i == 1:
                    garbage.settle()
        finally:
            self._end()

    def watch(self, on_snapshot: Callable[[Snapshot], None], later: Later | None = None) -> None:
        """Poll and tick until `stop`. The first answer of each source is shown at once, not at the next second.

        What `later` gives joins when the first picture has been drawn: the first numbers must not wait for it.
        """
        start = self._begin()
        try:
            i, first = 1, True
            while not self._stopping:
                if self._runners and self._wait_for(start + TICK_S * i, early=i <= _EARLY_TICKS):
                    i = int((self._clock.now() - start) / TICK_S) + 1
                if not self._stopping:
                    on_snapshot(self._tick())
                if first and later is not None:
                    self.drawn.wait(_DRAW_S)
                    rules, sources = later()
                    with self._lock:
                        self._session.adopt(rules)
                    self._admit(sources)
                if first:
                    garbage.settle()
                    first = False
        finally:
            self._end()

    def join(self, sources: Iterable[Source]) -> None:
        """Watch these too from now on; callable from any thread, also before the first poll."""
        self._queue.put(tuple(sources))

    def _admit(self, sources: Iterable[Source]) -> None:
        joining = [_Runner(source, self._clock, self._queue, self._pace_s) for source in sources]
        self._runners += joining
        for runner in joining:
            runner.start()

    def stop(self) -> None:
        """Let `watch` end; callable from any thread, waits for nothing."""
        self._stopping = True
        self._queue.put(None)

    def pace(self, seconds: float) -> None:
        """Poll at most once in so many seconds; sources that ask less often on their own stay as they are."""
        self._pace_s = seconds
        for runner in self._runners:
            runner.pace_s = seconds

    def trail(self, name: str, entity: Entity, end: float, step_s: float, columns: int) -> tuple[float | None, ...]:
        """History of one indicator, from any thread; see Session.trail."""
        with self._lock:
            return self._session.trail(name, entity, end, step_s, columns)

    def _begin(self) -> float:
        for runner in self._runners:
            runner.start()
        return self._clock.now()

    def _end(self) -> None:
        for runner in self._runners:
            runner.stop()

    def _tick(self) -> Snapshot:
        now = self._clock.now()
        with self._lock:
            snapshot = self._session.tick(now, self._clock.wall())
        for runner in self._runners:
            runner.supervise(now)
        return snapshot

    def _wait_for(self, deadline: float, *, early: bool) -> bool:
        """True at the deadline. A first answer ends the wait while sources start; later all is taken in at once."""
        if early:
            return self._drain_until(deadline, early=True)
        self._clock.sleep(deadline - self._clock.now())
        self._drain()
        return True

    def _drain_until(self, deadline: float, *, early: bool = False) -> bool:
        """Take in what comes until the deadline: True then, False when it ended sooner (news from a source, a stop)."""
        while (left := deadline - self._clock.now()) > 0:
            try:
                batch = self._queue.get(timeout=left)
            except Empty:
                return True
            if batch is None:
                return False
            news = self._take(batch)
            if early and news and self._queue.empty():
                return False
        self._drain()
        return True

    def _drain(self) -> None:
        while not self._queue.empty():
            batch = self._queue.get()
            if batch is None:
                return
            self._take(batch)

    def _take(self, news: Batch | tuple[Source, ...]) -> bool:
        """Take in a batch or sources; True for the first answer of a source."""
        if isinstance(news, tuple):
            self._admit(news)
            return False
        return self._apply(news)

    def _apply(self, batch: Batch) -> bool:
        with self._lock:
            self._session.apply(batch)
        if batch.took_s is None or batch.source in self._answered:
            return False
        self._answered.add(batch.source)
        return True
