"""A made-up agent service: tasks with their model calls over time, and what the pages of both sides say of them."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from typing import TYPE_CHECKING

from perfconsole.model.entity import Entity, Kind, Link, Relation
from tests.core.building import ENGINE, GATEWAY, World, page, sample

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from random import Random

AGENT = Entity(Kind.ORCHESTRATOR, "agent")


@dataclass(frozen=True)
class Span:
    """A request, from when it comes to when it ends."""

    start: float
    end: float


@dataclass(frozen=True)
class Task:
    """One task with its model calls."""

    span: Span
    calls: tuple[Span, ...]


def task(start: float, calls: int, pattern: str, call_s: float, random: Random) -> Task:
    """A task whose calls come one after another, all at once, or both in turn; calls take 0.5 to 1.5 of `call_s`."""
    t = start
    made: list[Span] = []
    while len(made) < calls:
        at_once = {"chain": 1, "fan": calls, "mixed": random.randint(1, 3)}[pattern]
        batch = [Span(t, t + call_s * random.uniform(0.5, 1.5)) for _ in range(min(at_once, calls - len(made)))]
        made += batch
        t = max(s.end for s in batch) + (random.uniform(0.0, 0.2) * call_s if pattern == "mixed" else 0.0)
    return Task(Span(start, t), tuple(made))


def closed_loop(workers: int, start: float, end: float, make: Callable[[float], Task]) -> list[Task]:
    """So many callers, each with one task after another."""
    tasks: list[Task] = []
    for worker in range(workers):
        t = start + 0.05 * worker
        while t < end:
            tasks.append(make(t))
            t = tasks[-1].span.end
    return tasks


class Counts:
    """How many had begun and how many had ended at a moment."""

    def __init__(self, spans: Sequence[Span]) -> None:
        self._begun = sorted(s.start for s in spans)
        self._ended = sorted(s.end for s in spans)

    def begun(self, t: float) -> float:
        """Requests that came up to t."""
        return float(bisect_right(self._begun, t))

    def ended(self, t: float) -> float:
        """Requests that ended up to t."""
        return float(bisect_right(self._ended, t))

    def held(self, t: float) -> float:
        """Requests in flight at t."""
        return self.begun(t) - self.ended(t)


def polls(start: float, end: float, random: Random) -> list[float]:
    """About a second apart, never quite."""
    found, t = [], start
    while t <= end:
        found.append(t)
        t += random.uniform(0.95, 1.1)
    return found


def engine_pages(world: World, calls: Counts, times: Sequence[float], entity: Entity = ENGINE) -> None:
    """What vLLM says: finished requests, and those that it holds."""
    for t in times:
        values = {"requests_finished": calls.ended(t), "requests_running": calls.held(t), "requests_waiting": 0.0}
        world.apply(page(t, *(sample(f"engine.{n}", v, entity) for n, v in values.items()), source=entity.name))


def agent_pages(world: World, tasks: Counts, times: Sequence[float], *, inflight: bool = True) -> None:
    """What a service of agents says: finished tasks, and perhaps those in flight."""
    for t in times:
        held = [sample("orchestration.inflight", tasks.held(t), AGENT)] if inflight else []
        world.apply(page(t, sample("orchestration.requests", tasks.ended(t), AGENT), *held, source="agent"))


def gateway_pages(world: World, requests: Counts, times: Sequence[float], *, at_end: bool) -> None:
    """What a gateway says that counts requests when they end, or when they come."""
    for t in times:
        count = requests.ended(t) if at_end else requests.begun(t)
        names = {"requests": count, "upstream_requests": count, "inflight": requests.held(t)}
        world.apply(page(t, *(sample(f"gateway.{n}", v, GATEWAY) for n, v in names.items()), source="gateway"))


def linked(*links: tuple[Relation, Entity, Entity]) -> World:
    """A world with these links."""
    world = World()
    world.topology.replace("config", [Link(*link) for link in links])
    return world
