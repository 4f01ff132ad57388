"""Who descends from whom."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from perfconsole.sources.discovery.program import ancestors, families, topmost
from tests.sources.discovery.building import program, programs

TREE = programs(program(10), program(11, parent=10), program(12, parent=11), program(20), program(21, parent=20))


def test_all_that_descends_belongs_to_the_nearest_top() -> None:
    """And what descends from none belongs to nobody."""
    assert families(TREE, [10, 12]) == {10: 10, 11: 10, 12: 12}


def test_the_topmost_of_a_group_is_the_one_without_a_parent_in_it() -> None:
    """Workers inherit a socket from the process that started them."""
    assert (topmost(TREE, [12, 11]), topmost(TREE, [21]), topmost(TREE, [])) == (11, 21, 0)


@given(st.dictionaries(st.integers(1, 9), st.integers(0, 9)), st.sets(st.integers(1, 9)))
def test_loops_end(parents: dict[int, int], tops: set[int]) -> None:
    """A table read while numbers are used again may hold one."""
    table = programs(*(program(pid, parent=parent) for pid, parent in parents.items()))
    assert all(len(ancestors(table, pid)) <= len(table) + 1 for pid in table)
    assert tops <= families(table, tops).keys()
    assert topmost(table, tops) in {0, *tops}
