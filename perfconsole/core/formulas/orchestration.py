"""What one task of an orchestrator takes of the engines, and how busy its process is where only its page says so."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfconsole.core.formulas.common import RATE_WINDOW_S, RATIO_WINDOW_S, poll_window_s, quotient, rate
from perfconsole.core.formulas.perunit import per_unit
from perfconsole.core.formulas.tally import Tally, arrivals, held, tally
from perfconsole.core.quantile import quantile
from perfconsole.model.entity import Entity, Kind, Relation
from perfconsole.model.sample import Missing

if TYPE_CHECKING:
    from collections.abc import Iterable

    from perfconsole.core.frame import Frame
    from perfconsole.core.series import Increase

REQUESTS = "orchestration.requests"
INFLIGHT = "orchestration.inflight"
CALLS = ("orchestration.llm_call_latency", "orchestration.llm_calls")
"""What counts its own model calls, best first."""
PROMPTS = ("orchestration.llm_prompt_length", "engine.prompt_length")
LAG, DELAY = "orchestration.loop_lag", "orchestration.loop_delay"
CPU = "orchestration.process_cpu"
SECONDS = (("part", "seconds"),)
MIN_TASKS = 5
"""Below this many finished tasks a ratio says nothing."""
MIN_PROMPTS = 20
"""Below this many prompts the tenth part of them is one or two."""
_LAYERS = {Kind.ENGINE: "engine", Kind.GATEWAY: "gateway"}
LONG, SHORT = 0.90, 0.10
"""Quantiles of the prompts that stand for late and for early calls."""


def llm_calls_per_task(frame: Frame, orchestrator: Entity) -> float | Missing:
    """Model calls / tasks over 5 min, what is in flight at the ends taken into account.

    Its own count of the calls; else the requests of the gateways that it calls; else what arrives at the engines.
    """
    return _of_a_task(frame, orchestrator, _calls(frame, orchestrator))


def tokens_per_task(frame: Frame, orchestrator: Entity) -> float | Missing:
    """Tokens of all model calls / tasks over 5 min."""
    tokens = tally(frame, "orchestration.llm_tokens", orchestrator)
    return _of_a_task(frame, orchestrator, tokens if isinstance(tokens, Missing) else [tokens])


def tool_calls_per_task(frame: Frame, orchestrator: Entity) -> float | Missing:
    """Tool calls / tasks over 5 min."""
    return _each_task(frame, orchestrator, "orchestration.tool_call_time")


def retrievals_per_task(frame: Frame, orchestrator: Entity) -> float | Missing:
    """Retrievals / tasks over 5 min."""
    return _each_task(frame, orchestrator, "orchestration.retrieval_time")


def context_builds_per_task(frame: Frame, orchestrator: Entity) -> float | Missing:
    """Prompts built / tasks over 5 min."""
    return _each_task(frame, orchestrator, "orchestration.context_build_time")


def context_growth(frame: Frame, orchestrator: Entity) -> float | Missing:
    """Long prompts / short ones over 5 min, by its own count, else by that of the engines that it alone calls."""
    own = _grown(frame, PROMPTS[0], [orchestrator])
    if not isinstance(own, Missing):
        return _spread(own)
    engines = list(frame.related(orchestrator, Kind.ENGINE))
    if not engines or _shared(frame, orchestrator, [*_called(frame, orchestrator), *engines]):
        return own
    served = _grown(frame, PROMPTS[1], engines)
    return own if isinstance(served, Missing) else _spread(served)


def _grown(frame: Frame, name: str, entities: Iterable[Entity]) -> list[Increase] | Missing:
    found = [frame.increase(name, e, poll_window_s(frame, name, e, RATIO_WINDOW_S)) for e in entities]
    reason = next((f for f in found if isinstance(f, Missing)), None)
    return reason or [f for f in found if not isinstance(f, Missing)]


def _spread(grown: list[Increase]) -> float | Missing:
    """Ratio of the two quantiles over all of these; UNSUPPORTED where a source has sum and count alone."""
    bounds = grown[0].bounds or ()
    if len(bounds) < 2 or any(g.bounds != bounds for g in grown):
        return Missing.UNSUPPORTED
    counts = [sum(cells) for cells in zip(*(g.cells[:-1] for g in grown), strict=True)]
    if counts[-1] < MIN_PROMPTS:
        return Missing.WARMING_UP
    long, short = (quantile(q, bounds, counts) for q in (LONG, SHORT))
    return Missing.NEVER if long is None or short is None else quotient(long, short)


def _each_task(frame: Frame, orchestrator: Entity, name: str) -> float | Missing:
    """Observations of a histogram of its own / tasks."""
    found = tally(frame, name, orchestrator)
    return _of_a_task(frame, orchestrator, found if isinstance(found, Missing) else [found])


def _of_a_task(frame: Frame, orchestrator: Entity, parts: list[Tally] | Missing) -> float | Missing:
    tasks = tally(frame, REQUESTS, orchestrator)
    if isinstance(parts, Missing):
        return parts
    if isinstance(tasks, Missing):
        return tasks
    return per_unit(parts, tasks, held(frame, INFLIGHT, orchestrator), MIN_TASKS)


def _calls(frame: Frame, orchestrator: Entity) -> list[Tally] | Missing:
    for name in CALLS:
        own = tally(frame, name, orchestrator)
        if not isinstance(own, Missing):
            return [own]
    gateways = _called(frame, orchestrator)
    served = gateways or list(frame.related(orchestrator, Kind.ENGINE))
    if _shared(frame, orchestrator, served):
        return Missing.NOT_EXPORTED  # nobody knows whose calls arrive there
    return _requests(frame, gateways) if gateways else arrivals(frame, served)


def _shared(frame: Frame, orchestrator: Entity, served: Iterable[Entity]) -> bool:
    """Somebody else may have called one of these in the window: another orchestrator, or a program that nobody watches.

    Such a program may also stand before a gateway that leads there. One that is hidden from the console is not seen.
    """
    ways = {way for each in served for way in (each, *_fronts(frame, each))}
    others = {o for each in served for o in _callers(frame, each)} - {orchestrator}
    strange = any(_seen(frame, f"{_LAYERS[way.kind]}.unknown_callers", way) for way in ways)
    return strange or any(_active(frame, other) for other in sorted(others))


def _fronts(frame: Frame, engine: Entity) -> list[Entity]:
    """Gateways in front of an engine."""
    links = frame.topology.links
    return [k.parent for k in links if k.relation is Relation.GATEWAY_TO_ENGINE and k.child == engine]


def _seen(frame: Frame, name: str, entity: Entity) -> bool:
    """It was above 0 in the window."""
    return any(value > 0 for _, value in frame.store.points(name, entity, frame.t - RATIO_WINDOW_S, frame.t))


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
    return not inflight or _seen(frame, INFLIGHT, other)


def process_cpu(frame: Frame, orchestrator: Entity) -> float | Missing:
    """Busiest thread, in cores; of a process out of reach, all threads by the CPU time that its page gives."""
    seen = frame.store.parts(CPU, orchestrator)
    if seen and SECONDS in seen:
        return rate(frame, CPU, orchestrator, match=SECONDS)
    return frame.folded(CPU, orchestrator)


def loop_lag(frame: Frame, orchestrator: Entity) -> float | Missing:
    """The worst delay as its source states it, else p99 of the delays of the last 10 s."""
    stated = frame.folded(LAG, orchestrator)
    if not isinstance(stated, Missing):
        return stated
    grown = frame.increase(DELAY, orchestrator, poll_window_s(frame, DELAY, orchestrator, RATE_WINDOW_S))
    if isinstance(grown, Missing):
        return grown if stated is Missing.NEVER else stated
    found = quantile(0.99, grown.bounds or (), grown.cells[:-1])
    return Missing.NEVER if found is None else found


FORMULAS = {
    "orchestration.llm_calls_per_task": llm_calls_per_task,
    "orchestration.tokens_per_task": tokens_per_task,
    "orchestration.tool_calls_per_task": tool_calls_per_task,
    "orchestration.retrievals_per_task": retrievals_per_task,
    "orchestration.context_builds_per_task": context_builds_per_task,
    "orchestration.context_growth": context_growth,
    "orchestration.loop_lag": loop_lag,
    "orchestration.process_cpu": process_cpu,
}
