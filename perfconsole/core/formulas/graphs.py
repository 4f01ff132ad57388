"""Captured graphs: how large a decode batch they hold, and how many of the steps run from one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfconsole.core.formulas.common import delta, number, quotient
from perfconsole.model.sample import Missing

if TYPE_CHECKING:
    from perfconsole.core.frame import Frame
    from perfconsole.model.entity import Entity

CAPTURED = "engine.captured_batch"
RATIO = "engine.graph_ratio"
TOKENS = (("part", "tokens"),)
"""Largest captured size as a command line states it: in tokens of a step, not in requests."""
GRAPH = (("part", "graph"),)
PASSES = (("part", "passes"),)
WINDOW_S = 60.0


def captured_batch(frame: Frame, engine: Entity) -> float | Missing:
    """Largest captured size / tokens that a step has of each request: one, and those of the draft."""
    tokens = frame.folded(CAPTURED, engine, TOKENS)
    if isinstance(tokens, Missing):
        return tokens
    return tokens // (1.0 + number(frame.value("engine.spec_tokens", engine), 0.0))


def graph_ratio(frame: Frame, engine: Entity) -> float | Missing:
    """Decode passes from a graph / all decode passes over 1 min."""
    return quotient(delta(frame, RATIO, engine, WINDOW_S, GRAPH), delta(frame, RATIO, engine, WINDOW_S, PASSES))


FORMULAS = {CAPTURED: captured_batch, RATIO: graph_ratio}
