"""Tests of the rules that are listed as silent under a filter."""

from __future__ import annotations

from perfconsole.model.dictionary import DEFAULT
from perfconsole.model.finding import Undecided
from perfconsole.model.rule import Severity
from perfconsole.view.canvas import plain_text, width
from perfconsole.view.picture import Picture
from perfconsole.view.silent import silent_lines, silent_rules
from tests.diagnose.judging import rule
from tests.view.pictures import ENGINE, finding, snapshot

SLOW = rule("slow", "engine.kv_cache_usage > 1", title="Answers come late", cause="the KV cache")
FULL = rule("kv-full", "engine.requests_waiting > 1", title="Memory is full", cause="long prompts")


def _picture(**changes: object) -> Picture:
    return Picture(snapshot(**changes), DEFAULT, rules=(SLOW, FULL))


def _ids(wanted: str, picture: Picture | None = None) -> list[str]:
    return [r.id for r in silent_rules(picture or _picture(), wanted)]


def test_a_rule_is_found_by_id_title_cause_and_conditions() -> None:
    """A reader knows the trouble, seldom the name."""
    assert [_ids(w) for w in ("SLOW", "come late", "prompts", "requests_waiting")] == [
        ["slow"],
        ["slow"],
        ["kv-full"],
        ["kv-full"],
    ]


def test_those_that_are_named_so_come_first() -> None:
    """Those that only read it stand behind."""
    assert _ids("kv") == ["kv-full", "slow"]


def test_every_word_must_be_in_it() -> None:
    """In whatever order."""
    assert (_ids("late answers"), _ids("late memory")) == (["slow"], [])


def test_nothing_is_listed_without_a_filter() -> None:
    """A hundred rules are silent most of the time."""
    assert _ids("") == []


def test_a_rule_that_is_a_finding_is_not_silent() -> None:
    """Its row is among the findings."""
    assert _ids("kv", _picture(findings=(finding("kv-full"),))) == ["slow"]


def test_a_line_says_what_is_known_of_it_already() -> None:
    """Undecided and ruled out are no all-clear."""
    lost = Undecided("slow", "Answers come late", Severity.WARN, ENGINE, ())
    picture = _picture(undecided=(lost,), ruled_out=(("kv-full", ENGINE),))
    text = plain_text([piece for piece, _ in silent_lines(picture, "kv", ("",), 100, 5)])
    assert text.splitlines() == [
        "silent: Memory is full  [kv-full], ruled out",
        "silent: Answers come late  [slow], undecided",
    ]


def test_the_chosen_one_is_in_sight() -> None:
    """However few rows there are."""
    ((piece, target),) = silent_lines(_picture(), "kv", ("rule", "slow"), 30, 1)
    assert (target, width(piece) <= 30) == (("rule", "slow"), True)
