"""Conditions, values and rules by chance, for the property tests."""

from __future__ import annotations

from hypothesis import strategies as st

from perfconsole.model.sample import Missing
from tests.diagnose.judging import Told

OPERANDS = ("engine.x", "engine.y", "engine.z", "base(engine.x)", "max(gpu.u)", "max(engine.y[60s])")
VALUES = st.sampled_from([0.0, 1.0, 2.0, 3.0, Missing.STALE, Missing.NEVER, Missing.NO_BASELINE])
_SUMS = st.one_of(
    st.sampled_from(OPERANDS),
    st.builds(
        lambda a, o, b: f"{a} {o} {b}", st.sampled_from(OPERANDS), st.sampled_from("+-*/"), st.sampled_from("02")
    ),
)
_COMPARISONS = st.builds(
    lambda a, o, b: f"{a} {o} {b}",
    _SUMS,
    st.sampled_from(["<", "<=", ">", ">=", "==", "!="]),
    st.sampled_from(["0", "1", "2", *OPERANDS]),
)
CONDITIONS = st.recursive(
    _COMPARISONS,
    lambda inner: st.one_of(
        st.builds(lambda a, b: f"(({a}) and ({b}))", inner, inner),
        st.builds(lambda a, b: f"(({a}) or ({b}))", inner, inner),
        st.builds(lambda a: f"not ({a})", inner),
        st.builds(lambda a, s: f"({a}) for {s}s", inner, st.integers(1, 4)),
    ),
    max_leaves=5,
)
Row = tuple[float | Missing, ...]
"""A value for each operand."""
ROWS = st.lists(st.tuples(*[VALUES] * len(OPERANDS)), min_size=1, max_size=12)


def told(row: Row, t: float, run_s: float | None = None) -> Told:
    """A reader of one row of values at time t."""
    found: dict[str | tuple[str, object], float | Missing] = dict(zip(OPERANDS, row, strict=True))
    base = found.pop("base(engine.x)")
    found["max(engine.y[60])"] = found.pop("max(engine.y[60s])")
    return Told(t, found, {} if isinstance(base, Missing) else {"engine.x": base}, run_s)  # type: ignore[arg-type]
