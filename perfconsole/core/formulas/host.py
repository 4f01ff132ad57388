"""Creeping resources of a host and its processes: slopes over the minutes, and the time until they run out."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING

from perfconsole.core.formulas.common import number
from perfconsole.core.formulas.minutes import HALF_HOUR_S, LINE_WINDOW_S, minute_slope
from perfconsole.model.entity import Kind
from perfconsole.model.sample import Missing

if TYPE_CHECKING:
    from perfconsole.core.frame import Frame
    from perfconsole.model.entity import Entity

RSS_WINDOW_S = 7200.0
FULL_WINDOWS_S = {
    "host.process_rss_growth": HALF_HOUR_S,
    "host.process_rss_time_to_full": HALF_HOUR_S,
    "host.process_fd_time_to_full": HALF_HOUR_S,
    "host.mem_time_to_full": HALF_HOUR_S,
}


def process_rss_growth(frame: Frame, process: Entity) -> float | Missing:
    """Bytes a second that resident memory grows over up to 2 h; 0 when no line fits (R2 > 0.9)."""
    if isinstance(rss := frame.value("host.process_rss", process), Missing):
        return rss
    return minute_slope(frame, "host.process_rss", process, RSS_WINDOW_S)


def process_rss_time_to_full(frame: Frame, process: Entity) -> float | Missing:
    """Seconds until the memory that the host still has is taken at this growth; infinite without growth."""
    growth = frame.value("host.process_rss_growth", process)
    left = _host_value(frame, process, "host.mem_available")
    if isinstance(growth, Missing):
        return growth
    if isinstance(left, Missing):
        return left
    return left / growth if growth > 0 else inf


def _host_value(frame: Frame, entity: Entity, name: str) -> float | Missing:
    hosts = frame.related(entity, Kind.HOST)
    return frame.value(name, hosts[0]) if hosts else Missing.NEVER


def mem_time_to_full(frame: Frame, host: Entity) -> float | Missing:
    """Seconds until available memory is 0 on its line over 30 min (R2 > 0.9); infinite while it does not fall."""
    left = frame.value("host.mem_available", host)
    if isinstance(left, Missing):
        return left
    slope = minute_slope(frame, "host.mem_available", host, LINE_WINDOW_S)
    if isinstance(slope, Missing):
        return slope
    return left / -slope if slope < 0 else inf


def process_fd_time_to_full(frame: Frame, process: Entity) -> float | Missing:
    """Seconds until the descriptor limit on the line over 30 min (R2 > 0.9); infinite while it does not rise."""
    used, limit = frame.value("host.process_fds", process), frame.value("host.process_fd_limit", process)
    if isinstance(used, Missing):
        return used
    if isinstance(limit, Missing):
        return limit
    slope = minute_slope(frame, "host.process_fds", process, LINE_WINDOW_S)
    if isinstance(slope, Missing):
        return slope
    return (limit - used) / slope if slope > 0 else inf


def cpu_elsewhere(frame: Frame, host: Entity) -> float | Missing:
    """Share of the cores used by processes of nothing watched; missing while one that is watched has no figure."""
    busy, cores = frame.value("host.cpu_utilization", host), frame.value("host.cores", host)
    own = [frame.value("host.process_total_cpu", process) for process in frame.related(host, Kind.PROCESS)]
    missing = next((value for value in (busy, cores, *own) if isinstance(value, Missing)), None)
    if missing is not None or not own:
        return missing or Missing.NEVER
    return max(0.0, number(busy, 0.0) - sum(number(value, 0.0) for value in own) / number(cores, 1.0))


FORMULAS = {
    "host.cpu_elsewhere": cpu_elsewhere,
    "host.process_rss_growth": process_rss_growth,
    "host.process_rss_time_to_full": process_rss_time_to_full,
    "host.mem_time_to_full": mem_time_to_full,
    "host.process_fd_time_to_full": process_fd_time_to_full,
}
