"""What is wrong with the cases of a rule, found without playing one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from perfconsole.diagnose.casewords import of_cases
from perfconsole.diagnose.rulefile import load_rule
from perfconsole.model.dictionary.entry import Entry, Sort
from perfconsole.model.entity import Kind
from tests.diagnose.fewnames import FewNames

if TYPE_CHECKING:
    from perfconsole.diagnose.problem import Problem
    from perfconsole.model.rule import Rule

HEAD = """\
id: slow
title: T
layer: engine
scope: engine
severity: info
class: symptom
cause: C
confidence: low
"""
FIRES = "{interval: 5s, series: {engine.own: 3x3}, expect: {at: 5s, state: firing}}"
SILENT = "{interval: 5s, series: {engine.own: 1x3}, expect: {at: 5s, state: silent}}"
OPEN = "{interval: 5s, series: {engine.own: _x3}, expect: {at: 5s, state: undecided}}"
WHOLE = (FIRES, SILENT, OPEN)


def rule(*cases: str, when: str = "engine.own > 1", more: str = "") -> Rule:
    """A rule with these cases."""
    listed = "".join(f"- {case}\n" for case in cases)
    return load_rule(f"{HEAD}{more}when: ['{when}']\ncases:\n{listed}", "rules/engine/slow.yaml")


def problems(*cases: str, when: str = "engine.own > 1", more: str = "") -> list[Problem]:
    """What is wrong with these cases beside the three that every rule has."""
    return list(of_cases(rule(*WHOLE, *cases, when=when, more=more), FewNames()))


def codes(*cases: str, when: str = "engine.own > 1", more: str = "") -> list[str]:
    """Their codes."""
    return [problem.code for problem in problems(*cases, when=when, more=more)]


def case(expect: str, series: str = "engine.own: 2x3", at: str = "5s", base: str = "") -> str:
    """One case of a value and three more."""
    given = f", base: {{{base}}}" if base else ""
    return f"{{interval: 5s, series: {{{series}}}{given}, expect: {{at: {at}, {expect}}}}}"


def test_three_cases_are_enough() -> None:
    """One fires, one is silent, one lacks data."""
    assert codes() == []


@pytest.mark.parametrize(
    ("left", "missing"),
    [
        ((SILENT, OPEN), "no-firing-case"),
        ((FIRES, OPEN), "no-silent-case"),
        ((FIRES, SILENT), "no-undecided-case"),
    ],
)
def test_a_kind_of_case_that_is_missing_is_named(left: tuple[str, ...], missing: str) -> None:
    """Each by its own code."""
    assert [p.code for p in of_cases(rule(*left), FewNames())] == [missing]


def test_the_same_values_are_not_expected_to_be_two_things() -> None:
    """Told at the state of the later one, with the line of the first."""
    [problem] = problems(case("state: pending", "engine.own: 3x3"))
    assert problem.code == "contradicting-cases"
    assert "to be firing by the case in line 11" in problem.message
    assert problem.place.line == 14


@pytest.mark.parametrize(
    "other",
    [
        case("state: pending", "engine.own: 3x3", at="10s"),
        case("state: pending", "engine.own: 3x3", base="engine.own: 1"),
        "{interval: 6s, series: {engine.own: 3x3}, expect: {at: 5s, state: pending}}",
    ],
)
def test_another_moment_baseline_or_interval_is_no_contradiction(other: str) -> None:
    """The values are not the same then."""
    assert codes(other) == []


def test_the_order_of_series_does_not_hide_a_contradiction() -> None:
    """They are given together."""
    one = case("state: firing", "engine.own: 2x3, engine.seen: 1x3")
    other = case("state: pending", "engine.seen: 1x3, engine.own: 2x3")
    assert codes(one, other, when="engine.own > engine.seen") == ["contradicting-cases"]


@pytest.mark.parametrize(
    "wrong",
    [
        case("state: firing", "engine.own: 2x3, engine.owm: 1x3"),
        case("state: firing", base="engine.owm: 1"),
        case("state: undecided, missing: engine.owm", "engine.own: _x3", at="10s"),
        case("state: firing", "engine.own: 2x3, engine.owm: 1x3", base="engine.owm: 1"),
    ],
)
def test_an_unknown_name_is_told_once_a_case(wrong: str) -> None:
    """Wherever in the case it stands."""
    assert codes(wrong) == ["unknown-indicator"]


def test_a_series_that_the_rule_does_not_read_decides_nothing() -> None:
    """In a case that fires it is a slip for another name."""
    assert codes(case("state: firing", "engine.own: 2x3, host.own: 1x3")) == ["unread-series"]


@pytest.mark.parametrize("state", ["silent", "ruled-out"])
def test_a_look_alike_may_show_what_another_rule_reads(state: str) -> None:
    """That is what makes it one."""
    assert codes(case(f"state: {state}", "engine.own: 0x3, host.own: 1x3")) == []


def test_where_values_end_another_series_may_go_on() -> None:
    """Something must show that time does."""
    assert codes(case("state: undecided", "engine.own: 2 _x2, host.own: 1x3", at="15s")) == []


@pytest.mark.parametrize(
    "more",
    [
        "unless: [host.own > 1]\n",
        "fallback: {1: host.own > 1}\n",
        "escalate: {warn: host.own > 1}\n",
        "evidence: [host.own]\n",
        "checks: [{kind: look, what: it, confirms: host.own > 1, refutes: 'see: it'}]\n",
    ],
)
def test_whatever_part_of_the_rule_reads_a_series_it_is_read(more: str) -> None:
    """Not only `when`."""
    firing = case("state: firing", "engine.own: 2x3, host.own: 1x3")
    assert codes(firing, more=more) == []


def test_what_feeds_a_derived_indicator_is_read() -> None:
    """Its definition tells of it by a word that is long enough to mean it."""
    names = FewNames()
    names.entries["engine.load"] = Entry("engine.load", Sort.DERIVED, "ratio", Kind.ENGINE, "d(tokens) / d(process)")
    firing = case("state: firing", "engine.own: 2x3, host.process: 1x3, engine.total: 1x3")
    found = list(of_cases(rule(*WHOLE, firing, when="engine.own > 1 or engine.load > 1"), names))
    assert [(p.code, "engine.total" in p.message) for p in found] == [("unread-series", True)]


def test_a_case_is_not_judged_after_its_values_have_ended() -> None:
    """It would test what a lost source does, and not what it says."""
    assert codes(case("state: firing", at="16s")) == ["after-the-series"]


def test_the_last_sample_is_no_end() -> None:
    """A value and three more, 5 s apart, reach to 15 s."""
    assert codes(case("state: firing", at="15s")) == []


def test_a_lost_source_may_be_told_of() -> None:
    """An undecided case says what it tests."""
    assert codes(case("state: undecided", at="60s")) == []


@pytest.mark.parametrize(
    "expect",
    [
        "state: silent, verdict: likely",
        "state: ruled-out, verdict: possible",
        "state: silent, severity: info",
        "state: firing, severity: critical",
    ],
)
def test_what_no_rule_could_meet_is_a_contradiction(expect: str) -> None:
    """A quiet case has no verdict and no severity, and a rule only the severities of its file."""
    assert codes(case(expect, "engine.own: 0.5x3")) == ["contradicting-expectation"]


def test_a_severity_that_the_rule_rises_to_may_be_expected() -> None:
    """An escalation gives it."""
    assert codes(case("state: firing, severity: warn"), more="escalate: {warn: engine.own > 1}\n") == []


def test_a_likely_finding_lacks_nothing() -> None:
    """It would be possible."""
    expect = "state: firing, verdict: likely, missing: host.own"
    assert codes(case(expect), more="unless: [host.own > 1]\n") == ["contradicting-expectation"]


def test_what_is_given_cannot_be_missing() -> None:
    """The value is there at that moment."""
    assert codes(case("state: undecided, missing: engine.own")) == ["contradicting-expectation"]


@pytest.mark.parametrize("when", ["engine.own > 2 * base(engine.own)", "avg(engine.own[1m]) > 1"])
def test_a_baseline_or_a_window_may_be_missing_where_values_are_given(when: str) -> None:
    """A few seconds fill neither."""
    assert codes(case("state: undecided, missing: engine.own"), when=when) == []


def test_what_has_a_gap_before_the_moment_may_be_missing() -> None:
    """And what ends after it may not."""
    assert codes(case("state: undecided, missing: engine.own", "engine.own: 2 _ 2")) == []
    assert codes(case("state: undecided, missing: engine.own", "engine.own: 2 2 _")) == ["contradicting-expectation"]
