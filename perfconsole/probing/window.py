"""The stretch of a step in which the load was steady, and what the ticks say of it.

began     full                    closed        ended
  |--burst--|=======================|=============|      closed loop: others keep the slots busy behind `closed`
  |---------------e2e---|===========|                    open loop: after one request's time as many end as begin
"""

from __future__ import annotations

from math import floor
from typing import TYPE_CHECKING, NamedTuple

from perfconsole.model.probeplan import Shape

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from perfconsole.model.probeload import LoadTick, StepRecord

SHORTEST_S = 0.5
"""Ticks come twice a second: in less there is nothing to count."""
_KEPT_UP = 0.9
"""Share of the asked concurrency down to which the slots count as busy behind `closed`."""


class Window(NamedTuple):
    """A stretch of epoch seconds."""

    start: float
    end: float

    @property
    def seconds(self) -> float:
        """Length, never below 0."""
        return max(0.0, self.end - self.start)


class Flow(NamedTuple):
    """What the ticks hold of a window; a tick at its edge counts in part."""

    seconds: float
    """How much of the window the ticks cover."""
    tokens: float
    busy_s: float
    cpu_s: float

    @property
    def tokens_per_s(self) -> float | None:
        """Output tokens by arrival; None where no tick covers the window."""
        return self.tokens / self.seconds if self.seconds > 0 else None

    @property
    def in_flight(self) -> float | None:
        """Mean number of requests under way."""
        return self.busy_s / self.seconds if self.seconds > 0 else None


def steady_window(record: StepRecord, shape: Shape, ticks: Sequence[LoadTick], e2e_s: float) -> Window:
    """Where the load was steady; the whole step where that is shorter than half a second or a median request.

    `e2e_s` is the median time of a request. Streams that began together stay together for a while, so a closed loop is
    looked at over whole requests: two of them and a half would count the pause of a prefill twice and a decode thrice.
    """
    whole = Window(record.began, record.ended)
    if shape in (Shape.BURST, Shape.REPLAY):
        return whole
    start = record.began if record.full is None else record.full
    if shape is Shape.RATE:
        found = Window(max(start, record.began + e2e_s), record.closed)
        return found if found.seconds >= max(SHORTEST_S, e2e_s) else whole
    found = Window(max(start, _settled(record, ticks)), _end_of_load(record, ticks))
    if found.seconds < max(SHORTEST_S, e2e_s):
        return whole
    return Window(found.end - floor(found.seconds / e2e_s) * e2e_s, found.end) if e2e_s > 0 else found


def _settled(record: StepRecord, ticks: Sequence[LoadTick]) -> float:
    """When the streams of a step with more of them have ended; the beginning where there were none."""
    more = (tick.t for tick in ticks if record.began < tick.t <= record.ended and tick.inflight > record.asked)
    return max(more, default=record.began)


def _end_of_load(record: StepRecord, ticks: Sequence[LoadTick]) -> float:
    """The end of the step where the slots stayed busy until then, else the start of its last request."""
    tail = flow(ticks, record.began, Window(record.closed, record.ended)).in_flight
    return record.ended if tail is None or tail >= _KEPT_UP * record.asked else record.closed


def flow(ticks: Sequence[LoadTick], began: float, window: Window) -> Flow:
    """Sums over a window. A first tick from before `began` only tells where the next one begins."""
    parts = [(tick, share, seconds) for tick, share, seconds in _parts(ticks, began, window) if share > 0]
    return Flow(
        seconds=sum(seconds for _, _, seconds in parts),
        tokens=sum(share * tick.tokens for tick, share, _ in parts),
        busy_s=sum(share * tick.busy_s for tick, share, _ in parts),
        cpu_s=sum(share * tick.cpu_s for tick, share, _ in parts),
    )


def within(ticks: Sequence[LoadTick], began: float, window: Window) -> list[LoadTick]:
    """The ticks of which a part lies in the window."""
    return [tick for tick, share, _ in _parts(ticks, began, window) if share > 0]


def _parts(ticks: Sequence[LoadTick], began: float, window: Window) -> Iterator[tuple[LoadTick, float, float]]:
    """(tick, share of it in the window, seconds of that share)."""
    start = min(began, ticks[0].t) if ticks else began
    for tick in ticks:
        length = tick.t - start
        if length > 0:
            inside = max(0.0, min(tick.t, window.end) - max(start, window.start))
            yield tick, min(1.0, inside / length), inside
            start = tick.t
