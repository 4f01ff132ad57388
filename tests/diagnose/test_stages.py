"""The life of a finding, tick by tick."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perfconsole.diagnose.stages import KEEP_S, Stage
from perfconsole.model.finding import State, Truth, Verdict
from perfconsole.model.rule import Severity
from perfconsole.model.sample import Missing
from tests.diagnose.judging import ENGINE, Told, finding, judge, rule, states

GAP = Missing.STALE
TICKS = st.lists(st.sampled_from([2.0, 2.0, 2.0, 0.0, GAP]), min_size=1, max_size=40)
EXCLUSIONS = st.lists(st.sampled_from([0.0, 0.0, 2.0, GAP]), min_size=40, max_size=40)
HELD = rule("slow", "engine.x > 1 for 3s")
PLAIN = rule("slow", "engine.x > 1")


def test_a_finding_is_pending_from_the_first_true_tick_until_its_hold_completes() -> None:
    """Nobody waits for the hold to see the name."""
    assert states(judge(HELD), "engine.x", [2.0] * 5) == ["pending"] * 3 + ["firing"] * 2


def test_one_false_tick_takes_a_pending_finding_off() -> None:
    """It never fired, so it leaves nothing to keep."""
    assert states(judge(HELD), "engine.x", [2.0, 2.0, 0.0, 2.0]) == ["pending", "pending", "-", "pending"]


def test_a_pending_finding_that_loses_its_data_goes() -> None:
    """Nothing is known to have fired."""
    assert states(judge(HELD), "engine.x", [2.0, GAP]) == ["pending", "-"]


def test_a_firing_finding_that_loses_its_data_is_undecided_and_fires_again_with_it() -> None:
    """A gap never resolves, and the hold need not run again for what had fired."""
    shown = states(judge(HELD), "engine.x", [2.0] * 4 + [GAP] * 3 + [2.0])
    assert shown[4:] == ["undecided"] * 3 + ["firing"]


def test_a_false_tick_behind_a_gap_resolves() -> None:
    """Known to be over is over."""
    assert states(judge(PLAIN), "engine.x", [2.0, GAP, 0.0]) == ["firing", "undecided", "clearing"]


def test_a_finding_that_stopped_is_kept_a_little() -> None:
    """Ten seconds of clearing, then nothing."""
    shown = states(judge(PLAIN), "engine.x", [2.0] + [0.0] * 13)
    assert shown == ["firing"] + ["clearing"] * int(KEEP_S) + ["-"] * 3


def test_a_gap_does_not_prolong_what_is_clearing() -> None:
    """It was known to be over before the data went."""
    shown = states(judge(PLAIN), "engine.x", [2.0, 0.0] + [GAP] * 11)
    assert (shown[1], shown[10], shown[12]) == ("clearing", "clearing", "-")


def test_what_clears_and_holds_again_must_run_its_hold_again() -> None:
    """Clearing has no claim to fire."""
    shown = states(judge(HELD), "engine.x", [2.0] * 4 + [0.0] + [2.0] * 4)
    assert shown[4:] == ["clearing", "pending", "pending", "pending", "firing"]


def test_a_branch_whose_hold_is_open_does_not_keep_the_other_firing() -> None:
    """When the branch that fired is FALSE, what is left is only on its way."""
    branches = judge(rule("slow", "engine.x > 5 for 2s or engine.x > 1 for 9s"))
    shown = states(branches, "engine.x", [0.0] + [6.0] * 4 + [2.0] * 6)
    assert shown == ["-", "pending", "pending", "firing", "firing", *["pending"] * 5, "firing"]


def test_since_is_when_all_conditions_first_held_together() -> None:
    """A condition that was TRUE long before the others does not age the finding."""
    both = judge(rule("slow", "engine.x > 1 for 2s", "engine.y > 1"))
    for t in range(10):
        found, _ = both.judge(Told(float(t), {"engine.x": 2.0, "engine.y": 2.0 if t >= 6 else 0.0}), [ENGINE])
    assert (found[0].state, found[0].since) == (State.FIRING, 6.0)


def test_since_counts_the_time_of_the_hold() -> None:
    """A finding that fires has held since its first TRUE tick."""
    held = judge(HELD)
    for t in range(5):
        found, _ = held.judge(Told(float(t), {"engine.x": 2.0}), [ENGINE])
    assert found[0].since == 0.0


def test_a_gap_keeps_since() -> None:
    """The finding behind a gap is the one before it."""
    plain = judge(PLAIN)
    ticks: list[float | Missing] = [0.0, 2.0, GAP, 2.0]
    for t, x in enumerate(ticks):
        found, _ = plain.judge(Told(float(t), {"engine.x": x}), [ENGINE])
    assert found[0].since == 1.0


@pytest.mark.parametrize("hold", ["", " for 4s"])
def test_a_new_stretch_has_a_since_of_its_own(hold: str) -> None:
    """What comes back after it was over began when it came back."""
    again = judge(rule("slow", f"engine.x > 1{hold}"))
    for t, x in enumerate([2.0] * 5 + [0.0, 2.0]):
        found, _ = again.judge(Told(float(t), {"engine.x": x}), [ENGINE])
    assert found[0].since == 6.0


def test_a_stage_begins_with_nothing_to_show() -> None:
    """A rule that never held has no state."""
    assert Stage().state is None


@settings(max_examples=80)
@given(TICKS, EXCLUSIONS, st.sampled_from(["engine.x > 1", "engine.x > 1 for 3s"]))
def test_a_gap_never_resolves_a_finding(xs: list[float | Missing], zs: list[float | Missing], when: str) -> None:
    """Fired, it leaves FIRING and UNDECIDED only by a FALSE tick or an exclusion that holds."""
    of = judge(rule("slow", when, unless=["engine.z > 1"]))
    fired = False
    for t, (x, z) in enumerate(zip(xs, zs, strict=False)):
        found, _ = of.judge(Told(float(t), {"engine.x": x, "engine.z": z}), [ENGINE])
        now = bool(found) and found[0].state in (State.FIRING, State.UNDECIDED)
        if fired and not now:
            assert x == 0.0 or z == 2.0
        if x == 0.0 or z == 2.0:
            assert not now
        fired = now


@settings(max_examples=80)
@given(TICKS)
def test_firing_means_that_every_known_tick_since_then_held(xs: list[float | Missing]) -> None:
    """The state of a finding is the one its readings justify."""
    of = judge(HELD)
    for t, x in enumerate(xs):
        found, undecided = of.judge(Told(float(t), {"engine.x": x}), [ENGINE])
        for f in found:
            assert (f.state is State.UNDECIDED) == (x is GAP and f.state is not State.CLEARING)
            assert f.state is not State.FIRING or f.readings[0].so_far is Truth.TRUE
            assert f.state is not State.PENDING or f.readings[0].truth is not Truth.TRUE
        assert bool(undecided) == any(f.state is State.UNDECIDED for f in found)


def test_what_clears_keeps_the_last_word_it_had() -> None:
    """An exclusion that ends a finding, or data that is gone, does not make it less sure or less bad in hindsight."""
    stage = Stage(state=State.FIRING)
    fired = stage.settled(finding("a", severity=Severity.CRITICAL))
    stage.state = State.CLEARING
    weaker = replace(fired, state=State.CLEARING, verdict=Verdict.POSSIBLE, severity=Severity.WARN, title="b")
    assert stage.settled(weaker) == replace(fired, state=State.CLEARING)


def test_what_comes_back_is_judged_anew() -> None:
    """A finding that is pending again has not said its word yet."""
    stage = Stage(state=State.PENDING, last_word=(Verdict.LIKELY, Severity.CRITICAL, "a"))
    pending = finding("a", state=State.PENDING, verdict=Verdict.POSSIBLE)
    assert stage.settled(pending) == pending


NOTHING = [Missing.NEVER, Missing.NO_BASELINE]
LOST = [reason for reason in Missing if reason not in NOTHING]


@pytest.mark.parametrize("reason", NOTHING)
def test_a_firing_finding_with_nothing_left_to_observe_clears(reason: Missing) -> None:
    """The sources answer, and there is nothing of the kind: it clears, is kept a little, and goes."""
    shown = states(judge(PLAIN), "engine.x", [2.0] + [reason] * 12)
    assert shown == ["firing"] + ["clearing"] * int(KEEP_S) + ["-"] * 2


@pytest.mark.parametrize("reason", LOST)
def test_a_firing_finding_that_lost_its_data_never_clears(reason: Missing) -> None:
    """For every reason that is no observation it stays undecided, however long."""
    assert states(judge(PLAIN), "engine.x", [2.0] + [reason] * 40)[1:] == ["undecided"] * 40


def test_a_side_that_nobody_ever_knew_keeps_nothing_undecided() -> None:
    """It fired by the one side, which is over; the other was unsupported all the time."""
    of = judge(rule("slow", "engine.x > 1 or engine.y > 1"))
    shown = []
    for t, x in enumerate([2.0, 0.0]):
        findings, _ = of.judge(Told(float(t), {"engine.x": x, "engine.y": Missing.UNSUPPORTED}), [ENGINE])
        shown.append(str(findings[0].state))
    assert shown == ["firing", "clearing"]


def test_a_side_that_was_known_and_is_lost_keeps_it_undecided() -> None:
    """It may well be what holds now."""
    of = judge(rule("slow", "engine.x > 1 or engine.y > 1"))
    shown = []
    ticks: list[tuple[float, float | Missing]] = [(2.0, 2.0), (0.0, GAP)]
    for t, (x, y) in enumerate(ticks):
        findings, _ = of.judge(Told(float(t), {"engine.x": x, "engine.y": y}), [ENGINE])
        shown.append(str(findings[0].state))
    assert shown == ["firing", "undecided"]


def test_a_source_that_is_back_with_nothing_to_observe_resolves() -> None:
    """Undecided while it was down, clearing once it answers."""
    shown = states(judge(PLAIN), "engine.x", [2.0, Missing.SOURCE_DOWN, Missing.NEVER])
    assert shown == ["firing", "undecided", "clearing"]


def test_data_lost_while_clearing_does_not_bring_the_finding_back() -> None:
    """Nothing to observe had ended it before."""
    assert states(judge(PLAIN), "engine.x", [2.0, Missing.NEVER, GAP]) == ["firing", "clearing", "clearing"]


def test_a_pending_finding_with_nothing_left_to_observe_goes() -> None:
    """It never fired, so there is nothing to clear."""
    assert states(judge(HELD), "engine.x", [2.0, Missing.NEVER]) == ["pending", "-"]


def test_a_finding_that_cleared_for_lack_of_observations_must_hold_again() -> None:
    """The minutes without requests are no part of a hold."""
    shown = states(judge(HELD), "engine.x", [2.0] * 4 + [Missing.NEVER] + [2.0] * 4)
    assert shown[3:] == ["firing", "clearing", "pending", "pending", "pending", "firing"]


def test_one_lost_operand_keeps_what_has_nothing_to_observe_undecided() -> None:
    """Where one of two missing values got lost, the other proves no recovery."""
    both = judge(rule("slow", "engine.x > 1", "engine.y > 1"))
    ticks: list[tuple[float | Missing, float | Missing]] = [(2.0, 2.0), (Missing.NEVER, GAP)]
    for t, (x, y) in enumerate(ticks):
        found, _ = both.judge(Told(float(t), {"engine.x": x, "engine.y": y}), [ENGINE])
    assert found[0].state is State.UNDECIDED
