"""Tests of how sure a finding is, in numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from perfconsole.model.dictionary import DEFAULT
from perfconsole.model.finding import CheckResult, Finding, FindingCheck, RuledOut, Truth, Verdict
from perfconsole.model.sample import Missing
from perfconsole.model.snapshot import Baseline
from perfconsole.view.picture import Picture
from perfconsole.view.surety import base_words, decided_of, open_lines, sure_words
from tests.diagnose.judging import rule
from tests.view.pictures import finding, indicator, reading, snapshot

if TYPE_CHECKING:
    from perfconsole.model.rule import Rule

KV, ITL = "engine.kv_cache_usage", "engine.itl.p50"
RULE = rule("admission-cap", f"{KV} < 80%", "engine.requests_waiting > 0", unless=[f"{KV} > 95%", f"{ITL} > 1s"])
TWO = (reading(), reading(truth=Truth.FALSE, held=(3.0, 60.0)))
FALSE = RuledOut("admission-cap", f"{KV} > 95%", ((KV, 0.5),))
LACKS = ((ITL, Missing.NOT_EXPORTED),)


@pytest.mark.parametrize(
    ("found", "of", "decided"),
    [
        (finding(readings=TWO, ruled_out=(FALSE,), not_ruled_out=LACKS), RULE, (3, 4)),
        (finding(readings=TWO, ruled_out=(FALSE,), not_ruled_out=LACKS), None, (3, 4)),
        (finding(readings=TWO), RULE, (4, 4)),
        (finding(readings=(reading(truth=Truth.UNKNOWN, so_far=Truth.UNKNOWN),)), None, (0, 1)),
        (finding(readings=TWO, ruled_out=(RuledOut("rival", "x", ()),)), None, (2, 2)),
    ],
)
def test_conditions_and_exclusions_with_a_truth_are_counted(
    found: Finding, of: Rule | None, decided: tuple[int, int]
) -> None:
    """Rivals are no part of the rule; a hold that is open is decided so far."""
    assert decided_of(found, of) == decided


def test_the_verdict_stands_beside_its_numbers() -> None:
    """One word would be a matter of taste."""
    of = finding(readings=TWO, ruled_out=(FALSE,), not_ruled_out=LACKS, verdict=Verdict.POSSIBLE)
    assert sure_words(of, RULE) == ("possible: something that looks alike is not excluded; 3 of 4 conditions decided")


@pytest.mark.parametrize(
    ("result", "words"),
    [
        (CheckResult.CONFIRMED, "confirmed: a check measured it"),
        (CheckResult.REFUTED, "refuted: a check measured otherwise"),
    ],
)
def test_a_measurement_says_more_than_look_alikes(result: CheckResult, words: str) -> None:
    """Somebody looked."""
    check = FindingCheck("flame", "", None, "", "", result, measured=True)
    assert sure_words(finding(readings=TWO, checks=(check,)), RULE).startswith(words)


def test_a_missing_baseline_is_why_it_is_only_possible() -> None:
    """Where no look-alike is open."""
    of = finding(readings=TWO, verdict=Verdict.POSSIBLE, no_history=True)
    assert sure_words(of, RULE).startswith("possible: without a baseline an absolute limit had to do")


def test_a_baseline_says_where_it_comes_from() -> None:
    """A saved profile is worth more than ten minutes."""
    of = finding(readings=(reading(f"{ITL} > 2 * base({ITL})", (ITL, 0.1), (f"base({ITL})", 0.02)),))
    known = indicator(ITL, 0.1)._replace(baseline=Baseline(0.02, "12 healthy minutes of this session"))
    picture = Picture(snapshot(findings=(of,), indicators=(known,)), DEFAULT)
    assert list(base_words(of, picture)) == ["base(engine.itl.p50) 20 ms, from 12 healthy minutes of this session"]


def test_what_is_open_names_the_exclusion_and_the_source_that_would_decide_it() -> None:
    """So that somebody can make it visible."""
    of = finding(ruled_out=(FALSE,), not_ruled_out=LACKS)
    picture = Picture(snapshot(findings=(of,)), DEFAULT, rules=(RULE,))
    assert list(open_lines(of, picture)) == [
        "engine.itl.p50 > 1s: needs engine.itl.p50 (not exported, from metrics page)"
    ]
