"""Tests of the pace of ticks."""

from __future__ import annotations

import pytest

from perfconsole.stride import MOST, Stride


def stride(*took: float) -> int:
    """Ticks to go at a time after ticks that took so long."""
    it = Stride()
    for cpu_s in took:
        it.note(cpu_s)
    return it.ticks


@pytest.mark.parametrize(
    ("cpu_s", "ticks"), [(0.003, 1), (0.1, 1), (0.13, 2), (0.2, 2), (0.27, 3), (0.4, 4), (2.0, MOST), (0.0, 1)]
)
def test_dear_ticks_come_less_often(cpu_s: float, ticks: int) -> None:
    """An eighth of a core at most, and never less often than the slowest poll."""
    assert stride(cpu_s, cpu_s, cpu_s) == ticks


def test_one_slow_tick_changes_nothing() -> None:
    """A host that was busy for a moment adds to it."""
    assert stride(0.01, 0.01, 3.0) == 1


def test_the_first_ticks_come_every_second() -> None:
    """Nobody knows yet what they take."""
    assert (stride(), stride(0.5, 0.5)) == (1, 1)
