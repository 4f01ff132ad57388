"""Tokens of a delivery by the server's own running count."""

from __future__ import annotations

from perfconsole.load.delta import Usage
from perfconsole.load.runningcount import RunningCount


def usage(output: int) -> Usage:
    """So many so far."""
    return Usage(output, None, None)


def test_a_count_from_the_first_delivery_on_runs() -> None:
    """Each delivery has what it grew by."""
    count = RunningCount()
    assert [count.tokens(usage(n), 1, first=n == 2) for n in (2, 5, 9)] == [2, 3, 4]
    assert count.runs


def test_a_usage_at_the_end_is_of_the_whole() -> None:
    """It does not make the last delivery many tokens."""
    count = RunningCount()
    assert [count.tokens(u, 1, first=n == 0) for n, u in enumerate((None, None, usage(3)))] == [1, 1, 1]
    assert not count.runs


def test_a_count_that_stands_still_says_nothing() -> None:
    """What was seen counts."""
    count = RunningCount()
    assert [count.tokens(usage(1), 1, first=True), count.tokens(usage(1), 1, first=False)] == [1, 1]
