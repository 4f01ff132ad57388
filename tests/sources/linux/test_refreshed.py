"""Values read seldom."""

from __future__ import annotations

from itertools import count

from perfconsole.sources.linux.refreshed import Refreshed


def test_it_reads_once_a_period() -> None:
    """Within the period the held value comes back; at its end it is read anew."""
    numbers = count()
    fact = Refreshed(60.0, lambda: next(numbers))
    assert [fact.get(now) for now in (5.0, 6.0, 64.9, 65.0)] == [0, 0, 0, 1]
