"""How often an engine began anew."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfconsole.model.sample import Missing

if TYPE_CHECKING:
    from perfconsole.core.frame import Frame
    from perfconsole.model.entity import Entity

WINDOW_S = 6 * 3600.0


def restarts(frame: Frame, engine: Entity) -> float | Missing:
    """Starts seen in 6 h, the first one left out; missing where nothing shows when it started and none was seen."""
    seen = frame.store.restarts.count(engine, frame.t - WINDOW_S)
    if seen:
        return float(seen)
    uptime = frame.value("engine.uptime", engine)
    return uptime if isinstance(uptime, Missing) else 0.0


FORMULAS = {"engine.restarts": restarts}
