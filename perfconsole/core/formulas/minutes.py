"""A line through the minute means of the last half hour or more: what creeps."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfconsole.core.fit import FITS, MIN_POINTS, Fit, fit
from perfconsole.model.sample import Missing

if TYPE_CHECKING:
    from perfconsole.core.frame import Frame
    from perfconsole.model.entity import Entity

HALF_HOUR_S = 1800.0
LINE_WINDOW_S = HALF_HOUR_S + 120.0
"""Holds half an hour of full minutes at every moment: one is still open, and minutes run a little over 60 s."""


def minute_line(frame: Frame, name: str, entity: Entity, window_s: float) -> Fit | Missing:
    """Line through the minute means of the window; WARMING_UP below half an hour of them."""
    track = frame.history.track(name, entity)
    # What had the name before the entity began anew (a number of a process used again) is no part of the line.
    points = track.minute_means(max(frame.t - window_s, track.since), frame.t) if track else []
    if len(points) < MIN_POINTS or points[-1][0] - points[0][0] < 0.95 * HALF_HOUR_S:
        return Missing.WARMING_UP
    return fit(points) or Missing.WARMING_UP


def minute_slope(frame: Frame, name: str, entity: Entity, window_s: float) -> float | Missing:
    """Growth a second along that line; 0 when no line fits (R2 > 0.9)."""
    line = minute_line(frame, name, entity, window_s)
    if isinstance(line, Missing):
        return line
    return line.slope if line.r2 > FITS else 0.0
