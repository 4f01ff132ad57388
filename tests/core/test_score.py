"""How findings are compared with what a situation must be called."""

from __future__ import annotations

from perfconsole.core.score import scored, total
from perfconsole.model.finding import CheckResult, FindingCheck, Verdict
from perfconsole.model.rule import Severity
from perfconsole.model.situation import Expected
from tests.diagnose.judging import finding


def test_the_place_of_an_acceptable_rule() -> None:
    """What stands under a cause does not take a place."""
    case = scored("s", Expected(first=("b",)), [finding("a"), finding("x", explained_by="a"), finding("b")], ())
    assert case.rank == 2


def test_a_rule_under_its_cause_is_not_named_as_one() -> None:
    """It has no place of its own, and holds all the same."""
    case = scored("s", Expected(first=("b",), present=("b",)), [finding("a"), finding("b", explained_by="a")], ())
    assert (case.rank, case.present_lacking) == (None, ())


def test_information_does_not_break_silence() -> None:
    """A warning does, unless it is allowed."""
    info = finding("i", severity=Severity.INFO)
    assert scored("s", Expected(), [info], ()).silent_ok
    assert not scored("s", Expected(), [info, finding("w")], ()).silent_ok
    assert scored("s", Expected(allowed=("w",)), [info, finding("w")], ()).silent_ok


def test_information_hides_no_warning() -> None:
    """A warning under a cause that is mere information counts for itself."""
    cause = finding("i", severity=Severity.INFO)
    assert not scored("s", Expected(), [cause, finding("w", explained_by="i")], ()).silent_ok


def test_a_wrong_headline_counts_when_it_is_called_likely() -> None:
    """One that is called possible says that it is not sure."""
    expected = Expected(first=("b",))
    assert scored("s", expected, [finding("a")], ()).wrong_likely
    assert not scored("s", expected, [finding("a", verdict=Verdict.POSSIBLE)], ()).wrong_likely
    assert not scored("s", expected, [finding("b")], ()).wrong_likely


def test_a_rule_that_must_not_be_shown() -> None:
    """As a cause of warn or above; under a cause it may hold."""
    expected = Expected(first=("b",), absent=("a",))
    assert scored("s", expected, [finding("b"), finding("a")], ()).absent_shown == ("a",)
    assert scored("s", expected, [finding("b"), finding("a", explained_by="b")], ()).absent_shown == ()


def test_what_a_check_refuted_is_no_answer() -> None:
    """The next one is."""
    check = FindingCheck("flame", "", None, "", "", CheckResult.REFUTED, measured=True)
    assert scored("s", Expected(first=("b",)), [finding("a", checks=(check,)), finding("b")], ()).rank == 1


def test_the_sum_over_many() -> None:
    """Silent ones are counted apart."""
    named, missed, silent = Expected(first=("b",)), Expected(first=("c",)), Expected()
    cases = [
        scored("1", named, [finding("b")], ()),
        scored("2", named, [finding("a"), finding("b")], ()),
        scored("3", missed, [finding("a", verdict=Verdict.POSSIBLE)], ()),
        scored("4", silent, [], ()),
    ]
    score = total(cases)
    assert (score.cases, score.top1, score.top3, score.silent_cases, score.silent_ok, score.wrong_likely) == (
        3, 1, 2, 1, 1, 1,
    )  # fmt: skip
