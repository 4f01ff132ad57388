"""How long a condition has been TRUE, with gaps, in a young session, and in a short run."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from perfconsole.diagnose.holds import WARM_UP_S, Hold, Outcome, cut_hold
from perfconsole.model.finding import Truth

T, F, U = Truth.TRUE, Truth.FALSE, Truth.UNKNOWN
SCRIPTS = st.lists(st.sampled_from([T, T, T, F, U]), min_size=1, max_size=40)


def play(truths: list[Truth], hold_s: float, step: float = 1.0) -> list[Outcome]:
    """Outcome at each tick."""
    hold = Hold()
    return [hold.update(i * step, truth, hold_s) for i, truth in enumerate(truths)]


def test_a_hold_is_on_its_way_from_the_first_true_tick() -> None:
    """One TRUE tick of a young session proves nothing yet, and would go on."""
    assert play([T], 3.0) == [Outcome(U, T)]


def test_a_hold_completes_when_the_whole_window_was_true() -> None:
    """TRUE from the tick that is the hold's length after the first."""
    assert [o.strict for o in play([T] * 5, 3.0)] == [U, U, U, T, T]


def test_a_false_tick_inside_the_window_makes_it_false() -> None:
    """The window is known not to have been TRUE, whatever the newest tick says."""
    assert play([F, T, T, T, T], 3.0) == [Outcome(F, F), Outcome(F, T), Outcome(F, T), Outcome(U, T), Outcome(T, T)]


def test_one_false_tick_ends_it_at_once() -> None:
    """FALSE now is FALSE as a whole and has no hope."""
    assert play([T] * 5 + [F], 3.0)[-1] == Outcome(F, F)


def test_a_gap_now_is_unknown() -> None:
    """A tick without data is UNKNOWN, not FALSE."""
    assert play([T] * 5 + [U], 3.0)[-1] == Outcome(U, U)


def test_a_gap_inside_the_window_is_unknown_until_it_has_left_it() -> None:
    """The hold starts anew behind a gap, on its way and not FALSE."""
    assert play([T, T, T, T, U, T, T, T, T], 3.0)[5:] == [Outcome(U, T)] * 3 + [Outcome(T, T)]


def test_rounding_of_the_clock_does_not_cost_a_tick() -> None:
    """Thirty tenths of a second are three seconds, whatever the sum of floats says."""
    hold = Hold()
    outcomes = [hold.update(sum([0.1] * i), T, 3.0) for i in range(31)]
    assert outcomes[30].strict is T


def test_a_clock_that_steps_back_starts_the_hold_anew() -> None:
    """Nothing has been TRUE for less than no time."""
    hold = Hold()
    hold.update(100.0, T, 3.0)
    hold.update(5.0, T, 3.0)
    assert hold.held_s(5.0) == 0.0
    assert hold.update(8.0, T, 3.0).strict is T


def test_a_hold_that_is_not_true_has_held_for_nothing() -> None:
    """After a FALSE tick the time counts from 0."""
    hold = Hold()
    hold.update(0.0, T, 3.0)
    hold.update(1.0, F, 3.0)
    assert hold.held_s(1.0) == 0.0


@settings(max_examples=100)
@given(SCRIPTS, st.integers(1, 8))
def test_a_hold_says_what_its_window_says(script: list[Truth], hold_s: int) -> None:
    """TRUE only of a whole window of TRUE ticks, FALSE only with a FALSE tick in it."""
    for i, outcome in enumerate(play(script, float(hold_s))):
        window = script[max(0, i - hold_s) : i + 1]
        whole = i >= hold_s
        assert (outcome.strict is T) == (whole and set(window) == {T})
        if outcome.strict is F:
            assert F in script[max(0, i - hold_s + 1) : i + 1]
        assert outcome.hopeful is script[i]


@settings(max_examples=60)
@given(SCRIPTS, st.integers(1, 8), st.data())
def test_data_instead_of_a_gap_never_turns_a_decided_hold(
    script: list[Truth], hold_s: int, data: st.DataObject
) -> None:
    """What a hold said in spite of gaps, it says with any data in their place."""
    known = [data.draw(st.sampled_from([T, F])) if truth is U else truth for truth in script]
    for with_gaps, without in zip(play(script, hold_s), play(known, hold_s), strict=True):
        if with_gaps.strict is T:
            assert without.strict is T
        if with_gaps.strict is F:
            assert without.strict is not T


def test_a_session_without_an_end_cuts_nothing() -> None:
    """Live, a hold is as long as the rule says."""
    assert cut_hold(60.0, None, 300.0) == 60.0


def test_a_run_cuts_a_hold_to_what_is_left_after_the_start() -> None:
    """min(hold, run - warm-up)."""
    assert cut_hold(60.0, 30.0, 0.0) == 30.0 - WARM_UP_S


def test_a_hold_that_fits_is_not_cut() -> None:
    """A run long enough leaves the rule's own hold, to the second."""
    assert cut_hold(20.0, 20.0 + WARM_UP_S, 0.0) == 20.0


def test_the_window_of_an_operand_comes_off_the_run_too() -> None:
    """What needs 10 s before it can speak leaves less of the run to hold."""
    assert cut_hold(60.0, 30.0, 10.0) == 20.0 - WARM_UP_S


def test_a_cut_never_goes_below_nothing() -> None:
    """A run shorter than its warm-up leaves a hold of 0."""
    assert cut_hold(60.0, 2.0, 10.0) == 0.0


def test_a_very_short_run_keeps_two_thirds_for_its_holds() -> None:
    """Otherwise a single tick would complete every hold."""
    assert cut_hold(60.0, 12.0, 0.0) == 8.0
