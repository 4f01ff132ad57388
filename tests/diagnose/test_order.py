"""Which finding stands first and which stand under another."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perfconsole.diagnose.order import ranked
from perfconsole.model.entity import Entity, Kind
from perfconsole.model.finding import CheckResult, FindingCheck, State, Verdict
from perfconsole.model.rule import RANK_CLASSES, Severity
from tests.diagnose.judging import ENGINE, OTHER, finding, rule

if TYPE_CHECKING:
    from collections.abc import Sequence

    from perfconsole.model.finding import Finding

PROCESS = Entity(Kind.PROCESS, "1")
PARTS = (PROCESS, Entity(Kind.PROCESS, "2"), Entity(Kind.PROCESS, "3"))
NAMES = ("a", "b", "c", "d")


def ranking(found: Sequence[tuple[Finding, int]], **explains: Sequence[str]) -> tuple[Finding, ...]:
    """Findings ranked by rules a to d in this order, which explain what is told; the process 1 is of engine a."""
    rules = {name: rule(name, explains=list(explains.get(name, ()))) for name in NAMES}
    near = {(PROCESS, ENGINE), (ENGINE, PROCESS)}
    return ranked(found, rules, lambda x, y: x == y or (x, y) in near, lambda x, y: {x, y} <= set(PARTS))


def order(*found: Finding, **explains: Sequence[str]) -> list[str]:
    """Rules in the order shown, each with `<cause` when it stands under one."""
    shown = ranking([(f, 1) for f in found], **explains)
    return [f.rule + (f"<{f.explained_by}" if f.explained_by else "") for f in shown]


@pytest.mark.parametrize("severity", [Severity.WARN, Severity.CRITICAL])
def test_warn_and_critical_stand_before_info(severity: Severity) -> None:
    """Severity comes before the rank class."""
    low = finding("a", severity=Severity.INFO, rank_class="instrument")
    assert order(low, finding("b", severity=severity, rank_class="regression")) == ["b", "a"]


def test_critical_does_not_stand_before_warn() -> None:
    """Among those that matter the class decides."""
    assert order(
        finding("a", severity=Severity.CRITICAL, rank_class="host"),
        finding("b", severity=Severity.WARN, rank_class="memory"),
    ) == ["b", "a"]


@pytest.mark.parametrize(("first", "second"), list(pairwise(RANK_CLASSES)))
def test_classes_stand_in_their_order(first: str, second: str) -> None:
    """Each class before the next, whatever verdict the next has."""
    later = finding("a", rank_class=second)
    assert order(later, finding("b", rank_class=first, verdict=Verdict.POSSIBLE)) == ["b", "a"]


def test_likely_stands_before_possible() -> None:
    """Within a class the surer one is first, though fewer of its conditions are met."""
    pair = [(finding("a", verdict=Verdict.POSSIBLE), 5), (finding("b"), 1)]
    assert [f.rule for f in ranking(pair)] == ["b", "a"]


def answered(name: str, *results: CheckResult, **more: str) -> Finding:
    """A finding whose checks were answered by actions."""
    checks = tuple(FindingCheck("flame", "", None, "", "", result, measured=True) for result in results)
    return replace(finding(name), checks=checks, **more)  # type: ignore[arg-type]  # fields by name


def test_what_a_measurement_confirmed_stands_before_other_classes() -> None:
    """A stack that shows the cause outweighs the order of classes, not severity."""
    confirmed = answered("b", CheckResult.CONFIRMED, rank_class="client-gateway")
    assert order(finding("a", rank_class="instrument"), confirmed) == ["b", "a"]
    info = answered("b", CheckResult.CONFIRMED, severity=Severity.INFO)
    assert order(finding("a"), info) == ["a", "b"]


def test_what_a_measurement_refuted_stands_last_and_explains_nothing() -> None:
    """It is still shown: somebody has just seen it."""
    refuted = answered("a", CheckResult.REFUTED, rank_class="instrument")
    assert order(refuted, finding("b", severity=Severity.INFO), a=["b"]) == ["b", "a"]


def test_two_measurements_that_disagree_change_nothing() -> None:
    """One confirms, one refutes: the order is that of the classes."""
    torn = answered("b", CheckResult.CONFIRMED, CheckResult.REFUTED, rank_class="client-gateway")
    assert order(finding("a", rank_class="host"), torn) == ["a", "b"]


def test_a_pending_finding_takes_the_place_of_its_verdict() -> None:
    """It is not put behind what fires."""
    assert order(finding("a", state=State.PENDING), finding("b")) == ["a", "b"]


def test_more_conditions_met_stand_before_fewer() -> None:
    """The rule that says more is more to the point."""
    assert [f.rule for f in ranking([(finding("a"), 1), (finding("b"), 3)])] == ["b", "a"]


def test_equals_stand_in_the_order_of_the_rules() -> None:
    """The symptom table has the last word."""
    assert order(finding("b"), finding("a")) == ["a", "b"]


def test_one_rule_on_two_entities_stands_in_their_order() -> None:
    """The order does not depend on which came first."""
    pair = [(finding("a", OTHER), 1), (finding("a", ENGINE), 1)]
    assert [f.entity for f in ranking(pair)] == [ENGINE, OTHER]


def test_what_lost_its_data_stands_last() -> None:
    """What is known now is never hidden behind what was known once."""
    past = finding("a", state=State.UNDECIDED, severity=Severity.CRITICAL)
    assert order(past, finding("b", severity=Severity.INFO, rank_class="symptom")) == ["b", "a"]


def test_an_explained_finding_stands_behind_its_cause() -> None:
    """Before others that would come earlier, and marked."""
    found = [finding("a"), finding("b", rank_class="symptom"), finding("c", rank_class="host")]
    assert order(*found, a=["b"]) == ["a", "b<a", "c"]


def test_a_cause_is_shown_above_what_outranks_it() -> None:
    """Not explained comes before all other keys."""
    assert order(finding("a", rank_class="instrument"), finding("b", rank_class="regression"), b=["a"]) == ["b", "a<b"]


def test_what_is_clearing_keeps_its_place_and_its_consequences() -> None:
    """A gauge that dips for one tick does not turn the screen over."""
    clearing = finding("a", state=State.CLEARING)
    assert order(finding("b", rank_class="symptom"), clearing, a=["b"]) == ["a", "b<a"]


@pytest.mark.parametrize("state", [State.PENDING, State.UNDECIDED])
def test_only_a_complete_cause_explains(state: State) -> None:
    """What has not held in full accounts for nothing."""
    shown = ranking([(finding("a", state=state), 1), (finding("b"), 1)], a=["b"])
    assert [f.explained_by for f in shown] == [None, None]


def test_a_pending_finding_can_be_explained() -> None:
    """The symptom of a complete cause need not be complete."""
    assert order(finding("a"), finding("b", state=State.PENDING), a=["b"]) == ["a", "b<a"]


def test_a_cause_does_not_explain_another_engines_finding() -> None:
    """Only entities that belong together share a cause."""
    assert order(finding("a", ENGINE), finding("b", OTHER), a=["b"]) == ["a", "b"]


def test_a_process_explains_the_finding_of_its_engine_alone() -> None:
    """A relation counts as much as the same entity."""
    found = [finding("a", PROCESS), finding("b", ENGINE), finding("b", OTHER)]
    shown = ranking([(f, 1) for f in found], a=["b"])
    assert [(f.entity, f.explained_by) for f in shown] == [(PROCESS, None), (ENGINE, "a"), (OTHER, None)]


def test_a_chain_stands_under_its_root() -> None:
    """What explains and is explained hands on to its own cause."""
    assert order(*map(finding, "abc"), a=["b"], b=["c"]) == ["a", "b<a", "c<a"]


def test_of_two_that_explain_each_other_the_first_is_the_cause() -> None:
    """The order decides where the rules do not."""
    assert order(finding("a"), finding("b"), a=["b"], b=["a"]) == ["a", "b<a"]


def test_a_rule_that_explains_itself_stays_a_cause() -> None:
    """A finding is not under itself."""
    assert order(finding("a"), a=["a"]) == ["a"]


def test_a_symptom_lends_its_severity_to_its_cause() -> None:
    """A cause is shown as severe as what it does."""
    symptom = finding("b", rank_class="symptom", severity=Severity.CRITICAL)
    shown = ranking([(finding("a", severity=Severity.INFO), 1), (symptom, 1)], a=["b"])
    assert [(f.rule, f.severity) for f in shown] == [("a", Severity.CRITICAL), ("b", Severity.CRITICAL)]


def test_a_milder_symptom_lowers_nothing() -> None:
    """The higher of the two."""
    symptom = finding("b", rank_class="symptom", severity=Severity.INFO)
    assert ranking([(finding("a"), 1), (symptom, 1)], a=["b"])[0].severity is Severity.WARN


@pytest.mark.parametrize(("rank_class", "state"), [("regression", State.FIRING), ("symptom", State.PENDING)])
def test_nothing_but_a_complete_symptom_lends_its_severity(rank_class: str, state: State) -> None:
    """Another cause underneath, or a symptom not yet complete, raises nothing."""
    under = finding("b", rank_class=rank_class, state=state, severity=Severity.CRITICAL)
    assert ranking([(finding("a"), 1), (under, 1)], a=["b"])[0].severity is Severity.WARN


def test_one_rule_on_several_parts_of_one_engine_is_one_headline() -> None:
    """Four processes stopped by one quota are one incident; the first stands for them."""
    assert order(*(finding("a", entity=part) for part in PARTS)) == ["a", "a<a", "a<a"]


def test_one_rule_on_two_engines_is_two_headlines() -> None:
    """Nothing says that they have a cause in common."""
    assert order(finding("a"), finding("a", entity=OTHER)) == ["a", "a"]


def test_a_part_that_has_held_in_full_stands_for_those_that_have_not() -> None:
    """The first in order is only pending."""
    shown = ranking([(finding("a", entity=PARTS[0], state=State.PENDING), 1), (finding("a", entity=PARTS[1]), 1)])
    assert [(f.entity, f.explained_by) for f in shown] == [(PARTS[1], None), (PARTS[0], "a")]


def test_a_refuted_part_stands_for_itself() -> None:
    """A measurement of one process says nothing of the others."""
    refuted = replace(answered("a", CheckResult.REFUTED), entity=PARTS[0])
    assert order(refuted, finding("a", entity=PARTS[1])) == ["a", "a"]


def test_what_another_part_explains_stands_under_the_first() -> None:
    """One root for the whole incident."""
    shown = order(finding("a", entity=PARTS[0]), finding("a", entity=PARTS[1]), finding("b", entity=PARTS[1]), a=["b"])
    assert shown == ["a", "a<a", "b<a"]


def test_the_first_part_is_as_severe_as_the_worst() -> None:
    """It stands for all of them."""
    shown = ranking(
        [
            (finding("a", entity=PARTS[0]), 2),
            (finding("a", entity=PARTS[1], severity=Severity.CRITICAL), 1),
        ]
    )
    assert [f.severity for f in shown] == [Severity.CRITICAL, Severity.CRITICAL]


def test_a_raised_cause_takes_the_place_of_its_class() -> None:
    """At its new severity it is ranked as any other of that severity."""
    raised = finding("a", severity=Severity.INFO, rank_class="memory")
    symptom = finding("b", rank_class="symptom")
    assert order(raised, symptom, finding("c", rank_class="regression"), a=["b"]) == ["a", "b<a", "c"]


@settings(max_examples=80)
@given(
    st.lists(st.tuples(st.sampled_from(NAMES), st.sampled_from([ENGINE, OTHER, PROCESS])), unique=True),
    st.fixed_dictionaries({name: st.lists(st.sampled_from(NAMES), unique=True) for name in NAMES}),
    st.randoms(use_true_random=False),
)
def test_whatever_explains_what_all_are_shown_once_under_a_head(
    found: list[tuple[str, Entity]], explains: dict[str, list[str]], rng: st.DataObject
) -> None:
    """Cycles end, nothing is lost or doubled, and the order of arrival does not matter."""
    findings = [(finding(name, entity), 1) for name, entity in found]
    shown = ranking(findings, **explains)
    assert sorted((f.rule, f.entity) for f in shown) == sorted(found)
    head = None
    for f in shown:
        head = f.rule if f.explained_by is None else head
        assert f.explained_by in (None, head)
    rng.shuffle(findings)  # type: ignore[attr-defined]  # a random.Random drawn by hypothesis
    assert ranking(findings, **explains) == shown
