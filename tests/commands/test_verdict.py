"""What findings come to for a script."""

from __future__ import annotations

import argparse

import pytest

from perfconsole.commands.verdict import add_verdict_flags, code_of, limit_of, open_at, standing_verdicts
from perfconsole.model.finding import CheckResult, Finding, FindingCheck, State, Undecided, Verdict
from perfconsole.model.rule import Severity
from perfconsole.model.snapshot import Snapshot
from tests.diagnose.judging import ENGINE, finding


def snapshot(*findings: Finding, undecided: tuple[Undecided, ...] = ()) -> Snapshot:
    """A picture with nothing else in it."""
    return Snapshot(1, 1.0, 1.0, (), findings, undecided, (), (), (), ())


def counted(*findings: Finding, fail_on: str = "warn") -> set[Verdict]:
    """Verdicts that count."""
    return standing_verdicts(snapshot(*findings), fail_on)


def answered(*results: CheckResult, measured: bool = True) -> tuple[FindingCheck, ...]:
    """Checks with these results."""
    return tuple(FindingCheck("run", "", None, "", "", result, measured) for result in results)


@pytest.mark.parametrize(
    ("verdicts", "unsure", "code"),
    [
        ({Verdict.LIKELY, Verdict.POSSIBLE}, True, 1),
        ({Verdict.LIKELY}, True, 1),
        ({Verdict.LIKELY}, False, 1),
        ({Verdict.POSSIBLE}, False, 4),
        (set(), True, 4),
        (set(), False, 0),
    ],
)
def test_likely_comes_before_possible_and_possible_before_nothing(
    verdicts: set[Verdict], *, unsure: bool, code: int
) -> None:
    """1 before 4 before 0."""
    assert code_of(verdicts, unsure=unsure) == code


@pytest.mark.parametrize("state", [State.FIRING, State.CLEARING])
def test_a_finding_that_is_shown_counts(state: State) -> None:
    """One that clears was there a moment ago."""
    assert counted(finding(state=state)) == {Verdict.LIKELY}


@pytest.mark.parametrize("state", [State.PENDING, State.UNDECIDED])
def test_a_finding_that_has_not_fired_or_lost_its_data_does_not_count(state: State) -> None:
    """The one is not yet, the other no longer known."""
    assert counted(finding(state=state)) == set()


def test_a_refuted_finding_does_not_count() -> None:
    """An action has measured that it is not so."""
    assert counted(finding(checks=answered(CheckResult.REFUTED))) == set()


def test_a_confirmed_finding_counts() -> None:
    """Only a refutation takes it off."""
    assert counted(finding(checks=answered(CheckResult.CONFIRMED))) == {Verdict.LIKELY}


def test_a_finding_whose_checks_disagree_counts() -> None:
    """Nothing is refuted while another check confirms it."""
    assert counted(finding(checks=answered(CheckResult.REFUTED, CheckResult.CONFIRMED))) == {Verdict.LIKELY}


def test_a_result_that_nobody_measured_refutes_nothing() -> None:
    """It rests on the values that led to the finding."""
    assert counted(finding(checks=answered(CheckResult.REFUTED, measured=False))) == {Verdict.LIKELY}


def test_an_explained_finding_does_not_count() -> None:
    """Its cause counts for it, and decides how sure the answer is."""
    cause = finding("cause", verdict=Verdict.POSSIBLE)
    assert counted(cause, finding(explained_by="cause")) == {Verdict.POSSIBLE}


def test_a_warning_under_mere_information_counts() -> None:
    """What is no trouble itself does not excuse one."""
    cause = finding("cause", severity=Severity.INFO, verdict=Verdict.POSSIBLE)
    assert counted(cause, finding(explained_by="cause")) == {Verdict.LIKELY}


def test_information_under_information_does_not_count() -> None:
    """Even where information counts, the cause alone does."""
    cause = finding("cause", severity=Severity.INFO, verdict=Verdict.POSSIBLE)
    below = finding(severity=Severity.INFO, explained_by="cause")
    assert counted(cause, below, fail_on="info") == {Verdict.POSSIBLE}


@pytest.mark.parametrize(
    ("fail_on", "severities"),
    [
        ("info", ["info", "warn", "critical"]),
        ("warn", ["warn", "critical"]),
        ("critical", ["critical"]),
        ("never", []),
    ],
)
def test_findings_count_from_the_severity_asked_for(fail_on: str, severities: list[str]) -> None:
    """And for `never` not even the worst does."""
    assert [str(s) for s in Severity if counted(finding(severity=s), fail_on=fail_on)] == severities
    assert [str(s) for s in Severity if s.rank >= limit_of(fail_on)] == severities


@pytest.mark.parametrize(("fail_on", "unsure"), [("info", True), ("warn", True), ("critical", False), ("never", False)])
def test_an_undecided_rule_leaves_open_what_its_severity_counts_for(fail_on: str, *, unsure: bool) -> None:
    """A rule that would not count if it fired leaves nothing open."""
    undecided = (Undecided("slow", "slow", Severity.WARN, ENGINE, ()),)
    assert open_at(snapshot(undecided=undecided), fail_on) is unsure


def test_nothing_undecided_leaves_nothing_open() -> None:
    """Whatever fired."""
    assert not open_at(snapshot(finding()), "info")


def test_without_flags_a_warning_counts_and_open_rules_do_not() -> None:
    """The usual of a script."""
    parser = argparse.ArgumentParser()
    add_verdict_flags(parser)
    assert vars(parser.parse_args([])) == {"fail_on": "warn", "strict": False}
