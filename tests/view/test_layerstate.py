"""Tests of the one word for a layer."""

from __future__ import annotations

import pytest

from perfconsole.model.dictionary import DEFAULT
from perfconsole.model.entity import Entity, Kind
from perfconsole.model.finding import State
from perfconsole.model.rule import Severity
from perfconsole.model.sample import Missing
from perfconsole.model.snapshot import SourceState
from perfconsole.view.layerstate import DOWN, OK, OPEN, UNSEEN, UNWATCHED, findings_of, layer_state
from perfconsole.view.picture import LAYERS, Picture
from tests.view.pictures import ENGINE, HOST, finding, indicator, snapshot, source
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
    states = {(s.mark, s.word) for s in (OK, OPEN, UNSEEN, UNWATCHED, DOWN)}
    assert len(states) == 5
