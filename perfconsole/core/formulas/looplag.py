"""How late an event loop runs what is due: as its source states it, else from the delays that its monitor counted."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfconsole.core.formulas.common import RATE_WINDOW_S, poll_window_s
from perfconsole.core.quantile import quantile
from perfconsole.model.sample import Missing

if TYPE_CHECKING:
    from collections.abc import Callable

    from perfconsole.core.frame import Frame
    from perfconsole.model.entity import Entity


def loop_lag(layer: str) -> Callable[[Frame, Entity], float | Missing]:
    """Lag of the loops of one layer, in seconds."""
    return lambda frame, entity: _lag(frame, entity, f"{layer}.loop_lag", f"{layer}.loop_delay")


def _lag(frame: Frame, entity: Entity, lag: str, delay: str) -> float | Missing:
    """The worst delay as its source states it, else p99 of the delays of the last 10 s."""
    stated = frame.folded(lag, entity)
    if not isinstance(stated, Missing):
        return stated
    grown = frame.increase(delay, entity, poll_window_s(frame, delay, entity, RATE_WINDOW_S))
    if isinstance(grown, Missing):
        return grown if stated is Missing.NEVER else stated
    found = quantile(0.99, grown.bounds or (), grown.cells[:-1])
    return Missing.NEVER if found is None else found


FORMULAS = {
    "gateway.loop_lag": loop_lag("gateway"),
    "orchestration.loop_lag": loop_lag("orchestration"),
}
