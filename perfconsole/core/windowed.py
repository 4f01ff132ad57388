"""Quantiles and means of a histogram: over the last minute, and over the life of the exporting process."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from perfconsole.core.distribution import QUANTILES, lifetime_figures, read_figures
from perfconsole.model.entity import Kind
from perfconsole.model.sample import Missing

if TYPE_CHECKING:
    from perfconsole.core.frame import Frame
    from perfconsole.model.entity import Entity

QUIET_S = 10.0
"""As long as a rate looks back: what has no rate of tokens any more has no time between them either."""
QUANTILE_WINDOW_S = 60.0
"""Quantiles and means are over the polls of the last minute, or three cadences where polls are sparser."""


def windowed(frame: Frame, base: str, suffix: str, entity: Entity) -> float | Missing:
    """The suffix over the polls of the window; NEVER without an observation in it."""
    found = frame.once((f"{base} over its window", entity), partial(_figures, frame, base, entity))
    return found if isinstance(found, Missing) else found[suffix]


def _figures(frame: Frame, base: str, entity: Entity) -> dict[str, float | Missing] | Missing:
    """Every suffix; why there is none where that holds for all."""
    grown = frame.increase(base, entity, _window_s(frame, base, entity))
    if isinstance(grown, Missing):
        return grown
    bounds = grown.bounds or ()
    over = _over(frame, base, entity)
    read = read_figures(bounds, grown.cells)
    found = {suffix: Missing.NEVER if over or figure is None else figure for suffix, figure in read.items()}
    if len(bounds) < 2:  # only sum and count are exported
        found |= dict.fromkeys(QUANTILES, Missing.UNSUPPORTED)
    return found


def lifetime(frame: Frame, name: str, entity: Entity) -> float | None:
    """The same suffix over the life of the exporting process; None for anything but a histogram suffix."""
    base, suffix = frame.dictionary.split(name)
    if not suffix:
        return None
    found = frame.once((f"{base} over its life", entity), partial(_life, frame, base, entity))
    return found.get(suffix)


def beyond(frame: Frame, name: str, entity: Entity, value: float) -> bool:
    """A quantile lies behind the last finite bound of its buckets, which is all that is known of it."""
    base, suffix = frame.dictionary.split(name)
    if suffix not in QUANTILES:
        return False
    every = (s.bounds for s in frame.store.parts(base, entity).values())
    return any(bounds is not None and len(bounds) > 1 and value >= bounds[-2] for bounds in every)


def _life(frame: Frame, base: str, entity: Entity) -> dict[str, float | None]:
    current = frame.store.current(base, entity, frame.t)
    return {} if isinstance(current, Missing) else lifetime_figures(current.values())


def _over(frame: Frame, base: str, entity: Entity) -> bool:
    """An engine that holds no request and has had no observation for a while: a minute ago is not now.

    Without this the latency of an overload would stay on an idle engine for as long as the window.
    """
    if entity.kind is not Kind.ENGINE:
        return False
    held = [frame.value(n, entity) for n in ("engine.requests_running", "engine.requests_waiting")]
    if any(isinstance(v, Missing) or v > 0 for v in held):
        return False
    lately = frame.increase(base, entity, max(QUIET_S, _window_s(frame, base, entity) / 6))
    return not isinstance(lately, Missing) and _observations(lately.cells) <= 0


def _window_s(frame: Frame, name: str, entity: Entity) -> float:
    return max(QUANTILE_WINDOW_S, 3 * frame.cadence_s(name, entity))


def _observations(cells: tuple[float, ...]) -> float:
    """Count in a row of cumulative counts with the sum as last cell."""
    return cells[-2] if len(cells) > 1 else cells[0]
