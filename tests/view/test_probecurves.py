"""Tests of what is drawn of a probe."""

from __future__ import annotations

from dataclasses import replace

import pytest

from perfconsole.model.probeplan import Shape, Step
from perfconsole.model.proberesult import Knee
from perfconsole.model.probeview import ProbeView, StepNow
from perfconsole.view.probecurves import growing_curves, result_curves
from tests.view.probes import CLIENT_BOUND, KNEE, QUEUE_BOUND, QUEUED, plan, result, running


def test_doubled_loads_stand_equally_far_apart() -> None:
    """By their logarithm."""
    axis = result_curves(QUEUED, KNEE).axis
    assert axis.names == ("1", "2", "4", "8", "16", "32", "64")
    assert axis.places == pytest.approx([place / 6 for place in range(7)])
    assert (axis.knee, axis.rises) == (4, True)


def test_loads_that_do_not_rise_stand_one_after_the_other() -> None:
    """Labels tell them apart, and no line joins them."""
    steps = tuple(
        replace(QUEUED[0], step=Step(Shape.CONCURRENCY, amount, label=label))
        for amount, label in ((1.0, "through"), (1.0, "around"), (8.0, "through"))
    )
    axis = result_curves(steps, Knee(1.0, "none", "")).axis
    assert (axis.places, axis.rises, axis.knee) == ((0.0, 0.5, 1.0), False, None)


def test_a_load_that_came_again_is_drawn_once() -> None:
    """The first time: the second would bend the curve back."""
    again = replace(QUEUED[0], index=7, output_tokens_per_s=90.0)
    curves = result_curves((*QUEUED, again), KNEE)
    assert curves.axis == result_curves(QUEUED, KNEE).axis
    assert curves.throughput.values[0][0] == 187.0
    now = StepNow(QUEUED[0].step, tokens_per_s=90.0, ttft_p50=0.5)
    growing = growing_curves(running(now=now))
    assert (growing.throughput.values[0][0], growing.ttft.values[0][0]) == (187.0, 0.052)


def test_a_load_that_came_late_stands_where_it_belongs() -> None:
    """The knee was looked at closer, behind the highest load."""
    late = result(7, 24.0, 3001.0, server=None)
    curves = result_curves((*QUEUED, late), Knee(24.0, "queue", ""))
    assert curves.axis.names == ("1", "2", "4", "8", "16", "24", "32", "64")
    assert (curves.axis.knee, curves.axis.rises) == (5, True)
    assert curves.throughput.values[0][5] == 3001.0


def test_one_load_is_an_axis_too() -> None:
    """No division by nothing."""
    assert result_curves(QUEUED[:1], None).axis.places == (0.0,)
    assert result_curves((), None).axis.names == ()


def test_curves_have_a_value_for_each_load() -> None:
    """None where a percentile is withheld."""
    curves = result_curves(QUEUED, KNEE)
    assert curves.throughput.values[0][:3] == (187.0, 374.0, 748.0)
    assert curves.ttft.lines == ("p50", "p95", "p99")
    assert [value is None for value in curves.ttft.values[1]] == [True, True, True, False, False, False, False]
    assert curves.itl.lines == ("p50", "p99")


def test_latencies_far_apart_are_drawn_on_a_logarithmic_axis() -> None:
    """52 ms beside 3 s would be no height at all."""
    curves = result_curves(QUEUED, KNEE)
    assert (curves.ttft.log, curves.itl.log) == (True, False)


def test_steps_that_do_not_count_are_named() -> None:
    """The chart draws them otherwise."""
    assert result_curves(CLIENT_BOUND.steps, CLIENT_BOUND.knee).axis.void == {4, 5}


def test_while_it_runs_the_axis_is_that_of_the_plan() -> None:
    """The curves grow into it."""
    curves = growing_curves(running())
    assert curves.axis.names == ("1", "2", "4", "8", "16", "32", "64", "128", "256")
    assert [value is not None for value in curves.throughput.values[0]] == [True] * 6 + [False] * 3


def test_the_step_under_way_is_drawn_as_far_as_it_is_known() -> None:
    """At its place; before its first token there is no time to draw."""
    curves = growing_curves(running())
    assert (curves.axis.now, curves.throughput.values[0][5], curves.ttft.values[0][5]) == (5, 2980.0, 0.31)
    early = growing_curves(running(now=StepNow(plan(32).steps[0])))
    assert (early.throughput.values[0][5], early.ttft.values[0][5]) == (None, None)


def test_a_step_that_the_plan_did_not_have_finds_its_place() -> None:
    """Between two others, where the knee is looked at closer."""
    view = running(steps=(*QUEUED[:5], result(5, 24, 2900.0)), now=None)
    curves = growing_curves(view)
    assert curves.axis.names[4:7] == ("16", "24", "32")
    assert curves.throughput.values[0][5] == 2900.0


def test_a_step_that_ran_longer_than_planned_is_the_same_load() -> None:
    """What makes a load is not how long it lasts."""
    longer = replace(QUEUED[0], step=replace(QUEUED[0].step, seconds=99.0))
    assert growing_curves(running(steps=(longer,), now=None)).axis.names == growing_curves(running()).axis.names


def test_a_probe_without_steps_yet_has_an_axis_and_no_values() -> None:
    """The first second of it."""
    curves = growing_curves(running(steps=(), now=None))
    assert len(curves.axis.names) == 9
    assert set(curves.throughput.values[0]) == {None}


def test_when_it_is_done_only_loads_that_were_reached_are_drawn() -> None:
    """It stops behind the knee."""
    done = replace(ProbeView.of(QUEUE_BOUND), plan=plan(1, 2, 4, 8, 16, 32, 64, 128, 256))
    curves = growing_curves(done)
    assert curves.axis.names[-1] == "64"
    assert curves.ttft.lines == ("p50", "p95")
