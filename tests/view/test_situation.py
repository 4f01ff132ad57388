"""Tests of a moment written as a situation file."""

from __future__ import annotations

from typing import Any

import yaml
from hypothesis import given
from hypothesis import strategies as st

from perfconsole.model.dictionary import DEFAULT
from perfconsole.model.entity import Entity, Kind
from perfconsole.model.sample import Fact, Missing
from perfconsole.model.snapshot import Baseline
from perfconsole.view.picture import Picture, Trails, no_trails
from perfconsole.view.situation import situation_text
from tests.diagnose.judging import rule
from tests.view.pictures import ENGINE, finding, indicator, snapshot

KV, WAITING, TOTAL = "engine.kv_cache_usage", "engine.requests_waiting", "engine.generation_tokens"
GPUS = (Entity(Kind.GPU, "0"), Entity(Kind.GPU, "1"))


def _written(trails: Trails = no_trails, **changes: object) -> dict[str, Any]:
    rules = (rule("slow", f"slope({WAITING}[3m]) > 0", f"rate({TOTAL}[1m]) > 0"),)
    picture = Picture(snapshot(**changes), DEFAULT, trails, host="gpu-07", started=40.0, rules=rules)
    loaded: dict[str, Any] = yaml.safe_load(situation_text(picture))
    return loaded


def test_values_stand_under_their_names_and_missing_ones_are_left_out() -> None:
    """A name that is not there is unknown, not zero."""
    found = _written(indicators=(indicator(KV, 0.52), indicator(WAITING, Missing.STALE)))
    assert found["stated"] == {KV: 0.52}


def test_no_user_no_query_and_no_folder_leaves() -> None:
    """A model is called by its path unless somebody names it, and addresses carry keys."""
    facts = (Fact("engine.model", ENGINE, "/home/alice/models/qwen"), Fact("engine.version", ENGINE, "u:p@h?key=S 1.0"))
    assert _written(facts=facts)["facts"] == {"engine.model": "qwen", "engine.version": "h 1.0"}


def test_whole_numbers_are_numbers() -> None:
    """Some sources hand over an int."""
    assert _written(indicators=(indicator(WAITING, 3),))["stated"] == {WAITING: 3}


def test_several_entities_have_a_list_in_their_order() -> None:
    """With null for one that has no value."""
    busy = (indicator("gpu.utilization", 0.9, GPUS[1]),)
    found = _written(indicators=busy, entities=GPUS)
    assert (found["stated"], found["entities"]) == ({"gpu.utilization": [None, 0.9]}, {"gpu": ["0", "1"]})


def test_a_counter_carries_its_rate_over_the_last_minute() -> None:
    """A fall in between is a restart, and adds nothing."""
    totals = (None, 100.0, *([100.0] * 29), *([400.0] * 10), *([0.0] * 19), 300.0)

    def trails(name: str, entity: Entity, step_s: float, columns: int) -> tuple[float | None, ...]:  # noqa: ARG001 - the form of Trails
        return totals if (step_s, columns) == (1.0, 61) else (None,) * columns

    assert len(totals) == 61
    assert _written(trails, indicators=(indicator(TOTAL, 300.0),))["stated"] == {TOTAL: 600.0 / 59}


def test_a_counter_without_a_history_is_left_out() -> None:
    """Its total is no rate."""
    assert _written(indicators=(indicator(TOTAL, 300.0),))["stated"] == {}


def test_baselines_stand_beside_the_values() -> None:
    """In the same form."""
    known = indicator(KV, 0.9)._replace(baseline=Baseline(0.4, "a saved profile"))
    assert _written(indicators=(known,))["base"] == {KV: 0.4}


def test_the_headline_is_the_title_and_held_is_that_of_the_oldest_finding() -> None:
    """The moment is 100 s."""
    found = _written(findings=(finding(since=60.0), finding("b", since=30.0)))
    assert (found["title"], found["held"]) == ("Title of admission-cap (admission-cap)", 70)


def test_without_a_finding_it_has_held_since_watching_began() -> None:
    """The moment is 100 s, and watching began at 40 s."""
    found = _written()
    assert (found["title"], found["held"]) == ("nothing found", 60)


def test_what_rules_read_over_time_has_a_course() -> None:
    """From the oldest point on; a counter's is not given, its rate is."""

    def trails(name: str, entity: Entity, step_s: float, columns: int) -> tuple[float | None, ...]:  # noqa: ARG001 - as above
        last = (2.0, 3.0, None, 5.0) if step_s == 25.0 else (0.0, 1.0)
        return (*(None,) * (columns - len(last)), *last)

    values = (indicator(WAITING, 5.0), indicator(KV, 0.5), indicator(TOTAL, 1.0))
    assert _written(trails, indicators=values)["course"] == {WAITING: [[0, 2], [25, 3], [75, 5]]}


def test_facts_are_those_of_a_list() -> None:
    """Paths, addresses and whatever else a source says stay here."""
    facts = tuple(
        Fact(name, ENGINE, text)
        for name, text in (
            ("engine.version", "0.24"),
            ("engine.log", "/home/bob/log"),
            ("engine.url", "http://bob:pw@h/"),
            ("engine.model", "http://bob:pw@h/model"),
        )
    )
    found = _written(facts=facts)["facts"]
    assert found == {"engine.version": "0.24", "engine.model": "http://h/model"}


def test_where_and_when_it_is_from() -> None:
    """A reader of the file was not there."""
    found = _written()
    assert (found["id"], found["source"]) == (
        "live-20231114-221320",
        "perfconsole live, gpu-07, 2023-11-14T22:13:20Z",
    )


@given(st.text(), st.floats(allow_nan=False, allow_infinity=False))
def test_any_text_and_number_comes_back(text: str, value: float) -> None:
    """Quotes, escapes and exponents; control characters come back as their escapes."""
    evil = Entity(Kind.ENGINE, text)
    found = _written(entities=(evil,), indicators=(indicator(KV, value, evil),), findings=(finding(title=text),))
    assert found["stated"] == {KV: value}
    assert isinstance(found["stated"][KV], int | float)
    if text.isprintable() and not set(text) & set("@?/"):
        assert (found["entities"], found["title"]) == ({"engine": [text]}, f"{text} (admission-cap)")
