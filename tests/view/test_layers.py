"""Tests of the layers in a few lines."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from perfconsole.model.entity import Entity, Kind
from perfconsole.model.sample import Fact, Missing
from perfconsole.model.snapshot import SourceState
from perfconsole.view.layers import activity, layer_lines, unheard, unjudged
from tests.view.pictures import ENGINE, HOST, indicator, snapshot, source

if TYPE_CHECKING:
    from perfconsole.model.snapshot import Snapshot, SourceHealth

GATEWAY = Entity(Kind.GATEWAY, "litellm:4000")
AGENT = Entity(Kind.ORCHESTRATOR, "agent")
GPU = Entity(Kind.GPU, "0")
RUNNING, WAITING = "engine.requests_running", "engine.requests_waiting"
GENERATED, FINISHED = "engine.generation_rate", "engine.request_rate"
UNKNOWN = Missing.WARMING_UP


@pytest.mark.parametrize(
    ("running", "waiting", "generated", "finished", "word"),
    [
        (0.0, 0.0, 0.0, 0.0, "idle"),
        (4.0, 0.0, 90.0, 1.0, "busy"),
        (0.0, 0.0, 90.0, 0.0, "busy (gauges say 0, counters move)"),
        (0.0, 0.0, 0.0, 0.5, "busy (gauges say 0, counters move)"),
        (4.0, 2.0, 0.0, 0.0, "holds requests, nothing moves"),
        (0.0, 2.0, 0.0, 0.0, "holds requests, nothing moves"),
        (4.0, 2.0, UNKNOWN, UNKNOWN, "holds requests, progress unknown"),
        (4.0, 2.0, 0.0, UNKNOWN, "holds requests, progress unknown"),
        (Missing.NOT_EXPORTED, Missing.NOT_EXPORTED, 5.0, UNKNOWN, "busy (counters move, gauges missing)"),
        (0.0, 0.0, UNKNOWN, UNKNOWN, "state unknown"),
        (0.0, Missing.STALE, 0.0, 0.0, "state unknown"),
        (0.0, 0.0, 0.0, Missing.NOT_EXPORTED, "idle"),
        (4.0, 2.0, 0.0, Missing.NOT_EXPORTED, "holds requests, progress unknown"),
        (Missing.STALE, Missing.STALE, Missing.STALE, Missing.STALE, "state unknown"),
    ],
)
def test_activity_is_said_only_as_far_as_it_is_known(
    running: float | Missing, waiting: float | Missing, generated: float | Missing, finished: float | Missing, word: str
) -> None:
    """Counters that move beat gauges of 0, and what is missing is neither idle nor stuck."""
    row = zip((RUNNING, WAITING, GENERATED, FINISHED), (running, waiting, generated, finished), strict=True)
    values = {(n, ENGINE): indicator(n, v) for n, v in row}
    assert activity(ENGINE, values) == word


def test_prompts_that_are_read_count_as_movement() -> None:
    """An engine that only prefills is not idle."""
    names = {RUNNING: 0.0, WAITING: 0.0, GENERATED: 0.0, FINISHED: 0.0, "engine.prompt_rate": 800.0}
    assert activity(ENGINE, {(n, ENGINE): indicator(n, v) for n, v in names.items()}).startswith("busy")


@pytest.mark.parametrize(("up", "down"), [(0.0, True), (1.0, False), (Missing.STALE, False), (Missing.NEVER, False)])
def test_down_is_said_only_when_up_is_zero(up: float | Missing, *, down: bool) -> None:
    """A missing `up` is not down."""
    assert (activity(ENGINE, {("engine.up", ENGINE): indicator("engine.up", up)}) == "down") is down


def test_no_value_at_all_is_an_unknown_state() -> None:
    """Nothing known is not idle."""
    assert activity(ENGINE, {}) == "state unknown"


def test_the_layers_follow_the_way_of_a_request() -> None:
    """Gateway, orchestration, engine, hardware, each at least once."""
    assert [line.layer for line in layer_lines(snapshot())] == ["gateway", "orchestration", "engine", "hardware"]


def test_a_missing_value_stands_with_its_reason_among_known_ones() -> None:
    """A row that is partly known shows the reason in place of the number."""
    shown = snapshot(indicators=(indicator(RUNNING, 3.0), indicator(WAITING, Missing.NOT_EXPORTED)))
    assert layer_lines(shown)[2].cells == ("running 3  waiting not exported",)


def test_a_row_that_is_missing_for_one_reason_says_it_once() -> None:
    """Three quantiles without observations are one remark, not three zeros."""
    names = ("engine.ttft.p50", "engine.ttft.p95", "engine.ttft.p99")
    shown = snapshot(indicators=tuple(indicator(n, Missing.NEVER) for n in names))
    assert layer_lines(shown)[2].cells == ("TTFT nothing observed",)


def test_a_row_that_is_missing_for_several_reasons_says_each() -> None:
    """Different reasons are not folded into one."""
    shown = snapshot(indicators=(indicator(RUNNING, Missing.STALE), indicator(WAITING, Missing.NOT_EXPORTED)))
    assert layer_lines(shown)[2].cells == ("running stale  waiting not exported",)


def test_facts_stand_in_the_head_of_their_engine() -> None:
    """Version and model of this engine only, with what it does."""
    facts = (Fact("engine.version", ENGINE, "0.32.0"), Fact("engine.model", HOST, "other"))
    assert layer_lines(snapshot(facts=facts))[2].head == "vllm:8000 0.32.0 state unknown"


def test_an_engine_that_has_not_answered_is_not_called_unnamed() -> None:
    """Who named an engine is not told to name one."""
    shown = snapshot(entities=(), sources=(source("127.0.0.1:8000", kind="engine", answered=False),))
    assert layer_lines(shown)[2].head == "no answer yet from 127.0.0.1:8000"


def test_an_engine_that_nobody_named_says_how_to_name_one() -> None:
    """The empty layer names the flag."""
    assert layer_lines(snapshot(entities=()))[2].head == "not watched: no engine was named; give --engine URL"


def test_a_host_shows_its_own_rows() -> None:
    """The hardware layer holds the figures of the host."""
    shown = snapshot(entities=(HOST,), indicators=(indicator("host.cpu_utilization", 0.22, HOST),))
    assert layer_lines(shown)[3].cells == ("cpu 22%",)


@pytest.mark.parametrize(("up", "word"), [(1.0, "up"), (0.0, "down"), (Missing.STALE, "state unknown")])
def test_a_gateway_says_whether_it_is_up(up: float | Missing, word: str) -> None:
    """In its head, as far as it is known."""
    values = (indicator("gateway.up", up, GATEWAY), indicator("gateway.inflight", 3.0, GATEWAY))
    line = layer_lines(snapshot(entities=(GATEWAY,), indicators=values))[0]
    assert (line.layer, line.head, line.cells) == ("gateway", f"litellm:4000 {word}", ("in flight 3",))


def test_an_orchestrator_shows_its_health() -> None:
    """A blocked loop is seen there first."""
    values = (indicator("orchestration.health_time", 4.0, AGENT), indicator("orchestration.inflight", 12.0, AGENT))
    line = layer_lines(snapshot(entities=(AGENT,), indicators=values))[1]
    assert (line.layer, line.cells) == ("orchestration", ("in flight 12  health 4 s",))


def test_gpus_stand_before_their_host() -> None:
    """With the name of the card."""
    shown = snapshot(
        entities=(GPU, HOST),
        facts=(Fact("gpu.name", GPU, "NVIDIA H100"),),
        indicators=(indicator("gpu.utilization", 0.93, GPU),),
    )
    lines = [line for line in layer_lines(shown) if line.layer == "hardware"]
    assert [(line.head, line.cells) for line in lines] == [("GPU 0 NVIDIA H100", ("busy 93%",)), ("gpu-07", ())]


def test_a_target_that_never_answered_is_unheard() -> None:
    """A gateway whose health route has not answered either."""
    sources = (
        source("vllm:8000"),
        source("g:1", kind="gateway page", answered=False),
        source("g:1 health", kind="health route", answered=False),
    )
    assert unheard(snapshot(sources=sources)) == ["g:1"]


@pytest.mark.parametrize("kind", ["orchestrator page", "gateway page"])
@pytest.mark.parametrize(("answered", "names"), [(True, []), (False, ["o:1"])])
def test_what_stands_in_front_is_heard_by_its_health_route(names: list[str], kind: str, *, answered: bool) -> None:
    """It need not have a page."""
    sources = (
        source("o:1", kind=kind, answered=False),
        source("o:1 health", kind="health route", answered=answered),
    )
    assert unheard(snapshot(sources=sources)) == names


@pytest.mark.parametrize(
    ("kind", "facts", "names"),
    [
        (Kind.GATEWAY, (), ["g:1"]),
        (Kind.GATEWAY, (Fact("gateway.adapter", Entity(Kind.GATEWAY, "g:1"), "nginx"),), []),
        (Kind.ORCHESTRATOR, (), []),
    ],
)
def test_a_gateway_of_no_known_program_without_a_page_is_unheard(
    kind: Kind, facts: tuple[Fact, ...], names: list[str]
) -> None:
    """A web server answers each question and tells nothing; whoever is known has a process that does."""
    sources = (
        source("g:1", state=SourceState.DOWN, kind=f"{kind} page", answered=False),
        source("g:1 health", kind="health route"),
    )
    assert unheard(snapshot(sources=sources, entities=(Entity(kind, "g:1"),), facts=facts)) == names


def test_an_exporter_that_somebody_named_and_never_answered_is_unheard() -> None:
    """What it tells nobody knows then."""
    sources = (
        source("exporter h:9100", kind="hardware page", answered=False),
        source("gpu", kind="gpu", answered=False),
    )
    assert unheard(snapshot(sources=sources)) == ["exporter h:9100"]


@pytest.mark.parametrize(("kind", "names"), [("orchestrator process", ["process 12"]), ("processes", [])])
def test_a_process_that_was_named_and_is_not_there_is_unheard(kind: str, names: list[str]) -> None:
    """Unlike those that are looked for beside a page."""
    assert unheard(snapshot(sources=(source("process 12", kind=kind, answered=False),))) == names


DOWN = SourceState.DOWN
WELL = (
    source(),
    indicator("engine.up", 1.0),
    indicator(RUNNING, 1.0),
    indicator(WAITING, 0.0),
    indicator(GENERATED, 5.0),
    indicator(FINISHED, 1.0),
)


def fronts(up: float | Missing, *sources: SourceHealth, entity: Entity = GATEWAY) -> Snapshot:
    """An engine that is well, and something in front of it."""
    layer = "gateway" if entity.kind is Kind.GATEWAY else "orchestration"
    values = (*WELL[1:], indicator(f"{layer}.up", up, entity))
    return snapshot(entities=(ENGINE, entity), indicators=values, sources=(WELL[0], *sources))


def page(silent_s: float | None, name: str = "127.0.0.1:4000", **changes: object) -> SourceHealth:
    """The page of a gateway that has not come for so long."""
    state = {"state": DOWN, "reason": "connection refused"}
    return source(name, **{"kind": "gateway page", **state, "silent_s": silent_s, **changes})


@pytest.mark.parametrize("up", [0.0, Missing.STALE, Missing.NEVER])
def test_a_gateway_that_is_not_known_to_be_up_has_no_verdict(up: float | Missing) -> None:
    """With the reason of its page."""
    assert unjudged(fronts(up, page(30.0))) == [("127.0.0.1:4000", "connection refused")]


def test_a_gateway_that_is_up_is_judged() -> None:
    """Its page may fail."""
    assert unjudged(fronts(1.0, page(None, answered=False))) == []


def test_a_gateway_that_answered_a_moment_ago_is_judged() -> None:
    """On a busy host a poll may be away."""
    assert unjudged(fronts(Missing.STALE, page(4.0))) == []


def test_a_health_route_that_fails_now_is_no_answer() -> None:
    """That it failed is heard each second."""
    route = source("127.0.0.1:4000 health", kind="health route", state=DOWN, reason="refused", silent_s=0.5)
    assert unjudged(fronts(0.0, page(30.0), route)) == [("127.0.0.1:4000", "connection refused")]


def test_a_health_route_that_was_well_a_moment_ago_is_an_answer() -> None:
    """The page need not be there."""
    route = source("127.0.0.1:4000 health", kind="health route", state=SourceState.LATE, silent_s=4.0)
    assert unjudged(fronts(Missing.STALE, page(None, answered=False), route)) == []


@pytest.mark.parametrize(
    ("name", "kind", "source_name"),
    [
        ("sim-agents", "orchestrator page", "sim-agents"),
        ("h:9000", "orchestrator page", "h:9000"),
        ("pid-12", "orchestrator process", "process 12"),
    ],
)
@pytest.mark.parametrize("up", [0.0, 1.0])
def test_an_orchestrator_is_told_from_others_by_its_name(name: str, kind: str, source_name: str, up: float) -> None:
    """By the name it was given, its address, or its number."""
    down = page(30.0, source_name, kind=kind)
    found = unjudged(fronts(up, down, entity=Entity(Kind.ORCHESTRATOR, name)))
    assert found == ([] if up else [(source_name, "connection refused")])


def test_a_gateway_elsewhere_is_told_from_one_here_by_its_host() -> None:
    """The port may be the same."""
    far = Entity(Kind.GATEWAY, "litellm@gpu-09:4000")
    assert unjudged(fronts(1.0, page(30.0, "gpu-09:4000"), entity=far)) == []
    assert unjudged(fronts(1.0, page(30.0), entity=far)) == [("127.0.0.1:4000", "connection refused")]
