"""Stretches of numbers, and how far readings reach."""

from __future__ import annotations

import operator as op
from math import inf

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perfconsole.diagnose.parse import parse
from perfconsole.diagnose.spans import Span, left_by, reach
from perfconsole.model.dictionary import DEFAULT
from perfconsole.model.expression import Comparison

OPERATORS = ("<", "<=", ">", ">=", "==", "!=")
COMPARE = dict(zip(OPERATORS, (op.lt, op.le, op.gt, op.ge, op.eq, op.ne), strict=True))
NUMBERS = st.integers(-4, 4).map(lambda n: n / 2)
SPANS = st.lists(st.tuples(st.sampled_from(OPERATORS), NUMBERS), min_size=1, max_size=4)


def inside(span: Span, x: float) -> bool:
    """Whether a number lies in a span."""
    low = x > span.low or (x == span.low and not span.without_low)
    high = x < span.high or (x == span.high and not span.without_high)
    return low and high and x not in span.holes


def holds(x: float, operator: str, bound: float) -> bool:
    """The comparison itself."""
    return {"<": x < bound, "<=": x <= bound, ">": x > bound, ">=": x >= bound, "==": x == bound, "!=": x != bound}[
        operator
    ]


@given(SPANS, NUMBERS)
def test_spans_together_hold_what_every_comparison_leaves(bounds: list[tuple[str, float]], x: float) -> None:
    """Exactly, for each number; an empty span holds none."""
    span = Span()
    for operator, bound in bounds:
        span = span.both(left_by(operator, bound))
    assert inside(span, x) == all(holds(x, operator, bound) for operator, bound in bounds)
    assert not (span.empty and inside(span, x))


@given(SPANS, NUMBERS)
def test_either_of_two_spans_holds_what_one_of_them_does(bounds: list[tuple[str, float]], x: float) -> None:
    """It may hold more, never less."""
    spans = [left_by(operator, bound) for operator, bound in bounds]
    widest = spans[0]
    for span in spans[1:]:
        widest = widest.either(span)
    assert inside(widest, x) or not any(inside(span, x) for span in spans)


@pytest.mark.parametrize(
    ("text", "ends"),
    [
        ("engine.kv_cache_usage", (0, 1)),
        ("engine.load_ratio", (0, inf)),
        ("engine.scaling", (-inf, inf)),
        ("engine.up", (0, 1)),
        ("gpu.temperature", (-inf, inf)),
        ("base(engine.kv_cache_usage)", (0, 1)),
        ("max(engine.kv_cache_usage[1m])", (0, 1)),
        ("slope(engine.kv_cache_usage[1m])", (-inf, inf)),
        ("rate(engine.preemptions[1m])", (0, inf)),
        ("changes(engine.up[1m])", (0, inf)),
        ("sum(gpu.utilization)", (0, inf)),
        ("max(gpu.utilization)", (0, 1)),
        ("2 * engine.kv_cache_usage", (0, 2)),
        ("1 - engine.kv_cache_usage", (0, 1)),
        ("engine.kv_cache_usage + engine.kv_cache_usage", (0, 2)),
        ("engine.kv_cache_usage / 2", (0, 0.5)),
        ("engine.kv_cache_usage / engine.requests_running", (0, inf)),
        ("engine.no_such", (-inf, inf)),
    ],
)
def test_a_reading_reaches_as_far_as_its_indicator(text: str, ends: tuple[float, float]) -> None:
    """Shares end at 1, counts begin at 0, and a calculation follows from both sides."""
    tree = parse(f"{text} > 1")
    assert isinstance(tree, Comparison)
    assert reach(tree.left, DEFAULT) == ends
