"""How often an engine began anew while this session watched it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfconsole.model.sample import Missing

if TYPE_CHECKING:
    from perfconsole.core.frame import Frame
    from perfconsole.model.entity import Entity

_SIGNS_OF_LIFE = ("engine.uptime", "engine.up", "engine.processes")


def restarts(frame: Frame, engine: Entity) -> float | Missing:
    """Starts seen in the last 6 h, the first left out; missing for an engine that no source has had a sign of.

    0 says that none was seen since the session began, which may be later than six hours ago.
    """
    if not any(frame.store.parts(name, engine) for name in _SIGNS_OF_LIFE):
        return Missing.NEVER
    return float(frame.store.restarts.count(engine, frame.t))


FORMULAS = {"engine.restarts": restarts}
