"""One source at work: when it is due, its polls, and how it is stopped. Whatever it does, it costs only itself."""

from __future__ import annotations

import threading
from contextlib import suppress
from dataclasses import replace
from math import inf
from typing import TYPE_CHECKING, Protocol

from perfconsole.model.sample import Batch

if TYPE_CHECKING:
    from collections.abc import Callable

    from perfconsole.clock import Clock

    Out = Callable[["Runner", Batch], object]
    """Takes what a runner brings, on the runner's thread."""

_PAUSE_S = 1.0
"""Until a source that gave nothing is asked again."""
_GRACE_S = 1.0
"""A poll that outlasts its deadline by this much is broken off from outside."""


class Source(Protocol):
    """Something that is polled. Only one thread calls `poll`; `interrupt` and `close` come from any thread."""

    kind: str
    deadline_s: float
    brief: bool
    """A poll only looks at this host and takes milliseconds: one thread is enough for all such sources of a kind."""

    @property
    def name(self) -> str:
        """Name in health lines."""

    def poll(self, now: float, wall: float) -> tuple[Batch, ...]:
        """One poll; the batches say how long until the next."""

    def interrupt(self) -> None:
        """Break a poll in flight."""

    def close(self) -> None:
        """Let go of what it holds; may come twice."""


class Runner:
    """One source between its first poll and its last."""

    def __init__(self, source: Source, clock: Clock, out: Out, pace_s: float) -> None:
        self.source = source
        self.pace_s = pace_s
        """Lower bound of the cadence, as the person at the screen sets it."""
        self.due = -inf
        """When the next poll is to begin; written by the thread that polls."""
        self.names: set[str] = set()
        """Names on its batches so far, as the thread that ticks has seen them: a page and its health come from one."""
        self._clock = clock
        self._out = out
        self._stop = threading.Event()
        self._busy_since: float | None = None

    def announce(self) -> None:
        """Say that there is this source, before anything is known of it."""
        now, wall = self._clock.now(), self._clock.wall()
        self._out(self, Batch(self.source.name, self.source.kind, now, wall, _PAUSE_S))

    def run(self) -> None:
        """Poll once, hand on what came, and set when the next poll is due."""
        self._busy_since = self._clock.now()
        batches = self._timed_poll()
        self._busy_since = None
        if self._stop.is_set():
            self._close()  # the stop came while the poll was out, and only broke it
            return
        pace = self.pace_s
        for batch in batches:
            self._out(self, batch if batch.cadence_s >= pace else replace(batch, cadence_s=pace))
        self.due = self._clock.now() + max(pace, min((b.cadence_s for b in batches), default=_PAUSE_S))

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

    def busy_s(self, now: float) -> float:
        """Seconds that the poll in flight has taken so far, 0 without one."""
        since = self._busy_since
        return 0.0 if since is None else now - since

    def supervise(self, now: float) -> None:
        """Break a poll that outlasts its deadline; it then reports so itself."""
        if self.busy_s(now) > self.source.deadline_s + _GRACE_S:
            self.source.interrupt()

    @property
    def stopped(self) -> bool:
        """Nobody wants another poll."""
        return self._stop.is_set()

    def stop(self) -> None:
        """Poll no more; never waits for a poll in flight."""
        self._stop.set()
        if self._busy_since is None:
            self._close()
        else:
            self.source.interrupt()

    def _close(self) -> None:
        """Let go of what it holds. A file that will not be closed must not end the thread that others share."""
        with suppress(OSError):
            self.source.close()
