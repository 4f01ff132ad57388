"""The runners of all sources and their threads. Whatever one of them does, the others go on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfconsole.lane import Lane
from perfconsole.runner import Runner

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from perfconsole.clock import Clock
    from perfconsole.model.sample import Batch
    from perfconsole.runner import Out, Source


class Crew:
    """All runners. Only the thread that ticks calls it, but for `pace`, which only writes numbers."""

    def __init__(self, clock: Clock, out: Out) -> None:
        self._clock = clock
        self._out = out
        self._runners: list[Runner] = []
        self._lanes: list[Lane] = []
        self._shared: dict[str, Lane] = {}
        """Those of them that brief sources share, by kind: what is slow here and there delays none but its like."""
        self._pace_s = 0.0

    def __bool__(self) -> bool:
        return bool(self._runners)

    def admit(self, sources: Iterable[Source]) -> None:
        """Start to poll them."""
        joining = [Runner(source, self._clock, self._out, self._pace_s) for source in sources]
        self._runners += joining
        for runner in joining:
            runner.announce()
            if not runner.source.brief:
                self._open(runner.source.name, [runner])
        for kind in dict.fromkeys(runner.source.kind for runner in joining if runner.source.brief):
            self._share(kind, [runner for runner in joining if runner.source.brief and runner.source.kind == kind])

    def _open(self, name: str, runners: list[Runner]) -> Lane:
        lane = Lane(f"source {name}", runners, self._clock)
        self._lanes.append(lane)
        return lane

    def _share(self, kind: str, brief: list[Runner]) -> None:
        """Have one thread poll them beside those of the kind that it polls already."""
        if kind not in self._shared or not self._shared[kind].take(brief):
            self._shared[kind] = self._open(kind, brief)

    def dismiss(self, sources: Collection[Source]) -> set[str]:
        """Stop to poll them for good; names of what they gave."""
        leaving = [runner for runner in self._runners if runner.source in sources]
        self._runners = [runner for runner in self._runners if runner not in leaving]
        self._stop(leaving)
        return {name for runner in leaving for name in runner.names}

    def _stop(self, runners: Iterable[Runner]) -> None:
        for runner in runners:
            runner.stop()
        for lane in self._lanes:
            lane.wake()
        self._lanes = [lane for lane in self._lanes if not lane.ended]

    def heard(self, runner: Runner, batch: Batch) -> bool:
        """Take note of a batch; False for one of a runner that has left while its poll was out."""
        runner.names.add(batch.source)
        return not runner.stopped

    def pace(self, seconds: float) -> None:
        """Poll at most once in so many seconds; sources that ask less often on their own stay as they are."""
        self._pace_s = seconds
        for runner in self._runners:
            runner.pace_s = seconds

    def supervise(self, now: float) -> None:
        """Break off what is overdue, and let the brief ones go on past one that turns out not to be."""
        for runner in self._runners:
            runner.supervise(now)
        for kind, lane in self._shared.items():
            waiting = lane.forsake(now)
            if waiting:
                self._shared[kind] = self._open(kind, waiting)

    def stop(self) -> None:
        """Ask all threads to end; waits for none."""
        self._stop(self._runners)
