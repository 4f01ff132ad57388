"""Figures of an engine from those of its processes. Never counts a helper, never says 0 for an engine never seen."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfconsole.model.sample import Missing
from perfconsole.sources.linux.values import Values, every, highest
from perfconsole.sources.roles import Role

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_THREAD, _WHOLE = "host.process_cpu", "host.process_total_cpu"
_CPU = (
    ("engine.frontend_cpu", Role.FRONTEND, _THREAD),
    ("engine.frontend_core_demand", Role.FRONTEND, "host.process_core_demand"),
    ("engine.core_cpu", Role.CORE, _THREAD),
    ("engine.frontend_process_cpu", Role.FRONTEND, _WHOLE),
    ("engine.core_process_cpu", Role.CORE, _WHOLE),
    ("engine.worker_cpu", Role.WORKER, _WHOLE),
)
"""Engine indicator, and of which processes it is the highest of which figure."""
_WAIT = "engine.runqueue_ratio"
NAMES = (
    "engine.processes",
    "engine.stopped_processes",
    *(name for name, _, _ in _CPU),
    _WAIT,
    "engine.http_inflight",
    "engine.uptime",
)


def cpu(processes: Sequence[tuple[Role, Values]]) -> Values:
    """CPU of each part in cores, and how much it wants; NOT_EXPORTED for a part without a process of its own."""
    parts = {
        name: highest([values[figure] for role, values in processes if role is wanted], Missing.NOT_EXPORTED)
        for name, wanted, figure in _CPU
    }
    waits = [values["host.process_runqueue_ratio"] for _, values in processes]
    return parts | {_WAIT: highest(waits, Missing.NOT_EXPORTED)}


def stopped(states: Mapping[int, str], before: Mapping[int, str]) -> int:
    """Count processes stopped, traced or dead and not reaped, and those uninterruptible at this poll and the last."""
    return sum(state in "TtZ" or (state == "D" and before.get(pid) == "D") for pid, state in states.items())


def absent(reason: Missing, *, seen: bool) -> Values:
    """Give the figures of an engine that is not there: 0 processes where it was seen once, else why."""
    if not seen:
        unseen = Missing.NO_PERMISSION if reason is Missing.NO_PERMISSION else Missing.NEVER
        return every(NAMES, reason) | {"engine.processes": unseen}
    return every(NAMES, Missing.NEVER) | {"engine.processes": 0.0, "engine.stopped_processes": 0.0}
