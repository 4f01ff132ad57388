"""Prefill and the KV cache: prompt work in progress, and when the cache will be full."""

from __future__ import annotations

from math import inf, isnan
from typing import TYPE_CHECKING

from perfconsole.core.fit import FITS, MIN_POINTS, fit
from perfconsole.core.formulas.common import RATE_WINDOW_S, poll_window_s
from perfconsole.model.sample import Missing

if TYPE_CHECKING:
    from perfconsole.core.frame import Frame
    from perfconsole.model.entity import Entity

USAGE = "engine.kv_cache_usage"
FILL_WINDOW_S = 300.0
FULL_WINDOWS_S = {"engine.kv_time_to_full": FILL_WINDOW_S}


def prefill_rate(frame: Frame, engine: Entity) -> float | Missing:
    """Prompt tokens a second being computed now: prompt_rate, or what the growth of KV use says where that is more.

    vLLM counts a prompt only when its prefill ends, so a long one shows only in the KV gauge.
    """
    counted = frame.value("engine.prompt_rate", engine)
    grown = _kv_tokens_growth(frame, engine)
    generated = frame.value("engine.generation_rate", engine)
    if isinstance(grown, Missing) or isinstance(generated, Missing):
        return counted
    if isinstance(counted, Missing):
        return grown - generated if grown > generated else counted  # flat use proves no absence of prompts
    return max(counted, grown - generated, 0.0)


def _kv_tokens_growth(frame: Frame, engine: Entity) -> float | Missing:
    capacity = frame.value("engine.kv_cache_capacity", engine)
    if isinstance(capacity, Missing) or isinstance(frame.value(USAGE, engine), Missing):
        return Missing.NOT_EXPORTED
    window = poll_window_s(frame, USAGE, engine, RATE_WINDOW_S)
    line = fit(_mean_points(frame, engine, window))
    return Missing.WARMING_UP if line is None else line.slope * capacity


def _mean_points(frame: Frame, engine: Entity, window: float) -> list[tuple[float, float]]:
    """(t, mean KV use over the ranks that had one) of the polls in the window."""
    polls: dict[float, list[float]] = {}
    for series in frame.store.parts(USAGE, engine).values():
        for t, value in series.raw.points(frame.t - window, frame.t):
            polls.setdefault(t, []).append(value)
    return [(t, sum(values) / len(values)) for t, values in sorted(polls.items())]


def prefill_saturation(frame: Frame, engine: Entity) -> float | Missing:
    """prefill_rate / the highest seen in an earlier window; a peak that is only now being set would prove itself."""
    now = frame.value("engine.prefill_rate", engine)
    if isinstance(now, Missing) or now <= 0:
        return now
    peak = _earlier_peak(frame, engine)
    return now / max(now, peak) if peak > 0 else Missing.WARMING_UP


def _earlier_peak(frame: Frame, engine: Entity) -> float:
    track = frame.history.track("engine.prefill_rate", engine)
    if track is None:
        return 0.0
    ticks = [v for _, v in track.points(frame.t - 600, frame.t - RATE_WINDOW_S)]
    older = track.minutes.span(-inf, frame.t - 600)[1]  # a younger minute may hold the peak now being set
    highs = [track.minutes.row(i)[1] for i in range(older)]
    return max([*ticks, *(h for h in highs if not isnan(h))], default=0.0)


def kv_time_to_full(frame: Frame, engine: Entity) -> float | Missing:
    """Seconds until KV use reaches 1 on its line over 5 min (R2 > 0.9); infinite while it does not rise."""
    usage = frame.value(USAGE, engine)
    if isinstance(usage, Missing):
        return usage
    points = _mean_points(frame, engine, FILL_WINDOW_S)
    line = fit(points) if len(points) >= MIN_POINTS else None
    if line is None or frame.t - points[0][0] < 0.95 * FILL_WINDOW_S:
        return Missing.WARMING_UP
    return (1 - usage) / line.slope if line.slope > 0 and line.r2 > FITS else inf


FORMULAS = {
    "engine.prefill_rate": prefill_rate,
    "engine.prefill_saturation": prefill_saturation,
    "engine.kv_time_to_full": kv_time_to_full,
}
