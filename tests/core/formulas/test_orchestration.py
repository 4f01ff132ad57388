"""What one task takes, and how busy an orchestrator is."""

from __future__ import annotations

from perfconsole.model.entity import Entity, Kind, Link, Relation
from perfconsole.model.sample import Missing
from tests.core.building import ENGINE, World, histogram, page, sample

AGENT = Entity(Kind.ORCHESTRATOR, "agent")
OTHER = Entity(Kind.ORCHESTRATOR, "other")
TASKS, CALLS, FINISHED = "orchestration.requests", "orchestration.llm_calls_per_task", "engine.requests_finished"
CPU = "orchestration.process_cpu"


def world(tasks: float, finished: float, *others: Entity) -> World:
    """An engine behind orchestrators, with tasks and engine requests after 60 s."""
    made = World()
    agents = (AGENT, *others)
    made.topology.replace("config", [Link(Relation.ORCHESTRATOR_TO_ENGINE, a, ENGINE) for a in agents])
    for t, share in ((0.0, 0.0), (60.0, 1.0)):
        made.apply(page(t, sample(FINISHED, finished * share), cadence_s=60.0))
        made.apply(page(t, sample(TASKS, tasks * share, AGENT), source="agent", cadence_s=60.0))
    return made


def test_what_arrives_at_the_engines_are_its_calls() -> None:
    """Where it does not count them itself."""
    assert world(10.0, 80.0).value(CALLS, 60.0, AGENT) == 8.0


def test_its_own_count_is_the_better_one() -> None:
    """Others may use the engines too."""
    made = world(10.0, 80.0)
    for t, count in ((0.0, 0.0), (60.0, 30.0)):
        calls = sample("orchestration.llm_call_latency", histogram(0, 0, 0, count), AGENT)
        made.apply(page(t, calls, sample(TASKS, count / 3, AGENT), source="agent", cadence_s=60.0))
    assert made.value(CALLS, 60.0, AGENT) == 3.0


def test_few_tasks_say_nothing() -> None:
    """Four are no rate."""
    assert world(4.0, 80.0).value(CALLS, 60.0, AGENT) is Missing.WARMING_UP


def test_of_several_orchestrators_none_is_given_the_calls() -> None:
    """Nobody knows whose they are."""
    assert world(10.0, 80.0, OTHER).value(CALLS, 60.0, AGENT) is Missing.NOT_EXPORTED


def test_tokens_of_a_task_are_those_of_its_calls() -> None:
    """As it counts them."""
    made = World()
    for t, share in ((0.0, 0.0), (60.0, 1.0)):
        counts = {TASKS: 10.0 * share, "orchestration.llm_tokens": 5000.0 * share}
        made.apply(page(t, *(sample(n, v, AGENT) for n, v in counts.items()), cadence_s=60.0))
    assert made.value("orchestration.tokens_per_task", 60.0, AGENT) == 500.0


def test_cpu_time_of_the_page_becomes_cores() -> None:
    """For a process that is out of reach."""
    made = World()
    for t in (0.0, 10.0):
        made.apply(page(t, sample(CPU, t / 2, AGENT, part="seconds"), cadence_s=10.0))
    assert made.value(CPU, 10.0, AGENT) == 0.5


def test_the_busiest_thread_is_the_better_figure() -> None:
    """Where the process can be read."""
    made = World()
    for t in (0.0, 10.0):
        made.apply(page(t, sample(CPU, t / 2, AGENT, part="seconds"), cadence_s=10.0))
        made.apply(page(t, sample(CPU, 0.9, AGENT), source="processes", cadence_s=10.0))
    assert made.value(CPU, 10.0, AGENT) == 0.9


def test_no_figure_at_all_is_missing() -> None:
    """With the reason that its sources give."""
    assert isinstance(World().value(CPU, 0.0, AGENT), Missing)
