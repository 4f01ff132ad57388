"""The threads of the sources, one each, and who of them is at work. Whatever one of them does, the others go on."""

from __future__ import annotations

import threading
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol

from perfconsole.model.sample import Batch

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable

    from perfconsole.clock import Clock

    Out = Callable[["Runner", Batch], object]
    """Takes what a runner brings, on the runner's thread."""

_PAUSE_S = 1.0
"""Until a source that gave nothing is asked again."""
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


class Runner:
    """The thread of one source."""

    def __init__(self, source: Source, clock: Clock, out: Out, pace_s: float) -> None:
        self.source = source
        self.pace_s = pace_s
        """Lower bound of the cadence, as the person at the screen sets it."""
        self._clock = clock
        self._out = out
        self._stop = threading.Event()
        self.names: set[str] = set()
        """Names on its batches so far, as the thread that ticks has seen them: a page and its health come from one."""
        self._busy_since: float | None = None
        self._thread = threading.Thread(target=self._run, name=f"source {source.name}", daemon=True)

    def start(self) -> None:
        """Announce the source and begin to poll it."""
        now, wall = self._clock.now(), self._clock.wall()
        self._put(Batch(self.source.name, self.source.kind, now, wall, _PAUSE_S))
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
                self._put(batch if batch.cadence_s >= pace else replace(batch, cadence_s=pace))
            self._stop.wait(max(pace, min((b.cadence_s for b in batches), default=_PAUSE_S)))

    def _put(self, batch: Batch) -> None:
        self._out(self, batch)

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


class Crew:
    """All runners. Only the thread that ticks calls it, but for `pace`, which only writes numbers."""

    def __init__(self, clock: Clock, out: Out) -> None:
        self._clock = clock
        self._out = out
        self._runners: list[Runner] = []
        self._pace_s = 0.0

    def __bool__(self) -> bool:
        return bool(self._runners)

    def admit(self, sources: Iterable[Source]) -> None:
        """Start to poll them."""
        joining = [Runner(source, self._clock, self._out, self._pace_s) for source in sources]
        self._runners += joining
        for runner in joining:
            runner.start()

    def dismiss(self, sources: Collection[Source]) -> set[str]:
        """Stop to poll them for good; names of what they gave."""
        leaving = [runner for runner in self._runners if runner.source in sources]
        self._runners = [runner for runner in self._runners if runner not in leaving]
        for runner in leaving:
            runner.stop()
        return {name for runner in leaving for name in runner.names}

    def heard(self, runner: Runner, batch: Batch) -> bool:
        """Take note of a batch; False for one of a runner that has left while its poll was out."""
        runner.names.add(batch.source)
        return runner in self._runners

    def pace(self, seconds: float) -> None:
        """Poll at most once in so many seconds; sources that ask less often on their own stay as they are."""
        self._pace_s = seconds
        for runner in self._runners:
            runner.pace_s = seconds

    def supervise(self, now: float) -> None:
        """Break off what is overdue."""
        for runner in self._runners:
            runner.supervise(now)

    def stop(self) -> None:
        """Ask all threads to end; waits for none."""
        for runner in self._runners:
            runner.stop()
