"""What one task of an orchestrator takes of the engines, and how busy its process is where only its page says so."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfconsole.core.formulas.common import RATIO_WINDOW_S, arrivals, delta, least, quotient, rate
from perfconsole.model.entity import Kind
from perfconsole.model.sample import Missing

if TYPE_CHECKING:
    from perfconsole.core.frame import Frame
    from perfconsole.model.entity import Entity

REQUESTS = "orchestration.requests"
CALLS = "orchestration.llm_call_latency"
CPU = "orchestration.process_cpu"
SECONDS = (("part", "seconds"),)
MIN_TASKS = 5
"""Below this many finished tasks a ratio says nothing."""


def llm_calls_per_task(frame: Frame, orchestrator: Entity) -> float | Missing:
    """Model calls / finished tasks over 5 min: its own count, else what arrives at the engines behind it."""
    return quotient(_calls(frame, orchestrator), _tasks(frame, orchestrator))


def tokens_per_task(frame: Frame, orchestrator: Entity) -> float | Missing:
    """Tokens of all model calls / finished tasks over 5 min."""
    return quotient(delta(frame, "orchestration.llm_tokens", orchestrator), _tasks(frame, orchestrator))


def _tasks(frame: Frame, orchestrator: Entity) -> float | Missing:
    return least(delta(frame, REQUESTS, orchestrator), MIN_TASKS)


def _calls(frame: Frame, orchestrator: Entity) -> float | Missing:
    own = frame.increase(CALLS, orchestrator, RATIO_WINDOW_S)
    if not isinstance(own, Missing):
        return own.cells[-2]
    engines = frame.related(orchestrator, Kind.ENGINE)
    others = {o for engine in engines for o in frame.related(engine, Kind.ORCHESTRATOR)} - {orchestrator}
    # Of several nobody knows whose calls arrive there.
    return Missing.NOT_EXPORTED if others else arrivals(frame, engines, RATIO_WINDOW_S)


def process_cpu(frame: Frame, orchestrator: Entity) -> float | Missing:
    """Busiest thread, in cores; of a process out of reach, all threads by the CPU time that its page gives."""
    seen = frame.store.parts(CPU, orchestrator)
    if seen and SECONDS in seen:
        return rate(frame, CPU, orchestrator, match=SECONDS)
    return frame.folded(CPU, orchestrator)


FORMULAS = {
    "orchestration.llm_calls_per_task": llm_calls_per_task,
    "orchestration.tokens_per_task": tokens_per_task,
    "orchestration.process_cpu": process_cpu,
}
