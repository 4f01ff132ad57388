"""Gaps of tokens that came in one read."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from perfconsole.load.merged import Merged, first_of, parted


def test_a_late_read_is_parted_by_when_it_was_last_looked() -> None:
    """Nothing had come for 6 of the 10: the first came then at the earliest."""
    assert parted([5, 5, 5, 5], [Merged(1, 2, 10, 6)]) == [5, 6, 4, 5]


def test_what_may_have_come_in_its_time_is_taken_to() -> None:
    """Nothing speaks against it."""
    assert parted([5, 5, 5, 5], [Merged(1, 2, 10, 3)]) == [5, 5, 5, 5]


def test_a_server_that_always_writes_several_at_once_is_shared_evenly() -> None:
    """Whatever is known of each read."""
    gaps = [5] * 6
    assert parted(gaps, [Merged(0, 3, 15, 14), Merged(3, 3, 15, 14)]) == gaps


@given(
    st.lists(st.integers(1, 10**7), min_size=3, max_size=20),
    st.integers(2, 4),
    st.integers(0, 10**7),
    st.integers(0, 10**7),
)
def test_the_time_between_stays_the_same(singles: list[int], tokens: int, gap: int, empty: int) -> None:
    """But for what does not divide."""
    gaps = [*singles, *[gap // tokens] * tokens]
    found = parted(gaps, [Merged(len(singles), tokens, gap, min(gap, empty))])
    assert len(found) == len(gaps)
    assert 0 <= sum(singles) + gap - sum(found) < tokens
    assert min(found) >= 0


def test_the_first_of_a_late_first_read_came_in_its_time() -> None:
    """Three tokens, 5 apart, of which the last came at 100; but not before it was last looked."""
    assert first_of(3, 100, 20, [5] * 8, []) == 90
    assert first_of(3, 100, 97, [5] * 8, []) == 97


def test_a_first_read_of_a_server_that_writes_several_at_a_time_stays() -> None:
    """So does that of a short answer."""
    reads = [Merged(place, 3, 15, 0) for place in range(0, 12, 3)]
    assert first_of(3, 100, 20, [5] * 12, reads) == 100
    assert first_of(3, 100, 20, [5] * 3, []) == 100
