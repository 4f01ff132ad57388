"""Steps as a ladder of rising load."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perfconsole.model.probeplan import Shape
from perfconsole.probing.ladder import bend_of, ladder, pays, throughput
from tests.probing.building import rung, step

SPEEDS = st.lists(st.floats(1.0, 1e6), min_size=2, max_size=8)


def test_rungs_are_in_order_of_load() -> None:
    """A refinement that was measured last stands between its neighbours."""
    assert [s.step.amount for s in ladder([rung(8, 1), rung(16, 1), rung(12, 1)])] == [8, 12, 16]


def test_a_first_step_that_is_repeated_is_no_rung() -> None:
    """The first one counts."""
    first = rung(1, 100)
    assert ladder([first, rung(4, 300), rung(1, 90)])[0] is first


def test_other_kinds_and_targets_are_no_rungs() -> None:
    """A burst beside a ladder, and what stands behind the target."""
    other = rung(16, 1, step=step(16.0, target=1))
    burst = rung(64, 1, step=step(64.0, shape=Shape.BURST))
    assert [s.step.amount for s in ladder([burst, rung(8, 1), other])] == [8]


def test_requests_stand_in_for_tokens() -> None:
    """Only of all rungs alike; a rung without an answer gave nothing."""
    assert throughput([rung(1, 128.0), rung(2, None, requests_per_s=3.0)]) == (1.0, 3.0)
    assert throughput([rung(1, 128.0), rung(2, None, requests=3, errors=3)]) == (128.0, 0.0)


@pytest.mark.parametrize(
    ("high", "speed", "enough"),
    [
        (2.0, 109.0, False),
        (2.0, 111.0, True),
        (4.0, 120.0, False),
        (4.0, 122.0, True),
        (1.5, 105.0, False),
        (1.5, 107.0, True),
    ],
)
def test_a_doubling_must_bring_a_tenth(high: float, speed: float, enough: bool) -> None:  # noqa: FBT001 - a table
    """And other steps their part of it."""
    assert pays((1.0, high), (100.0, speed)) is enough


def test_it_bends_where_nothing_above_pays() -> None:
    """Not at a slow rung in the middle."""
    flat = [rung(load, speed) for load, speed in ((1, 100), (2, 200), (4, 400), (8, 405), (16, 398))]
    assert bend_of(flat) == 2
    slow = [rung(load, speed) for load, speed in ((1, 100), (2, 200), (4, 190), (8, 800))]
    assert bend_of(slow) is None
    assert bend_of([rung(1, 100)]) is None


@given(SPEEDS)
def test_no_rung_above_the_bend_pays(speeds: list[float]) -> None:
    """Whatever the curve; below it each rung is passed by one that does."""
    rungs = [rung(2.0**i, speed) for i, speed in enumerate(speeds)]
    bend = bend_of(rungs)
    low = len(rungs) - 1 if bend is None else bend
    above = range(low + 1, len(rungs))
    assert not any(pays((2.0**low, 2.0**i), (speeds[low], speeds[i])) for i in above)
    for below in range(low):
        assert any(pays((2.0**below, 2.0**i), (speeds[below], speeds[i])) for i in range(below + 1, len(rungs)))
