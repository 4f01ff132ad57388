"""Stretches in which rules spoke, folded from snapshots."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from perfconsole.core.timeline import Timeline
from perfconsole.model.finding import State, Verdict
from perfconsole.model.rule import Severity
from perfconsole.model.snapshot import Snapshot
from tests.diagnose.judging import ENGINE, OTHER, finding

if TYPE_CHECKING:
    from perfconsole.model.episode import Episode
    from perfconsole.model.finding import Finding

LIKELY, POSSIBLE = Verdict.LIKELY, Verdict.POSSIBLE


def folded(*ticks: tuple[Finding, ...]) -> tuple[Episode, ...]:
    """Episodes of snapshots one second apart."""
    timeline = Timeline()
    for t, findings in enumerate(ticks):
        timeline.add(Snapshot(t, float(t), float(t), (), findings, (), (), (), (), ()))
    return timeline.episodes()


def test_a_run_in_which_nothing_spoke_has_no_episode() -> None:
    """Empty snapshots leave nothing."""
    assert folded((), ()) == ()


def test_an_episode_reaches_from_since_to_the_last_tick_it_spoke() -> None:
    """The hold counts, the clearing does not."""
    found = folded((), (finding(since=0.5),), (finding(since=0.5),), (finding(state=State.CLEARING),))
    assert [(e.start, e.end, e.fired) for e in found] == [(0.5, 2.0, True)]


def test_two_stretches_are_two_episodes() -> None:
    """A pause closes the first."""
    found = folded((finding(since=0.0),), (), (finding(since=2.0),))
    assert [(e.start, e.end) for e in found] == [(0.0, 0.0), (2.0, 2.0)]


def test_a_gap_does_not_end_an_episode() -> None:
    """Undecided goes on speaking."""
    assert len(folded((finding(),), (finding(state=State.UNDECIDED),), (finding(),))) == 1


def test_what_was_only_pending_did_not_fire() -> None:
    """A pending finding never counts as one that fired."""
    assert folded((finding(state=State.PENDING),))[0].fired is False


def test_firing_at_one_tick_is_enough() -> None:
    """It stays an episode that fired."""
    assert folded((finding(state=State.PENDING),), (finding(),), (finding(state=State.PENDING),))[0].fired is True


@pytest.mark.parametrize(
    ("ticks", "expected"),
    [
        ([(State.FIRING, LIKELY), (State.FIRING, POSSIBLE)], LIKELY),
        ([(State.FIRING, POSSIBLE), (State.FIRING, LIKELY)], LIKELY),
        ([(State.PENDING, LIKELY), (State.FIRING, POSSIBLE)], POSSIBLE),
        ([(State.PENDING, POSSIBLE), (State.PENDING, LIKELY)], LIKELY),
        ([(State.FIRING, POSSIBLE), (State.UNDECIDED, LIKELY)], POSSIBLE),
        ([(State.FIRING, POSSIBLE), (State.PENDING, LIKELY)], POSSIBLE),
    ],
)
def test_the_verdict_is_the_surest_while_it_fired(ticks: list[tuple[State, Verdict]], expected: Verdict) -> None:
    """Or the one it would have got, while it was only pending; nothing is likely that never fired as such."""
    assert folded(*[(finding(state=s, verdict=v),) for s, v in ticks])[0].verdict is expected


def test_the_severity_is_the_worst_of_the_stretch() -> None:
    """An escalation that passed is remembered."""
    assert folded((finding(severity=Severity.CRITICAL),), (finding(),))[0].severity is Severity.CRITICAL


def test_having_stood_first_once_is_remembered() -> None:
    """The headline of one tick."""
    found = folded((finding("a"), finding("b")), (finding("b"), finding("a")), (finding("a"), finding("c")))
    assert {e.rule: e.first for e in found} == {"a": True, "b": True, "c": False}


def test_the_cause_is_the_last_one() -> None:
    """A symptom whose cause came late stands under it."""
    assert folded((finding(),), (finding(explained_by="b"),))[0].explained_by == "b"


def test_episodes_stand_in_order_of_start_rule_and_entity() -> None:
    """The same run gives the same list every time."""
    found = folded((finding("b", since=1.0), finding("a", OTHER), finding("a", ENGINE)), ())
    assert [(e.rule, e.entity) for e in found] == [("a", ENGINE), ("a", OTHER), ("b", ENGINE)]
