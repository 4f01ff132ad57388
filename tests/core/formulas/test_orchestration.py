"""What one task takes, and how busy an orchestrator is."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from perfconsole.model.entity import Entity, Kind, Link, Relation
from perfconsole.model.sample import Batch, Histogram, Missing
from tests.core.building import ENGINE, GATEWAY, World, histogram, page, sample
from tests.core.formulas.agents import (
    AGENT,
    Counts,
    agent_pages,
    closed_loop,
    engine_pages,
    gateway_pages,
    linked,
    polls,
    task,
)

OTHER = Entity(Kind.ORCHESTRATOR, "other")
TASKS, CALLS, FINISHED = "orchestration.requests", "orchestration.llm_calls_per_task", "engine.requests_finished"
CPU, INFLIGHT = "orchestration.process_cpu", "orchestration.inflight"
PROMPT, GROWTH = "orchestration.llm_prompt_length", "orchestration.context_growth"


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


@pytest.mark.parametrize(
    ("other", "found"),
    [
        ({TASKS: (3.0, 4.0)}, Missing.NOT_EXPORTED),
        ({TASKS: (3.0, 3.0)}, 8.0),
        ({TASKS: (3.0, 3.0), INFLIGHT: (1.0, 1.0)}, 8.0),
        ({INFLIGHT: (0.0, 2.0)}, Missing.NOT_EXPORTED),
        ({INFLIGHT: (0.0, 0.0)}, 8.0),
        ({}, Missing.NOT_EXPORTED),
    ],
)
def test_another_orchestrator_counts_while_it_may_call(
    other: dict[str, tuple[float, float]], found: float | Missing
) -> None:
    """Nobody knows whose calls arrive; one that idles has none, and one that tells nothing may have any."""
    made = world(10.0, 80.0, OTHER)
    for place, t in enumerate((0.0, 60.0)):
        samples = (sample(name, pair[place], OTHER) for name, pair in other.items())
        made.apply(page(t, *samples, source="other", cadence_s=60.0))
    assert made.value(CALLS, 60.0, AGENT) == found


@pytest.mark.parametrize(("unknown", "found"), [(2.0, Missing.NOT_EXPORTED), (0.0, 8.0)])
def test_a_program_that_nobody_watches_leaves_it_open(unknown: float, found: float | Missing) -> None:
    """Its calls arrive at the engine as well."""
    made = world(10.0, 80.0)
    made.apply(page(60.0, sample("engine.unknown_callers", unknown), source="processes"))
    assert made.value(CALLS, 60.0, AGENT) == found


@pytest.mark.parametrize("before", [True, False])
def test_so_does_one_before_a_gateway_that_leads_there(*, before: bool) -> None:
    """Whether the agent calls that gateway or goes past it."""
    made = called(50.0, 50.0) if before else world(10.0, 80.0)
    made.topology.replace("more", [Link(Relation.GATEWAY_TO_ENGINE, GATEWAY, ENGINE)])
    made.apply(page(60.0, sample("gateway.unknown_callers", 1.0, GATEWAY), source="processes"))
    assert made.value(CALLS, 60.0, AGENT) is Missing.NOT_EXPORTED


def test_half_of_what_is_in_flight_is_done() -> None:
    """Ten tasks ended, and ten more have begun."""
    made = world(10.0, 90.0)
    for t, held in ((0.0, 0.0), (60.0, 10.0)):
        samples = (sample(TASKS, t / 6, AGENT), sample(INFLIGHT, held, AGENT))
        made.apply(page(t, *samples, source="agent", cadence_s=60.0))
    assert made.value(CALLS, 60.0, AGENT) == 6.0


def called(requests: float, finished: float, *more: Link) -> World:
    """An agent that calls a gateway, which had so many requests, before an engine that had so many."""
    made = World()
    links = (Link(Relation.ORCHESTRATOR_TO_GATEWAY, AGENT, GATEWAY), Link(Relation.GATEWAY_TO_ENGINE, GATEWAY, ENGINE))
    made.topology.replace("config", [*links, *more])
    for t, share in ((0.0, 0.0), (60.0, 1.0)):
        made.apply(page(t, sample(FINISHED, finished * share), cadence_s=60.0))
        made.apply(page(t, sample("gateway.requests", requests * share, GATEWAY), source="gateway", cadence_s=60.0))
        made.apply(page(t, sample(TASKS, 10.0 * share, AGENT), source="agent", cadence_s=60.0))
    return made


@pytest.mark.parametrize("more", [[], [Link(Relation.ORCHESTRATOR_TO_ENGINE, AGENT, ENGINE)]])
def test_what_goes_past_the_gateway_is_not_its_own(more: list[Link]) -> None:
    """The gateway counts what the agent sends; a batch job sends the engine ten times as much."""
    assert called(50.0, 500.0, *more).value(CALLS, 60.0, AGENT) == 5.0


def test_a_gateway_that_counts_nothing_leaves_it_open() -> None:
    """All that arrives at the engine would be a guess."""
    made = called(50.0, 500.0)
    silent = Link(Relation.ORCHESTRATOR_TO_GATEWAY, AGENT, Entity(Kind.GATEWAY, "silent"))
    made.topology.replace("more", [silent])
    assert isinstance(made.value(CALLS, 60.0, AGENT), Missing)


def test_another_agent_at_the_same_gateway_leaves_it_open() -> None:
    """Both call it."""
    made = called(50.0, 50.0, Link(Relation.ORCHESTRATOR_TO_GATEWAY, OTHER, GATEWAY))
    for t in (0.0, 60.0):
        made.apply(page(t, sample(TASKS, t, OTHER), source="other", cadence_s=60.0))
    assert made.value(CALLS, 60.0, AGENT) is Missing.NOT_EXPORTED


PATTERNS = st.sampled_from(["chain", "fan", "mixed"])


@settings(max_examples=40, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    pattern=PATTERNS,
    workers=st.integers(1, 16),
    calls=st.one_of(st.integers(3, 8).map(lambda k: (k, k)), st.just((3, 8))),
    begins=st.sampled_from([-60.0, 20.0]),
    seconds=st.floats(62.0, 150.0),
    tells_inflight=st.booleans(),
    through_gateway=st.booleans(),
)
def test_the_calls_of_a_task_are_right_within_five_percent(
    seed: int,
    pattern: str,
    workers: int,
    calls: tuple[int, int],
    begins: float,
    seconds: float,
    *,
    tells_inflight: bool,
    through_gateway: bool,
) -> None:
    """Whatever their pattern, once sixty tasks have ended, whether the load was there first or the console."""
    random = Random(seed)  # noqa: S311 - a load that comes again
    call_s, end = random.uniform(0.2, 1.2), seconds + max(0.0, begins)
    tasks = closed_loop(workers, begins, end, lambda t: task(t, random.randint(*calls), pattern, call_s, random))
    ended = [t for t in tasks if 0.0 <= t.span.end <= end]
    # Without the number in flight its change is an error of its own: half of it is to stay below a fiftieth.
    assume(len(ended) >= (60 if tells_inflight else 25 * workers) and len(ended) >= 60)
    model, spans = Counts([c for t in tasks for c in t.calls]), Counts([t.span for t in tasks])
    made = called_or_served(through_gateway=through_gateway)
    engine_pages(made, model, polls(0.3, end, random))
    agent_pages(made, spans, polls(0.0, end, random), inflight=tells_inflight)
    gateway_pages(made, model, polls(0.6, end, random), at_end=seed % 2 == 0)
    truth = sum(len(t.calls) for t in ended) / len(ended)
    assert made.value(CALLS, end, AGENT) == pytest.approx(truth, rel=0.05)


def called_or_served(*, through_gateway: bool) -> World:
    """An agent at a gateway, or at the engine itself."""
    if not through_gateway:
        return linked((Relation.ORCHESTRATOR_TO_ENGINE, AGENT, ENGINE))
    return linked((Relation.ORCHESTRATOR_TO_GATEWAY, AGENT, GATEWAY), (Relation.GATEWAY_TO_ENGINE, GATEWAY, ENGINE))


def test_tokens_of_a_task_are_those_of_its_calls() -> None:
    """As it counts them."""
    made = World()
    for t, share in ((0.0, 0.0), (60.0, 1.0)):
        counts = {TASKS: 10.0 * share, "orchestration.llm_tokens": 5000.0 * share}
        made.apply(page(t, *(sample(n, v, AGENT) for n, v in counts.items()), cadence_s=60.0))
    assert made.value("orchestration.tokens_per_task", 60.0, AGENT) == 500.0


def test_a_plain_count_of_its_calls_is_as_good() -> None:
    """Where it measures no duration of them."""
    made = world(10.0, 80.0)
    for t, count in ((0.0, 0.0), (60.0, 30.0)):
        counts = (sample("orchestration.llm_calls", count, AGENT), sample(TASKS, count / 3, AGENT))
        made.apply(page(t, *counts, source="agent", cadence_s=60.0))
    assert made.value(CALLS, 60.0, AGENT) == 3.0


@pytest.mark.parametrize(
    ("times", "each"),
    [
        ("tool_call_time", "tool_calls_per_task"),
        ("retrieval_time", "retrievals_per_task"),
        ("context_build_time", "context_builds_per_task"),
    ],
)
def test_each_kind_of_work_goes_with_its_tasks(times: str, each: str) -> None:
    """By the observations of its histogram."""
    made = World()
    for t, share in ((0.0, 0.0), (60.0, 1.0)):
        work = sample(f"orchestration.{times}", histogram(0, 0, 0, 40 * share), AGENT)
        made.apply(page(t, work, sample(TASKS, 16 * share, AGENT), cadence_s=60.0))
    assert made.value(f"orchestration.{each}", 60.0, AGENT) == 2.5


@pytest.mark.parametrize("each", ["tool_calls_per_task", "retrievals_per_task", "context_builds_per_task"])
def test_work_that_is_not_exported_has_no_number(each: str) -> None:
    """It may be done all the same."""
    assert isinstance(world(10.0, 80.0).value(f"orchestration.{each}", 60.0, AGENT), Missing)


PROMPTS = (100.0, 200.0, 400.0, 800.0, float("inf"))
"""Bounds of a histogram of prompts."""


def prompts(t: float, *counts: float, name: str = PROMPT, of: Entity = AGENT, source: str = "agent") -> Batch:
    """A poll with so many prompts up to each bound."""
    return page(t, sample(name, Histogram(PROMPTS, counts, 0.0), of), source=source, cadence_s=60.0)


def test_prompts_grow_from_call_to_call() -> None:
    """Ten in each of two buckets and twenty in the longest one."""
    made = World()
    made.apply(prompts(0.0, 0, 0, 0, 0, 0), prompts(60.0, 0, 10, 20, 40, 40))
    # p90 is 720 (16 of 20 in the last bucket), p10 is 140 (4 of 10 in the first one).
    assert made.value(GROWTH, 60.0, AGENT) == pytest.approx(720 / 140)


def test_prompts_that_stay_alike_do_not_grow() -> None:
    """All in one bucket: nearly the same."""
    made = World()
    made.apply(prompts(0.0, 0, 0, 0, 0, 0), prompts(60.0, 0, 0, 0, 100, 100))
    assert made.value(GROWTH, 60.0, AGENT) == pytest.approx(760 / 440)


def test_few_prompts_have_no_growth() -> None:
    """The tenth part of nineteen is one or two."""
    made = World()
    made.apply(prompts(0.0, 0, 0, 0, 0, 0), prompts(60.0, 0, 10, 15, 19, 19))
    assert made.value(GROWTH, 60.0, AGENT) is Missing.WARMING_UP


def test_a_mean_alone_has_no_spread() -> None:
    """Sum and count are all that it has."""
    made = World()
    for t, count in ((0.0, 0.0), (60.0, 50.0)):
        made.apply(page(t, sample(PROMPT, Histogram((float("inf"),), (count,), 9.0 * count), AGENT), cadence_s=60.0))
    assert made.value(GROWTH, 60.0, AGENT) is Missing.UNSUPPORTED


@pytest.mark.parametrize(("busy", "known"), [(0.0, True), (5.0, False)])
def test_the_engines_tell_where_it_alone_calls_them(busy: float, *, known: bool) -> None:
    """With another one at work nobody knows whose prompts these are."""
    made = world(10.0, 40.0, OTHER)
    for t, share in ((0.0, 0.0), (60.0, 1.0)):
        made.apply(page(t, sample(TASKS, 3.0 + busy * share, OTHER), source="other", cadence_s=60.0))
        counts = (0, 10 * share, 20 * share, 40 * share, 40 * share)
        made.apply(prompts(t, *counts, name="engine.prompt_length", of=ENGINE, source="page"))
    found = made.value(GROWTH, 60.0, AGENT)
    assert (not isinstance(found, Missing)) is known


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
