"""Tests of units on pages: what they are in base units, and what measures something else."""

from __future__ import annotations

import pytest

from perfconsole.model.dictionary import DEFAULT
from perfconsole.sources.pageunits import factor, units_for


@pytest.mark.parametrize(
    ("unit", "base", "expected"),
    [
        ("ms", "s", 0.001),
        ("\N{MICRO SIGN}s", "s", 1e-6),
        ("min", "s", 60.0),
        ("KiB", "bytes", 1024.0),
        ("kB", "bytes", 1000.0),
        ("%", "ratio", 0.01),
        ("%", "cores", 0.01),
        ("MHz", "Hz", 1e6),
        ("mW", "W", 0.001),
        ("/min", "requests/s", 1 / 60),
        ("tokens/h", "tokens/s", 1 / 3600),
        ("MB/min", "bytes/s", 1e6 / 60),
        ("ms/s", "s/s", 0.001),
        ("tasks", "tasks", 1.0),
        ("ms", "bytes", None),
        ("/min", "bytes/s", None),
        ("tokens", "requests", None),
        ("", "s", None),
    ],
)
def test_a_unit_is_a_factor_or_none(unit: str, base: str, expected: float | None) -> None:
    """Never a guess."""
    assert factor(unit, base) == (None if expected is None else pytest.approx(expected))


@pytest.mark.parametrize("base", sorted({entry.unit for entry in DEFAULT.entries}))
def test_every_base_unit_is_a_unit_of_itself(base: str) -> None:
    """Whatever the dictionary holds."""
    assert factor(base, base) == 1.0
    assert all(value > 0 for value in units_for(base).values())
