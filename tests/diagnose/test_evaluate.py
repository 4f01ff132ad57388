"""One condition on one entity: Kleene logic, missing operands, arithmetic, holds inside."""

from __future__ import annotations

from math import inf, nan
from typing import TYPE_CHECKING

import pytest

from perfconsole.diagnose.evaluate import Holds, Trace
from perfconsole.diagnose.parse import parse
from perfconsole.model.finding import Truth
from perfconsole.model.sample import Missing
from tests.diagnose.judging import ENGINE, OTHER, Told, evaluator

if TYPE_CHECKING:
    from perfconsole.diagnose.holds import Outcome

T, F, U = Truth.TRUE, Truth.FALSE, Truth.UNKNOWN


def truth(text: str, reader: Told | None = None) -> Truth:
    """Strict truth of a condition at one tick; engine.x is 2 and engine.y 4 unless told otherwise."""
    told = reader or Told(values={"engine.x": 2.0, "engine.y": 4.0})
    return evaluator(told).outcome(parse(text), ENGINE, Trace()).strict


def traced(text: str, reader: Told, holds: Holds | None = None) -> tuple[Outcome, Trace]:
    """Outcome and what was read."""
    trace = Trace()
    return evaluator(reader, holds).outcome(parse(text), ENGINE, trace), trace


def run(text: str, values: list[float | Missing], **told: float) -> list[tuple[Outcome, Trace]]:
    """A condition over ticks of engine.x, one a second; engine.y is 4."""
    node = parse(text)
    holds: Holds = {}
    found = []
    for t, value in enumerate(values):
        trace = Trace()
        reader = Told(float(t), {"engine.x": value, "engine.y": 4.0}, run_s=told.get("run_s"))
        found.append((evaluator(reader, holds).outcome(node, ENGINE, trace), trace))
    return found


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("engine.x < 2", F),
        ("engine.x <= 2", T),
        ("engine.x > 2", F),
        ("engine.x >= 2", T),
        ("engine.x == 2", T),
        ("engine.x != 2", F),
        ("engine.x + engine.y == 6", T),
        ("engine.x - engine.y == 0 - 2", T),
        ("engine.x * engine.y == 8", T),
        ("engine.x / engine.y == 50%", T),
        ("not engine.x > 1", F),
    ],
)
def test_a_comparison_says_what_it_says(text: str, expected: Truth) -> None:
    """Every operator compares or computes as written."""
    assert truth(text) is expected


@pytest.mark.parametrize("text", ["engine.none > 1", "1 != engine.none", "not engine.none == 0", "engine.none - 1 < 0"])
def test_a_missing_operand_makes_a_comparison_unknown(text: str) -> None:
    """Nothing is concluded from what is not there, under `not` and `!=` too."""
    assert truth(text) is U


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("engine.none > 1 and engine.x > 5", F),
        ("engine.none > 1 and engine.x > 1", U),
        ("engine.none > 1 or engine.x > 1", T),
        ("engine.none > 1 or engine.x > 5", U),
    ],
)
def test_and_and_or_are_kleene(text: str, expected: Truth) -> None:
    """A decided side decides where it can."""
    assert truth(text) is expected


@pytest.mark.parametrize("text", ["engine.x / 0 > 1", "engine.x / 0 < 1", "engine.x / (engine.y - 4) != 1"])
def test_a_division_by_zero_is_unknown(text: str) -> None:
    """No direction of a comparison holds against what is no number."""
    assert truth(text) is U


@pytest.mark.parametrize("text", ["engine.x * engine.x > 1", "engine.x * engine.x - engine.x * engine.x < 1"])
def test_a_result_beyond_all_numbers_is_unknown(text: str) -> None:
    """An overflow is neither large nor small."""
    assert truth(text, Told(values={"engine.x": 1e300})) is U


@pytest.mark.parametrize("value", [nan, inf])
def test_arithmetic_never_passes_on_what_is_no_number(value: float) -> None:
    """A number that is none stays unknown through a sum."""
    assert truth("engine.x + 1 != 5", Told(values={"engine.x": value})) is U


def test_a_reason_survives_arithmetic() -> None:
    """The operand that is missing is named with its own reason."""
    _, trace = traced("engine.x + engine.y > 1", Told(values={"engine.x": 1.0, "engine.y": Missing.STALE}))
    assert trace.operand_list() == (("engine.x", 1.0), ("engine.y", Missing.STALE))


def test_operands_are_kept_as_they_are_written() -> None:
    """A baseline and functions stand under their own text, in order of reading."""
    reader = Told(
        values={"rate(engine.n[60])": 1.0, "max(gpu.u)": 3.0, "engine.x": 4.0},
        bases={"engine.x": 2.0},
    )
    _, trace = traced("rate(engine.n[1m]) < max(gpu.u) and engine.x > base(engine.x)", reader)
    assert trace.operand_list() == (
        ("rate(engine.n[60s])", 1.0),
        ("max(gpu.u)", 3.0),
        ("engine.x", 4.0),
        ("base(engine.x)", 2.0),
    )


def test_a_decided_or_still_reads_its_other_side() -> None:
    """A hold in the side that was not needed goes on counting."""
    found = run("engine.y > 1 or engine.x > 1 for 2s", [2.0, 2.0, 2.0])
    assert found[2][1].open_held_s == 2.0


def test_holds_of_two_entities_do_not_mix() -> None:
    """One engine's TRUE ticks count for that engine alone."""
    node = parse("engine.x > 1 for 2s")
    holds: Holds = {}
    for t in range(3):
        evaluator(Told(float(t), {"engine.x": 2.0}), holds).outcome(node, ENGINE, Trace())
    late = evaluator(Told(2.0, {"engine.x": 2.0}), holds).outcome(node, OTHER, Trace())
    assert late.strict is U


def test_not_of_a_hold_does_not_turn_hope_into_denial() -> None:
    """While it is open whether the window was TRUE, its negation is open too."""
    found = run("not (engine.x > 1 for 3s)", [2.0, 2.0, 2.0, 2.0])
    assert [o.strict for o, _ in found] == [U, U, U, F]


def test_the_hold_with_the_longest_way_to_go_is_shown() -> None:
    """Of two open holds the reading carries the later one."""
    trace = run("engine.x > 1 for 5s and engine.y > 1 for 60s", [2.0, 2.0])[1][1]
    assert (trace.open_held_s, trace.open_hold_s) == (1.0, 60.0)


def test_a_hold_in_a_false_branch_is_not_shown() -> None:
    """What does not hold is on no way to anything."""
    trace = run("engine.x > 9 for 60s or engine.y > 1 for 5s", [2.0])[0][1]
    assert (trace.open_held_s, trace.open_hold_s) == (0.0, 5.0)


def test_a_short_run_cuts_a_hold_and_says_so() -> None:
    """With 12 s in all, a hold of 60 s has 8 and completes."""
    found = run("engine.x > 1 for 60s", [2.0] * 9, run_s=12.0)
    assert (found[8][0].strict, found[8][1].cut, found[8][1].open_hold_s) == (T, True, 8.0)


def test_a_hold_that_fits_the_run_is_not_called_cut() -> None:
    """Only what was really shortened is."""
    assert run("engine.x > 1 for 4s", [2.0], run_s=10.0)[0][1].cut is False


@pytest.mark.parametrize("text", ["engine.x > 9 for 60s or engine.y > 1", "engine.x > 9 for 60s"])
def test_a_hold_that_takes_no_part_is_not_called_cut(text: str) -> None:
    """A shortened hold that is FALSE proves nothing, so nothing rests on its cut."""
    assert run(text, [2.0], run_s=10.0)[0][1].cut is False


def test_the_window_of_a_function_is_not_cut() -> None:
    """A function over a minute is asked for a minute in a run of 10 s as well."""
    reader = Told(values={"rate(engine.n[60])": 5.0}, run_s=10.0)
    assert truth("rate(engine.n[1m]) > 1", reader) is T


def test_a_window_longer_than_the_run_leaves_its_hold_nothing() -> None:
    """The hold is cut to 0, so that the function alone decides when it speaks."""
    reader = Told(values={"slope(engine.n[60])": 5.0}, run_s=30.0)
    outcome, trace = traced("slope(engine.n[1m]) > 1 for 20s", reader)
    assert (outcome.strict, trace.open_hold_s, trace.cut) == (T, 0.0, True)


def test_history_that_an_indicator_needs_comes_off_its_hold() -> None:
    """In a run of 30 s an indicator that speaks after 15 s can be held for 5."""
    reader = Told(values={"engine.x": 2.0}, run_s=30.0, full_windows={"engine.x": 15.0})
    assert traced("engine.x > 1 for 20s", reader)[1].open_hold_s == 5.0
