"""The verdict table, fall-backs, and what an undecided rule lacks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from perfconsole.diagnose.assess import Assessment, assess, missing_operands
from perfconsole.model.finding import Truth, Verdict
from perfconsole.model.sample import Missing
from tests.diagnose.judging import ENGINE, Told, evaluator, missing_names, rule

if TYPE_CHECKING:
    from perfconsole.model.rule import Rule

T, F, U = Truth.TRUE, Truth.FALSE, Truth.UNKNOWN
NONE = Missing.NOT_EXPORTED
OVER_BASE = rule("slow", "engine.x > 2 * base(engine.x)", fallback={"1": "engine.x > 10"})


def judged(of: Rule, run_s: float | None = None, base: float | None = None, **values: float | Missing) -> Assessment:
    """Assessment at one tick; `x=2.0` is the value of engine.x."""
    bases = {} if base is None else {"engine.x": base}
    reader = Told(0.0, {f"engine.{name}": value for name, value in values.items()}, bases, run_s)
    return assess(of, ENGINE, evaluator(reader))


EXCLUDED = rule("slow", "engine.x > 1", "engine.y > 1", unless=["engine.z > 1"])


def test_true_and_no_exclusion_is_likely() -> None:
    """First row of the table."""
    found = judged(EXCLUDED, x=2.0, y=2.0, z=0.0)
    assert (found.strict, found.verdict, found.undecided) == (T, Verdict.LIKELY, False)


def test_a_rule_without_exclusions_is_likely() -> None:
    """First row, `unless` absent."""
    assert judged(rule("slow", "engine.x > 1"), x=2.0).verdict is Verdict.LIKELY


def test_true_and_an_open_exclusion_is_possible() -> None:
    """Second row: a missing source weakens the verdict and does not silence the rule."""
    found = judged(EXCLUDED, x=2.0, y=2.0, z=NONE)
    assert (found.strict, found.verdict) == (T, Verdict.POSSIBLE)


def test_true_and_an_exclusion_that_holds_is_ruled_out() -> None:
    """Third row: nothing to show, and the exclusion is the reason."""
    found = judged(EXCLUDED, x=2.0, y=2.0, z=2.0)
    assert (found.strict, found.hopeful, found.undecided, found.silenced) == (F, F, False, True)


@pytest.mark.parametrize("z", [0.0, NONE])
def test_unknown_with_something_true_is_undecided(z: float | Missing) -> None:
    """Fourth row: one condition holds and another lacks its data."""
    found = judged(EXCLUDED, x=2.0, y=NONE, z=z)
    assert (found.strict, found.undecided, missing_names(found)) == (U, True, ["engine.y"])


def test_unknown_with_nothing_true_is_not_undecided() -> None:
    """A rule of which nothing at all is known is not worth a line."""
    assert not judged(EXCLUDED, x=NONE, y=NONE, z=0.0).undecided


def test_an_exclusion_that_holds_settles_a_rule_that_lacks_data() -> None:
    """Whatever the missing value is, the rule would be ruled out."""
    found = judged(EXCLUDED, x=2.0, y=NONE, z=2.0)
    assert (found.undecided, found.silenced) == (False, False)


@pytest.mark.parametrize("x", [0.0, 2.0, NONE])
@pytest.mark.parametrize("z", [0.0, 2.0, NONE])
def test_false_is_quiet(x: float | Missing, z: float | Missing) -> None:
    """Fifth row: one FALSE condition ends it, whatever else is missing or excluded."""
    found = judged(EXCLUDED, x=x, y=0.0, z=z)
    assert (found.strict, found.hopeful, found.undecided, found.silenced) == (F, F, False, False)


def test_any_exclusion_rules_out() -> None:
    """`unless` is joined by or."""
    two = rule("slow", "engine.x > 1", unless=["engine.y > 1", "engine.z > 1"])
    assert judged(two, x=2.0, y=0.0, z=2.0).ruled_out


def test_an_exclusion_whose_hold_is_open_weakens_the_verdict() -> None:
    """What may still turn out to exclude it is not excluded yet."""
    held = rule("slow", "engine.x > 1", unless=["engine.z > 1 for 60s"])
    found = judged(held, x=2.0, z=2.0)
    assert (found.strict, found.verdict) == (T, Verdict.POSSIBLE)


def test_an_open_hold_is_pending_and_not_undecided() -> None:
    """Open as a whole and hopeful, with nothing missing."""
    found = judged(rule("slow", "engine.x > 1 for 60s", "engine.y > 1"), x=2.0, y=2.0)
    assert (found.strict, found.hopeful, found.undecided) == (U, T, False)


def test_an_open_hold_beside_missing_data_is_undecided() -> None:
    """Something is on its way and something is not known."""
    found = judged(rule("slow", "engine.x > 1 for 60s", "engine.y > 1"), x=2.0, y=NONE)
    assert (found.hopeful, found.undecided, missing_names(found)) == (U, True, ["engine.y"])


def test_a_baseline_that_is_there_is_used() -> None:
    """With history the verdict is likely and the fall-back is not asked."""
    found = judged(OVER_BASE, base=1.0, x=3.0)
    assert (found.strict, found.verdict, found.no_history) == (T, Verdict.LIKELY, False)


def test_a_missing_baseline_brings_the_fall_back_and_at_best_possible() -> None:
    """Reached without history, it says so."""
    found = judged(OVER_BASE, x=11.0)
    assert (found.strict, found.verdict, found.no_history) == (T, Verdict.POSSIBLE, True)


def test_the_fall_back_is_what_is_shown() -> None:
    """The reading carries the condition that was judged."""
    assert judged(OVER_BASE, x=11.0).when[0].reading().condition == "engine.x > 10"


def test_a_fall_back_can_be_false() -> None:
    """Without history the absolute limit decides, in both directions."""
    assert judged(OVER_BASE, x=9.0).strict is F


def test_a_fall_back_does_not_stand_in_for_other_missing_data() -> None:
    """Where the baseline is there and the value is not, the condition is open and stays so."""
    found = judged(OVER_BASE, base=1.0, x=NONE)
    assert (found.strict, found.no_history) == (U, False)


@pytest.mark.parametrize(("x", "expected"), [(2.0, T), (0.0, F)])
def test_what_is_decided_without_its_baseline_stays_decided(x: float, expected: Truth) -> None:
    """A side that needs no history settles the condition, and no fall-back weakens it."""
    join = "or" if expected is T else "and"
    settled = rule("slow", f"engine.x > 1 {join} engine.x > 2 * base(engine.x)", fallback={"1": "engine.x > 10"})
    found = judged(settled, x=x)
    assert (found.strict, found.no_history, found.verdict) == (expected, False, Verdict.LIKELY)


def test_an_open_hold_without_history_needs_no_fall_back() -> None:
    """A side that is on its way counts as decided so far."""
    held = rule("slow", "engine.x > 1 for 60s or engine.x > 2 * base(engine.x)", fallback={"1": "engine.x > 10"})
    found = judged(held, x=2.0)
    assert (found.hopeful, found.no_history) == (T, False)


def test_a_fall_back_of_none_leaves_the_rule_undecided() -> None:
    """Such a rule waits for history, and says that it does."""
    waits = rule("slow", "engine.y > 1", "engine.x > 2 * base(engine.x)", fallback={"2": "none"})
    found = judged(waits, x=11.0, y=2.0)
    assert (found.undecided, found.no_history, missing_names(found)) == (True, False, ["base(engine.x)"])


def test_a_fall_back_replaces_its_own_condition_only() -> None:
    """The number counts from 1."""
    second = rule("slow", "engine.y > 1", "engine.x > 2 * base(engine.x)", fallback={"2": "engine.x > 10"})
    found = judged(second, x=11.0, y=0.0)
    assert [j.condition.text for j in found.when] == ["engine.y > 1", "engine.x > 10"]


def test_the_hold_of_a_fall_back_counts_while_it_is_not_needed() -> None:
    """When the baseline is lost, the fall-back has been held already."""
    held = rule("slow", "engine.x > 2 * base(engine.x)", fallback={"1": "engine.x > 1 for 2s"})
    holds: dict[object, object] = {}
    for t in range(3):
        reader = Told(float(t), {"engine.x": 3.0}, {"engine.x": 1.0} if t < 2 else {})
        found = assess(held, ENGINE, evaluator(reader, holds))  # type: ignore[arg-type]  # filled by the evaluator only
    assert (found.strict, found.no_history) == (T, True)


def test_conditions_that_are_on_their_way_count_as_met() -> None:
    """The order ranks by what holds so far."""
    three = rule("slow", "engine.x > 1 for 60s", "engine.y > 1", "engine.z > 1")
    assert judged(three, x=2.0, y=2.0, z=NONE).met() == 2


def test_only_a_shortened_hold_that_takes_part_is_a_cut() -> None:
    """A long hold in a branch that is FALSE leaves the finding whole."""
    branches = rule("slow", "engine.x > 9 for 60s or engine.y > 1")
    assert [judged(branches, 10.0, x=x, y=2.0).cut for x in (2.0, 10.0)] == [False, True]


def test_a_missing_operand_is_named_once_with_its_source() -> None:
    """Two conditions that read the same name ask for it once."""
    twice = rule("slow", "engine.x > 1", "engine.x < 9", "engine.y > 1")
    found = missing_operands(judged(twice, x=NONE, y=2.0).when, lambda name: f"of {name}")
    assert [(m.name, m.reason, m.source) for m in found] == [("engine.x", NONE, "of engine.x")]


BOTH = rule("slow", "engine.x > 1", "engine.y > 1", unless=["engine.z > 1"])


@pytest.mark.parametrize(
    ("x", "y", "only"),
    [
        (Missing.NEVER, 2.0, True),
        (Missing.NEVER, Missing.NO_BASELINE, True),
        (Missing.NEVER, Missing.STALE, False),
        (Missing.WARMING_UP, 2.0, False),
        (2.0, 2.0, False),
    ],
)
def test_nothing_to_observe_is_said_of_all_that_is_missing(
    x: float | Missing, y: float | Missing, *, only: bool
) -> None:
    """Every missing operand must be one that was not there to observe, and one at least must miss."""
    assert judged(BOTH, x=x, y=y, z=0.0).only_unobserved is only


@pytest.mark.parametrize("reason", [r for r in Missing if r not in (Missing.NEVER, Missing.NO_BASELINE)])
def test_data_that_got_lost_is_not_unobserved(reason: Missing) -> None:
    """Each other reason leaves open what the value would be."""
    assert not judged(rule("slow", "engine.x > 1"), x=reason).only_unobserved


def test_a_missing_exclusion_says_nothing_of_what_was_observed() -> None:
    """Only what would decide `when` counts."""
    assert judged(BOTH, x=Missing.NEVER, y=2.0, z=Missing.STALE).only_unobserved


def test_operands_of_a_decided_condition_do_not_count() -> None:
    """A side that settles its condition makes the other side's data needless."""
    settled = rule("slow", "engine.x > 1", "engine.y > 1 or engine.w > 1")
    assert judged(settled, x=Missing.NEVER, y=2.0, w=Missing.STALE).only_unobserved


def test_a_missing_baseline_without_fall_back_is_unobserved() -> None:
    """There was no healthy stretch to observe."""
    assert judged(rule("slow", "engine.x > 2 * base(engine.x)"), x=3.0).only_unobserved


def test_a_division_by_zero_is_not_unobserved() -> None:
    """Open without a missing operand is no proof that there was nothing."""
    found = judged(rule("slow", "engine.x / engine.y > 1"), x=0.0, y=0.0)
    assert (found.strict, found.only_unobserved) == (U, False)
