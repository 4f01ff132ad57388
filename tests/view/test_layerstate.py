"""Tests of the one word for a layer."""

from __future__ import annotations

import pytest

from perfconsole.model.dictionary import DEFAULT
from perfconsole.model.entity import Entity, Kind
from perfconsole.model.finding import State
from perfconsole.model.rule import Severity
from perfconsole.model.sample import Missing
from perfconsole.model.snapshot import SourceHealth, SourceState
from perfconsole.view.layerstate import (
    DOWN,
    HOST_ONLY,
    LOOKING,
    NONE_FOUND,
    OK,
    OPEN,
    UNSEEN,
    UNWATCHED,
    LayerState,
    findings_of,
    layer_state,
)
from perfconsole.view.picture import LAYERS, Picture
from tests.view.pictures import ENGINE, HOST, finding, indicator, snapshot, source
from tests.view.searching import BEGUN, FAILED, HELPER_DOWN, NO_GPUS, SEARCH, searched
from tests.view.serving import AGENT, GATEWAY

RUNNING = (
    indicator("engine.up", 1.0),
    indicator("engine.requests_running", 1.0),
    indicator("engine.requests_waiting", 0.0),
    indicator("engine.generation_rate", 5.0),
)


def _picture(**changes: object) -> Picture:
    return Picture(snapshot(**{"sources": (source(),), "indicators": RUNNING, **changes}), DEFAULT)


def test_an_engine_that_answers_and_works_is_ok() -> None:
    """Nothing speaks against it."""
    assert layer_state(_picture(), "engine") == OK


FRONTS = [("gateway", GATEWAY, "gateway page"), ("orchestration", AGENT, "orchestrator page")]
HOST_SEEN = source("gpu-07", kind="host")


@pytest.mark.parametrize(
    ("up", "state"), [(1.0, OK), (0.0, DOWN), (Missing.STALE, OPEN), (Missing.NEVER, OPEN), (None, OPEN)]
)
@pytest.mark.parametrize(("layer", "entity", "kind"), FRONTS)
def test_only_what_is_known_to_be_up_is_ok(
    layer: str, entity: Entity, kind: str, up: float | Missing | None, state: LayerState
) -> None:
    """A page that answers does not stand for it."""
    values = () if up is None else (indicator(f"{layer}.up", up, entity),)
    assert layer_state(_picture(entities=(entity,), indicators=values, sources=(source(kind=kind),)), layer) == state


def test_one_of_two_that_is_not_seen_leaves_the_layer_open() -> None:
    """Every engine must be known to be up."""
    other = Entity(Kind.ENGINE, "vllm:8001")
    assert layer_state(_picture(entities=(ENGINE, other)), "engine") == OPEN


@pytest.mark.parametrize("layer", ["engine", "hardware"])
def test_nothing_is_ok_before_rules_have_looked(layer: str) -> None:
    """In the first moment of a console there are none."""
    picture = _picture(judged=False, entities=(ENGINE, HOST), sources=(source(), HOST_SEEN))
    assert layer_state(picture, layer) == OPEN


@pytest.mark.parametrize("ill", [{"state": SourceState.DOWN}, {"notes": ("HTTP 503",)}])
def test_a_health_route_that_complains_leaves_no_ok(ill: dict[str, object]) -> None:
    """Up, and not well."""
    route = source("g:1 health", kind="health route", **ill)
    up = (indicator("gateway.up", 1.0, GATEWAY),)
    picture = _picture(entities=(GATEWAY,), indicators=up, sources=(source("g:1", kind="gateway page"), route))
    assert layer_state(picture, "gateway") == OPEN


def test_a_host_without_gpus_says_that_they_are_not_seen() -> None:
    """Nobody looked for them."""
    assert layer_state(_picture(entities=(ENGINE, HOST), sources=(source(), HOST_SEEN)), "hardware") == HOST_ONLY


@pytest.mark.parametrize(("up", "state"), [(1.0, OK), (Missing.STALE, OPEN)])
def test_a_host_with_gpus_that_are_up_is_ok(up: float | Missing, state: LayerState) -> None:
    """And one whose GPUs are not known to be is open."""
    gpu = Entity(Kind.GPU, "0")
    sources = (HOST_SEEN, source("gpu", kind="gpu"))
    picture = _picture(entities=(HOST, gpu), indicators=(indicator("gpu.up", up, gpu),), sources=sources)
    assert layer_state(picture, "hardware") == state


@pytest.mark.parametrize("sources", [(), (source("gpu-07", kind="host", state=SourceState.LATE),)])
def test_a_host_that_no_source_reads_now_is_not_ok(sources: tuple[SourceHealth, ...]) -> None:
    """It is named by an engine, or was read before."""
    assert layer_state(_picture(entities=(ENGINE, HOST), sources=sources), "hardware") == OPEN


@pytest.mark.parametrize(("answered", "state"), [(True, OK), (False, UNSEEN)])
def test_an_orchestrator_named_by_its_process_is_seen_by_it(state: LayerState, *, answered: bool) -> None:
    """There is no page."""
    process = source("process 12", kind="orchestrator process", answered=answered)
    entity = Entity(Kind.ORCHESTRATOR, "pid-12")
    up = (indicator("orchestration.up", 1.0, entity),)
    assert layer_state(_picture(entities=(entity,), indicators=up, sources=(process,)), "orchestration") == state


@pytest.mark.parametrize(("search", "state"), [(SEARCH, NONE_FOUND), (BEGUN, LOOKING), (FAILED, UNSEEN)])
@pytest.mark.parametrize("layer", ["gateway", "orchestration", "engine"])
def test_a_layer_that_is_searched_says_how_far_that_is(layer: str, search: SourceHealth, state: LayerState) -> None:
    """Never ok, and never that nobody watches it."""
    assert layer_state(searched(search), layer) == state


def test_the_search_leaves_the_hardware_as_it_is() -> None:
    """The host is there without being looked for."""
    assert layer_state(searched(SEARCH), "hardware") == HOST_ONLY


def test_a_host_on_which_no_gpu_is_found_says_so() -> None:
    """A source that found no driver has not seen that all is well."""
    assert layer_state(searched(NO_GPUS), "hardware") == HOST_ONLY
    assert layer_state(searched(HELPER_DOWN), "hardware") == UNSEEN


@pytest.mark.parametrize("answered", [True, False])
def test_the_page_of_an_exporter_is_only_a_stand_in(*, answered: bool) -> None:
    """That it fails takes nothing from a layer that is seen without it."""
    gpu = Entity(Kind.GPU, "0")
    page = source("dcgm", kind="gpu page", state=SourceState.DOWN, reason="refused", answered=answered)
    sources = (HOST_SEEN, source("gpus", kind="gpu"), page)
    up = (indicator("gpu.up", 1.0, gpu),)
    assert layer_state(_picture(entities=(HOST, gpu), indicators=up, sources=sources), "hardware") == OK
    assert layer_state(searched(NO_GPUS, page), "hardware") == HOST_ONLY


@pytest.mark.parametrize("layer", LAYERS)
def test_nothing_watched_is_never_ok(layer: str) -> None:
    """Whatever the layer."""
    assert layer_state(Picture(snapshot(entities=()), DEFAULT), layer) == UNWATCHED


@pytest.mark.parametrize("changes", [{"answered": False}, {"state": SourceState.DOWN}])
def test_a_source_that_does_not_answer_leaves_no_ok(changes: dict[str, object]) -> None:
    """Before the first answer, and after the last."""
    assert layer_state(_picture(sources=(source(), source("b", **changes))), "engine") == UNSEEN


def test_a_page_that_does_not_say_what_the_engine_does_leaves_it_open() -> None:
    """It answers, and that is all."""
    assert layer_state(_picture(indicators=(indicator("engine.up", 1.0),)), "engine") == OPEN


@pytest.mark.parametrize(
    ("layer", "entity", "name"),
    [
        ("engine", ENGINE, "engine.up"),
        ("gateway", GATEWAY, "gateway.up"),
        ("orchestration", AGENT, "orchestration.up"),
        ("hardware", Entity(Kind.GPU, "0"), "gpu.up"),
    ],
)
def test_what_is_down_is_down_before_any_rule_speaks(layer: str, entity: Entity, name: str) -> None:
    """And one whose state is missing is not down."""
    down, unknown = (
        _picture(indicators=(indicator(name, v, entity),), entities=(entity,)) for v in (0.0, Missing.STALE)
    )
    assert layer_state(down, layer) == DOWN
    assert layer_state(unknown, layer) != DOWN


def test_the_worst_finding_names_the_state() -> None:
    """With a mark that tells it without colour."""
    found = (finding("a", severity=Severity.INFO), finding("b", severity=Severity.CRITICAL), finding("c"))
    assert layer_state(_picture(findings=found), "engine")[:2] == ("x", "CRITICAL")


def test_a_finding_lights_up_its_own_layer_only() -> None:
    """By the kind of its entity."""
    picture = _picture(findings=(finding(entity=HOST),), entities=(ENGINE, HOST))
    assert layer_state(picture, "engine") == OK
    assert layer_state(picture, "hardware")[:2] == ("!", "warning")


def test_a_finding_that_is_over_speaks_no_more() -> None:
    """It stays in the list a little, and the layer is well again."""
    assert findings_of(_picture(findings=(finding(state=State.CLEARING),)), "engine") == []


def test_marks_and_words_differ() -> None:
    """States are told apart without colour."""
    states = {(s.mark, s.word) for s in (OK, HOST_ONLY, OPEN, UNSEEN, UNWATCHED, DOWN, LOOKING, NONE_FOUND)}
    assert len(states) == 8
