"""What one task of an orchestrator takes of the engines, and how busy its process is where only its page says so."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfconsole.core.formulas.common import RATIO_WINDOW_S, rate
from perfconsole.core.formulas.perunit import per_unit
from perfconsole.core.formulas.tally import Tally, arrivals, held, tally
from perfconsole.model.entity import Entity, Kind, Relation
from perfconsole.model.sample import Missing

if TYPE_CHECKING:
    from perfconsole.core.frame import Frame

REQUESTS = "orchestration.requests"
INFLIGHT = "orchestration.inflight"
CALLS = "orchestration.llm_call_latency"
CPU = "orchestration.process_cpu"
SECONDS = (("part", "seconds"),)
MIN_TASKS = 5
"""Below this many finished tasks a ratio says nothing."""


def llm_calls_per_task(frame: Frame, orchestrator: Entity) -> float | Missing:
    """Model calls / tasks over 5 min, what is in flight at the ends taken into account.

    Its own count of the calls; else the requests of the gateways that it calls; else what arrives at the engines.
    """
    return _of_a_task(frame, orchestrator, _calls(frame, orchestrator))


def tokens_per_task(frame: Frame, orchestrator: Entity) -> float | Missing:
    """Tokens of all model calls / tasks over 5 min."""
    tokens = tally(frame, "orchestration.llm_tokens", orchestrator)
    return _of_a_task(frame, orchestrator, tokens if isinstance(tokens, Missing) else [tokens])


def _of_a_task(frame: Frame, orchestrator: Entity, parts: list[Tally] | Missing) -> float | Missing:
    tasks = tally(frame, REQUESTS, orchestrator)
    if isinstance(parts, Missing):
        return parts
    if isinstance(tasks, Missing):
        return tasks
    return per_unit(parts, tasks, held(frame, INFLIGHT, orchestrator), MIN_TASKS)


def _calls(frame: Frame, orchestrator: Entity) -> list[Tally] | Missing:
    own = tally(frame, CALLS, orchestrator)
    if not isinstance(own, Missing):
        return [own]
    gateways = _called(frame, orchestrator)
    served = gateways or list(frame.related(orchestrator, Kind.ENGINE))
    others = {o for each in served for o in _callers(frame, each)} - {orchestrator}
    if any(_active(frame, other) for other in sorted(others)):
        return Missing.NOT_EXPORTED  # nobody knows whose calls arrive there
    return _requests(frame, gateways) if gateways else arrivals(frame, served)


def _requests(frame: Frame, gateways: list[Entity]) -> list[Tally] | Missing:
    found = [tally(frame, "gateway.requests", gateway) for gateway in gateways]
    reason = next((f for f in found if isinstance(f, Missing)), None)
    return reason or [f for f in found if not isinstance(f, Missing)]


def _called(frame: Frame, orchestrator: Entity) -> list[Entity]:
    """Gateways that it calls: what they count leaves out those who go past them to the engines."""
    links = frame.topology.links
    return [k.child for k in links if k.relation is Relation.ORCHESTRATOR_TO_GATEWAY and k.parent == orchestrator]


def _callers(frame: Frame, served: Entity) -> list[Entity]:
    relations = (Relation.ORCHESTRATOR_TO_GATEWAY, Relation.ORCHESTRATOR_TO_ENGINE)
    return [k.parent for k in frame.topology.links if k.relation in relations and k.child == served]


def _active(frame: Frame, other: Entity) -> bool:
    """It may have called in the window: its tasks moved, or it does not count them and may hold some."""
    moved = frame.store.points(REQUESTS, other, frame.t - RATIO_WINDOW_S, frame.t)
    if moved:
        return moved[-1][1] != moved[0][1]
    inflight = frame.store.points(INFLIGHT, other, frame.t - RATIO_WINDOW_S, frame.t)
    return not inflight or any(value > 0 for _, value in inflight)


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
