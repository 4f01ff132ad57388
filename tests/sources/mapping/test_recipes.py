"""Parts worked out once give what adding one series after the other gives."""

from __future__ import annotations

from math import inf

from hypothesis import given
from hypothesis import strategies as st

from perfconsole.sources.adapter import Metric, Operand
from perfconsole.sources.mapping.gathered import BUCKET, COUNT, OVER, SUM, TIMES, Aim, Gathered, Place
from perfconsole.sources.mapping.recipes import gather, recipes

ALL = Operand("all")
AIMS = st.builds(
    Aim,
    st.builds(Place, st.integers(0, 2), st.sampled_from(("", "0")), st.just(""), st.just("")),
    st.sampled_from(("", BUCKET, SUM, COUNT, TIMES, OVER)),
    st.sampled_from((0.1, 1.0, inf)),
)
VALUES = st.floats(allow_nan=True, allow_infinity=True).map(lambda value: value + 0.0)
"""Minus zero, which no page tells from zero and a sum forgets, is left out."""
SERIES = st.lists(st.tuples(st.lists(AIMS, max_size=2), VALUES), max_size=20)


@given(SERIES)
def test_parts_are_what_their_series_add_up_to(series: list[tuple[list[Aim], float]]) -> None:
    """In the same order, also where several series make one bucket."""
    expected: dict[Place, Gathered] = {}
    for aims, value in series:
        for aim in aims:
            expected.setdefault(aim.place, Gathered()).add(aim, value)
    found = gather(recipes([tuple(aims) for aims, _ in series]), [value for _, value in series])
    assert list(found) == list(expected)
    assert list(map(_comes_to, found.values())) == list(map(_comes_to, expected.values()))


def _comes_to(found: Gathered) -> str:
    """All that can be asked of it, as text: a number that is none equals itself so."""
    numbers = [found.number(row) for row in (Metric("x", "y"), Metric("x", "y", times=ALL, over=ALL))]
    return repr((found.given, found.value, numbers, found.histogram(1.0), found.histogram(0.5)))
