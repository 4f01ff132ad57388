"""The engine's own numbers of a step, and the client's in the same stretch: from its first poll inside to its last."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfconsole.model.proberesult import ServerSide, Spread
from perfconsole.probing.spread import spread_of, spread_of_growth
from perfconsole.probing.window import Window, flow

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from perfconsole.model.enginestretch import EngineStretch, Points
    from perfconsole.model.probeload import LoadTick, RequestRecord
    from perfconsole.model.sample import Histogram


def server_side(
    stretch: EngineStretch, records: Iterable[RequestRecord], ticks: Sequence[LoadTick], offset: float
) -> ServerSide:
    """Both sides between the same two moments.

    `records` are requests of every part: the engine tells none apart. `ticks` ascend and reach over the stretch.
    `offset` is epoch seconds minus monotonic seconds: the client counts in the former, polls are in the latter.
    """
    window = Window(stretch.start + offset, stretch.end + offset)
    seen = flow(ticks, ticks[0].t if ticks else window.start, window)
    covered = seen.seconds >= window.seconds - 1e-6
    waiting = [value for _, value in stretch.waiting]
    return ServerSide(
        seconds=stretch.seconds,
        output_tokens=stretch.output_tokens,
        client_output_tokens=seen.tokens if covered else None,
        prompt_tokens=stretch.prompt_tokens,
        ttft=_grown(stretch.ttft),
        client_ttft=spread_of(ttft for r in records if (ttft := _first_within(r, window)) is not None),
        itl=_grown(stretch.itl),
        queue=_grown(stretch.queue),
        prefill=_grown(stretch.prefill),
        running=_mean(stretch.running),
        waiting=_mean(stretch.waiting),
        waiting_max=max(waiting, default=None),
        waiting_share=sum(value > 0 for value in waiting) / len(waiting) if waiting else None,
        client_inflight=seen.in_flight if covered else None,
        kv_usage=max((value for _, value in stretch.kv_usage), default=None),
        preemptions=stretch.preemptions,
        prefix_hit_ratio=_ratio(stretch.hit, stretch.looked_up),
        max_num_seqs=stretch.max_num_seqs,
    )


def _first_within(record: RequestRecord, window: Window) -> float | None:
    inside = record.first is not None and window.start <= record.first <= window.end
    return record.ttft if inside else None


def _grown(histogram: Histogram | None) -> Spread:
    return Spread() if histogram is None else spread_of_growth(histogram.bounds, histogram.counts, histogram.total)


def _mean(points: Points) -> float | None:
    return sum(value for _, value in points) / len(points) if points else None


def _ratio(part: float | None, whole: float | None) -> float | None:
    return part / whole if part is not None and whole else None
