"""How far a probe is."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from perfconsole.model.probeplan import Caps, ProbePlan, Shape, Step
from perfconsole.probing.conductor import Conductor, Lead
from perfconsole.probing.progress import probe_view, step_words
from tests.probing.fakeload import OFFSET, FakeLoad, opening, plan

if TYPE_CHECKING:
    from perfconsole.model.probeview import ProbeView


def _at(made: ProbePlan, moments: float) -> ProbeView:
    """Where a probe stands after so many seconds."""
    conductor, load, now = Conductor(made, Lead(opening(), OFFSET), 0.0), FakeLoad(), 0.0
    load.order(conductor.start(), now)
    while now < moments - 1e-6:
        now += 0.1
        for event in load.until(now):
            conductor.take(event, now)
        load.order(conductor.look(None, load.stretch, now), now)
    return probe_view(conductor, now)


def test_before_the_first_step() -> None:
    """It connects, then it warms up; nothing is known of a step."""
    first, later = _at(plan(1), 0.0), _at(plan(1), 0.6)
    assert (first.phase, later.phase) == ("connecting", "warming up")
    assert (first.now, first.steps, first.done, first.stopped) == (None, (), False, None)


def test_a_step_under_way() -> None:
    """Which, what has ended of it, and how fast it goes."""
    view = _at(plan(4, 8, adaptive=False), 3.0)
    assert view.phase == "step 1 of 2: 4 at a time"
    assert view.now is not None
    assert (view.now.step.amount, view.now.done, view.now.errors, view.now.inflight) == (4, 24, 0, 4)
    assert view.now.ttft_p50 == pytest.approx(0.05)
    assert view.now.tokens_per_s == pytest.approx(700, rel=0.05)


def test_what_is_left() -> None:
    """Falls with every step, and ends at nothing."""
    left = [_at(plan(4, 8, adaptive=False), t).left_s or 0.0 for t in (1.0, 6.0, 30.0)]
    assert left[0] > left[1] > left[2] == 0.0


def test_the_step_under_way_is_left_too() -> None:
    """Sixty requests one after the other take 22 s: after 6 s of the probe most of them are to come."""
    steps = (Step(Shape.CONCURRENCY, 1.0, requests=60), Step(Shape.CONCURRENCY, 4.0, requests=4))
    left = [_at(replace(plan(adaptive=False), steps=steps), t).left_s or 0.0 for t in (2.0, 6.0, 12.0)]
    assert left[0] == pytest.approx(22.6, abs=2.0)
    assert [left[0] - left[1], left[1] - left[2]] == pytest.approx([4.0, 6.0], abs=0.3)


def test_at_the_end() -> None:
    """All steps are there, and why it was broken off if it was."""
    whole, cut = _at(plan(4, 8, adaptive=False), 30.0), _at(plan(4, adaptive=False, caps=Caps(seconds=3.0)), 6.0)
    assert (whole.phase, whole.done, len(whole.steps), whole.stopped) == ("done", True, 2, None)
    assert (cut.done, cut.stopped) == (True, "its time was over (3 s)")


def test_runs_and_pauses() -> None:
    """A later run says so; a pause is one."""
    made = plan(4, adaptive=False, runs=2, shed_s=30.0)
    assert _at(made, 6.0).phase == "step 1 of 1: 4 at a time, run 2 of 2"
    paused = _at(made, 20.0)
    assert (paused.phase, paused.now) == ("a pause of 30 s", None)


@pytest.mark.parametrize(
    ("step", "words"),
    [
        (Step(Shape.CONCURRENCY, 8.0), "8 at a time"),
        (Step(Shape.RATE, 2.5), "2.5/s"),
        (Step(Shape.BURST, 32.0), "32 at once"),
        (Step(Shape.REPLAY, 2.0), "a sample at 2 times its speed"),
        (Step(Shape.CONCURRENCY, 1.0, label="through"), "through, 1 at a time"),
    ],
)
def test_what_a_step_sends(step: Step, words: str) -> None:
    """Each shape in its own words."""
    assert step_words(step) == words
