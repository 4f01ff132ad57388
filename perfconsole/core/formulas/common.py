"""What several formulas share: rates, ratios of counters, and windows that suit the cadence of a source."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfconsole.model.sample import Missing

if TYPE_CHECKING:
    from perfconsole.core.frame import Frame
    from perfconsole.core.store import Labels
    from perfconsole.model.entity import Entity

RATE_WINDOW_S = 10.0
RATIO_WINDOW_S = 300.0


def poll_window_s(frame: Frame, name: str, entity: Entity, at_least: float) -> float:
    """A window that holds two polls even when its source polls slowly: 2.5 cadences at the least."""
    return max(at_least, 2.5 * frame.cadence_s(name, entity))


def rate(
    frame: Frame, name: str, entity: Entity, window_s: float = RATE_WINDOW_S, match: Labels = ()
) -> float | Missing:
    """Increase a second of a counter, or of the count of a histogram, over the window."""
    grown = frame.increase(name, entity, poll_window_s(frame, name, entity, window_s), match)
    if isinstance(grown, Missing):
        return grown
    count = grown.cells[0] if len(grown.cells) == 1 else grown.cells[-2]
    return count / grown.seconds


def delta(
    frame: Frame, name: str, entity: Entity, window_s: float = RATIO_WINDOW_S, match: Labels = ()
) -> float | Missing:
    """Increase of a counter over the window, or over what there is of it."""
    grown = frame.increase(name, entity, poll_window_s(frame, name, entity, window_s), match)
    return grown if isinstance(grown, Missing) else grown.cells[0]


def least(count: float | Missing, enough: float) -> float | Missing:
    """The count, WARMING_UP while it is too small to divide by."""
    return Missing.WARMING_UP if not isinstance(count, Missing) and count < enough else count


def quotient(part: float | Missing, whole: float | Missing) -> float | Missing:
    """part / whole; NEVER when the whole is 0."""
    if isinstance(part, Missing):
        return part
    if isinstance(whole, Missing):
        return whole
    return part / whole if whole > 0 else Missing.NEVER


def number(value: float | Missing, default: float) -> float:
    """The value, or the default where it is missing."""
    return default if isinstance(value, Missing) else value
