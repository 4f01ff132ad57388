"""Two results side by side."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perfconsole.model.probecomparison import Difference, Outcome, ProbeComparison, Setting
from perfconsole.model.probeplan import Slo
from perfconsole.model.proberesult import Goodput, Knee, ProbeResult
from perfconsole.probing.comparison import compared
from tests.probing.building import PLAN, result, rung, spread, step

USUAL = result(rung(8, 1000), rung(16, 2000))


def found(comparison: ProbeComparison, metric: str, load: float | None = 8.0) -> Difference:
    """The one difference of this metric at this load."""
    every = comparison.differences
    (one,) = [d for d in every if d.metric == metric and (d.step.amount if d.step else None) == load]
    return one


def outcome(before: ProbeResult, after: ProbeResult, metric: str, load: float | None = 8.0) -> Outcome:
    """What became of it."""
    return found(compared(before, after), metric, load).outcome


def test_the_same_twice() -> None:
    """No number is better or worse than itself."""
    told = compared(USUAL, USUAL)
    assert (told.environment, told.plan, told.notes) == ((), (), ())
    assert {d.change for d in told.differences} == {0.0}
    assert {d.outcome for d in told.differences} <= {Outcome.SAME, Outcome.UNSURE}


def test_later_is_worse_and_less_is_worse() -> None:
    """By more than the noise."""
    after = result(rung(8, 800, 0.08), rung(16, 2400, 0.03))
    told = compared(USUAL, after)
    slower = found(told, "ttft_p50")
    assert slower.change == pytest.approx(0.6)
    assert slower.outcome is Outcome.WORSE
    assert found(told, "output_tokens_per_s").outcome is Outcome.WORSE
    assert found(told, "ttft_p50", 16).outcome is Outcome.BETTER
    assert found(told, "output_tokens_per_s", 16).outcome is Outcome.BETTER


def test_within_the_noise_it_is_the_same() -> None:
    """Two runs on one host differ by a few percent."""
    assert outcome(USUAL, result(rung(8, 1030)), "output_tokens_per_s") is Outcome.SAME


def test_noise_that_hides_everything_leaves_it_open() -> None:
    """Few samples of a wide distribution."""
    wide = result(rung(8, 1000, ttft=spread(0.05, 12, 4.0)))
    one = found(compared(wide, wide), "ttft_p50")
    assert (one.outcome, one.why.startswith("two runs may differ by")) == (Outcome.UNSURE, True)


def test_a_step_that_is_not_valid_proves_nothing() -> None:
    """However large the difference."""
    spoiled = result(rung(8, 100, valid=False, why="the client was the limit"))
    one = found(compared(USUAL, spoiled), "output_tokens_per_s")
    assert (one.outcome, one.invalid, one.why) == (
        Outcome.UNSURE,
        True,
        "a step is not valid: the client was the limit",
    )


def test_a_withheld_value_has_no_difference() -> None:
    """Neither side is taken for 0."""
    one = found(compared(USUAL, result(rung(8, 1000, ttft=spread(0.05, 19)))), "ttft_p95")
    assert (one.change, one.outcome, one.why) == (None, Outcome.UNSURE, "no value after")


def test_errors_are_compared_in_points() -> None:
    """There is no ratio to no errors."""
    one = found(compared(USUAL, result(rung(8, 1000, errors=30))), "error_ratio")
    assert one.change == pytest.approx(0.3)
    assert one.outcome is Outcome.WORSE


def test_runs_make_a_small_difference_sure() -> None:
    """And a large one, where they differ by as much, the same."""
    quiet = tuple(rung(8, speed) for speed in (1000, 1001, 1002))
    loud = tuple(rung(8, speed) for speed in (900, 1000, 1090))
    after = result(rung(8, 960), runs=tuple(replace(s, output_tokens_per_s=960.0) for s in quiet))
    assert outcome(result(rung(8, 1001), runs=quiet), after, "output_tokens_per_s") is Outcome.WORSE
    assert outcome(result(rung(8, 1000), runs=loud), after, "output_tokens_per_s") is Outcome.SAME


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        (16.0, 16.0, Outcome.SAME),
        (16.0, 8.0, Outcome.UNSURE),
        (16.0, 4.0, Outcome.WORSE),
        (4.0, 16.0, Outcome.BETTER),
        (None, 16.0, Outcome.UNSURE),
    ],
)
def test_a_knee_is_known_to_one_step(before: float | None, after: float, expected: Outcome) -> None:
    """Two steps apart it is another."""
    steps = [rung(load, load * 100) for load in (4, 8, 16)]
    old, new = (result(*steps, knee=Knee(k, "queue", "")) for k in (before, after))
    assert outcome(old, new, "knee", None) is expected


def test_goodput_is_as_sure_as_its_steps() -> None:
    """Less of it is worse."""
    old, new = (result(rung(8, 1000), goodput=Goodput(rate, 8.0)) for rate in (8.0, 6.0))
    assert outcome(old, new, "goodput", None) is Outcome.WORSE
    assert outcome(old, result(rung(8, 1000), goodput=Goodput(6.0, 99.0)), "goodput", None) is Outcome.UNSURE


def test_what_changed_around_it() -> None:
    """In the environment and in the plan, name by name."""
    before = replace(USUAL, environment={"engine.version": "0.11", "gpu.0.name": "H200", "host.cpus": "2"})
    plan = replace(PLAN, output_tokens=64, slo=Slo(ttft_p95_s=2.0), steps=(step(8.0), step(16.0)), why="other")
    told = compared(before, replace(before, plan=plan, environment={"engine.version": "0.12", "host.cpus": "2"}))
    assert told.environment == (Setting("engine.version", "0.11", "0.12"), Setting("gpu.0.name", "H200", None))
    assert told.plan == (
        Setting("output_tokens", "128", "64"),
        Setting("slo.ttft_p95_s", "1.5", "2.0"),
        Setting("steps", "concurrency 8", "concurrency 8, concurrency 16"),
    )


def test_steps_of_one_side_are_named() -> None:
    """They compare with nothing."""
    told = compared(result(rung(8, 1), rung(32, 1)), result(rung(8, 1), rung(4, 1, step=step(4.0, label="plain"))))
    assert told.notes == ("step concurrency 32 only before", "step concurrency 4 plain only after")
    assert {d.step.amount for d in told.differences if d.step} == {8}


@given(st.floats(0.01, 100.0), st.floats(0.01, 100.0))
def test_the_other_way_round_it_is_the_other_way_round(one: float, other: float) -> None:
    """What is better in one direction is never better in the other too."""
    old, new = result(rung(8, 1000, one)), result(rung(8, 1000, other))
    there, back = outcome(old, new, "ttft_p50"), outcome(new, old, "ttft_p50")
    assert {there, back} not in ({Outcome.BETTER}, {Outcome.WORSE})
