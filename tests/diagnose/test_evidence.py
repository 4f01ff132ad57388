"""What a finding carries: readings, what was ruled out and by which value, severity."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from perfconsole.diagnose.rivals import MAX_RIVALS
from perfconsole.model.finding import RuledOut, State, Truth, Verdict
from perfconsole.model.rule import Severity
from perfconsole.model.sample import Missing
from tests.diagnose.judging import ENGINE, Told, judge, rule

if TYPE_CHECKING:
    from perfconsole.model.finding import Finding
    from perfconsole.model.rule import Rule

GAP = Missing.STALE


def first(*rules: Rule, seconds: int = 0, **values: float | Missing) -> Finding:
    """The first finding after some ticks of the same values; `x=2.0` is the value of engine.x."""
    of = judge(*rules)
    for t in range(seconds + 1):
        found, _ = of.judge(Told(float(t), {f"engine.{name}": v for name, v in values.items()}), [ENGINE])
    return found[0]


def test_a_reading_has_the_values_and_how_far_its_hold_is() -> None:
    """12 of 60 s, by the tick."""
    reading = first(rule("slow", "engine.x > 1 for 60s"), seconds=12, x=2.0).readings[0]
    assert (reading.condition, reading.truth, reading.so_far) == ("engine.x > 1 for 60s", Truth.UNKNOWN, Truth.TRUE)
    assert (reading.operands, reading.held_s, reading.hold_s) == ((("engine.x", 2.0),), 12.0, 60.0)


def test_a_reading_without_a_hold_has_no_seconds() -> None:
    """Nothing is held where nothing has to be."""
    reading = first(rule("slow", "engine.x > 1"), x=2.0).readings[0]
    assert (reading.held_s, reading.hold_s) == (None, None)


def test_an_exclusion_that_is_false_is_ruled_out_by_its_value() -> None:
    """The finding's own look-alikes stand first."""
    found = first(rule("slow", "engine.x > 1", unless=["engine.z > 5"]), x=2.0, z=3.0)
    assert found.ruled_out == (RuledOut("slow", "engine.z > 5", (("engine.z", 3.0),)),)


def test_an_exclusion_that_lacks_data_is_named() -> None:
    """Possible says for lack of what, each name once with its reason."""
    of = rule("slow", "engine.x > 1", unless=["engine.z > 5", "engine.z > 3 and engine.y > 1", "engine.x > 9"])
    found = first(of, x=2.0, z=GAP, y=2.0)
    assert (found.verdict, found.not_ruled_out) == (Verdict.POSSIBLE, (("engine.z", GAP),))


def test_what_an_exclusion_did_not_need_is_not_named() -> None:
    """A missing value that changes nothing is no doubt."""
    found = first(rule("slow", "engine.x > 1", unless=["engine.z > 5 and engine.x > 9"]), x=2.0, z=GAP)
    assert (found.verdict, found.not_ruled_out) == (Verdict.LIKELY, ())


def test_a_rival_is_ruled_out_by_the_condition_that_is_false() -> None:
    """A cause that reads the same indicator, with the value that speaks against it."""
    rival = rule("rival", "engine.x > 1", "engine.y > 7")
    found = first(rule("slow", "engine.x > 1"), rival, x=2.0, y=3.0)
    assert found.ruled_out == (RuledOut("rival", "engine.y > 7", (("engine.y", 3.0),)),)


def test_of_two_false_conditions_the_shared_indicator_tells() -> None:
    """The reader of the finding sees that value already."""
    rival = rule("rival", "engine.y > 7", "engine.x > 5")
    assert first(rule("slow", "engine.x > 1"), rival, x=2.0, y=3.0).ruled_out[0].condition == "engine.x > 5"


@pytest.mark.parametrize(
    ("rival", "y"),
    [
        (rule("rival", "engine.y > 7"), 3.0),
        (rule("rival", "engine.x > 1", "engine.y > 7", rank="symptom"), 3.0),
        (rule("rival", "engine.x > 1", "engine.y > 7"), GAP),
    ],
)
def test_what_is_no_rival_or_not_false_is_not_ruled_out(rival: Rule, y: float | Missing) -> None:
    """Nothing in common, a symptom, or not decided: no claim."""
    assert first(rule("slow", "engine.x > 1"), rival, x=2.0, y=y).ruled_out == ()


def test_only_the_closest_rivals_are_shown() -> None:
    """Those that share most come first, and no more than a few."""
    far = [rule(f"far{i}", "engine.x > 9") for i in range(MAX_RIVALS)]
    close = rule("close", "engine.x > 9", "engine.y > 1")
    found = first(rule("slow", "engine.x > 1", "engine.y > 1"), *far, close, x=2.0, y=2.0)
    assert [r.rule for r in found.ruled_out] == ["close", *(f"far{i}" for i in range(MAX_RIVALS - 1))]


ESCALATES = rule(
    "slow",
    "engine.x > 1 for 2s",
    severity="info",
    escalate={"warn": "engine.x > 2", "critical": "engine.x > 5"},
)


@pytest.mark.parametrize(("x", "severity"), [(2.0, Severity.INFO), (3.0, Severity.WARN), (9.0, Severity.CRITICAL)])
def test_the_worst_escalation_that_holds_sets_the_severity(x: float, severity: Severity) -> None:
    """A firing finding is as bad as its values."""
    assert first(ESCALATES, seconds=2, x=x).severity is severity


def test_a_pending_finding_escalates_nothing() -> None:
    """It has not yet run its hold."""
    found = first(ESCALATES, seconds=1, x=9.0)
    assert (found.state, found.severity) == (State.PENDING, Severity.INFO)


def test_an_escalation_without_data_raises_nothing() -> None:
    """A missing value is no reason to be more afraid."""
    assert first(rule("slow", "engine.x > 1", escalate={"critical": "engine.y > 1"}), x=2.0).severity is Severity.WARN


def test_an_escalation_never_lowers_the_severity() -> None:
    """The rule's own is the least."""
    critical = rule("slow", "engine.x > 1", severity="critical", escalate={"warn": "engine.x > 1"})
    assert first(critical, x=2.0).severity is Severity.CRITICAL


def test_the_evidence_of_a_rule_is_read_now() -> None:
    """Listed indicators with their values or why there is none."""
    found = first(rule("slow", "engine.x > 1", evidence=["engine.y", "engine.z"]), x=2.0, y=4.0)
    assert found.evidence == (("engine.y", 4.0), ("engine.z", Missing.NEVER))


def test_a_finding_through_a_fall_back_says_so() -> None:
    """No history, so at best possible."""
    found = first(rule("slow", "engine.x > 2 * base(engine.x)", fallback={"1": "engine.x > 1"}), x=2.0)
    assert (found.verdict, found.no_history) == (Verdict.POSSIBLE, True)
