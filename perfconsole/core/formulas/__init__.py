"""Derived indicators: each a small pure function of a frame, with its formula in the dictionary."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfconsole.core.formulas import (
    adder,
    batching,
    burst,
    counted,
    engine,
    gateway,
    gpu,
    grammars,
    graphs,
    host,
    kv,
    load,
    looplag,
    media,
    orchestration,
    polls,
    scaling,
    slowmode,
    speculation,
    stalls,
    starts,
    upstreamspread,
    weights,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from perfconsole.core.frame import Frame
    from perfconsole.model.entity import Entity
    from perfconsole.model.sample import Missing

    Formula = Callable[[Frame, Entity], float | Missing]

FORMULAS: Mapping[str, Formula] = {
    **gateway.FORMULAS,
    **slowmode.FORMULAS,
    **adder.FORMULAS,
    **upstreamspread.FORMULAS,
    **orchestration.FORMULAS,
    **looplag.FORMULAS,
    **batching.FORMULAS,
    **engine.FORMULAS,
    **counted.FORMULAS,
    **load.FORMULAS,
    **starts.FORMULAS,
    **kv.FORMULAS,
    **stalls.FORMULAS,
    **scaling.FORMULAS,
    **speculation.FORMULAS,
    **graphs.FORMULAS,
    **weights.FORMULAS,
    **media.FORMULAS,
    **grammars.FORMULAS,
    **polls.FORMULAS,
    **gpu.FORMULAS,
    **host.FORMULAS,
}
"""Formula of every derived indicator that is computed here."""

STATED = counted.STATED | set(looplag.FORMULAS)
"""Indicators that a source states, as a value or as a counter: they are shown of an entity that has them only."""

COMPARED = load.COMPARED
"""Indicators that a formula compares with their baseline."""

_FULL_WINDOWS_S = {
    **kv.FULL_WINDOWS_S,
    **host.FULL_WINDOWS_S,
    **gpu.FULL_WINDOWS_S,
    **burst.FULL_WINDOWS_S,
    **scaling.FULL_WINDOWS_S,
    **adder.FULL_WINDOWS_S,
}


def full_window_s(name: str, run_s: float | None) -> float:
    """Seconds of history without which this indicator cannot speak; 0 when two polls are enough."""
    if name == "engine.running_plateau":
        return batching.plateau_span_s(run_s)
    return _FULL_WINDOWS_S.get(name, 0.0)
