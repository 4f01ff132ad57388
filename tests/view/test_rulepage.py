"""Tests of the page that says why a rule is silent."""

from __future__ import annotations

from dataclasses import replace

from perfconsole.model.dictionary import DEFAULT
from perfconsole.model.entity import Entity, Kind
from perfconsole.model.finding import Explanation, MissingOperand, Standing, Truth
from perfconsole.model.sample import Missing
from perfconsole.view.canvas import Cursor, plain_text
from perfconsole.view.picture import Picture
from perfconsole.view.rulepage import rule_page
from tests.diagnose.judging import rule
from tests.view.pictures import ENGINE, reading, snapshot

SLOW = rule("slow", "engine.kv_cache_usage < 80%", title="Answers come late", cause="The cap is low.")
KV = ("engine.kv_cache_usage", 0.9)
QUIET = Explanation(
    rule="slow",
    row="",
    title="Answers come late",
    entity=ENGINE,
    standing=Standing.QUIET,
    when=(reading("engine.kv_cache_usage < 80%", KV, truth=Truth.FALSE, so_far=Truth.FALSE),),
    unless=(),
    stand_ins=(),
    missing=(),
)
OTHER = Entity(Kind.ENGINE, "b")


def _text(*found: Explanation, paused: bool = False, rule_id: str = "slow", **changes: object) -> str:
    picture = Picture(snapshot(explanations=found, **changes), DEFAULT, rules=(SLOW,))
    return plain_text(rule_page(picture, rule_id, Cursor(), 100, 30, paused=paused).rows)


def test_the_condition_that_keeps_it_silent_is_named_with_its_margin() -> None:
    """Value, threshold, and how far it is off."""
    page = _text(QUIET)
    assert "silent: 1 of 1 condition is not true" in page
    assert "keeps it silent" in page
    assert "kv_cache_usage 90% is not < 80%, over by 10 points" in page


def test_what_is_missing_is_named_with_its_source() -> None:
    """So that somebody can make it visible."""
    lost = reading("engine.kv_cache_usage < 80%", truth=Truth.UNKNOWN, so_far=Truth.UNKNOWN)
    lack = MissingOperand("engine.kv_cache_usage", Missing.NOT_EXPORTED, "metrics page")
    page = _text(replace(QUIET, standing=Standing.UNDECIDED, when=(lost,), missing=(lack,)))
    assert "undecided: 1 of 1 condition cannot be told" in page
    assert "engine.kv_cache_usage (not exported, from metrics page)" in page


def test_an_exclusion_that_holds_is_what_rules_it_out() -> None:
    """It stands apart from the conditions."""
    held = reading("engine.kv_cache_usage > 80%", KV)
    page = _text(replace(QUIET, standing=Standing.RULED_OUT, unless=(held,)))
    assert "ruled out" in page
    assert "none of these may hold" in page


def test_a_fall_back_says_what_it_stands_in_for() -> None:
    """A reader would look for the condition of the file."""
    assert "stands in, without a baseline, for: x > 2 * base(x)" in _text(
        replace(QUIET, stand_ins=((0, "x > 2 * base(x)"),))
    )


def test_the_entity_that_speaks_stands_first() -> None:
    """Then those that lack least."""
    page = _text(QUIET, replace(QUIET, entity=OTHER, standing=Standing.FIRING, when=()))
    assert page.index("engine/b   firing") < page.index("engine/vllm:8000   silent")


def test_until_the_answer_comes_the_page_says_so() -> None:
    """Never a blank page; a screen that stands still says how to go on."""
    assert "being judged" in _text()
    assert "space goes on" in _text(paused=True)


def test_a_rule_about_what_is_not_watched_says_so() -> None:
    """Nothing was judged."""
    assert "no engine is watched" in _text(entities=(OTHER._replace(kind=Kind.HOST),))


def test_a_rule_that_is_gone_says_so() -> None:
    """Not a fault of the screen."""
    assert "no rule is called nothing" in _text(rule_id="nothing")
