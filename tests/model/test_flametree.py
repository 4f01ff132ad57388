"""Boxes of a flame graph, which work out what is below them when somebody looks."""

from __future__ import annotations

from array import array

from perfconsole.model.flametree import Function, Node, Paths, Shade, whole

NAMES = ("a", "b", "c")


def tree(*rows: tuple[int, ...], waits: int = -1) -> Node:
    """The root of these rows of functions a, b and c, each of weight 1; one of them ends in a line that waits."""
    functions = tuple(Function(name, f"{name}.py", Shade.USER) for name in NAMES)
    weights, before = array("d", [1.0] * len(rows)), array("d", [2.0] * len(rows))
    line, groups = (lambda row, place: 10 * row + place), bytes(len(rows))
    return whole(Paths(functions, rows, line, groups, weights, before, lambda row: row == waits))


def test_a_box_has_what_passes_through_it_and_what_ends_in_it() -> None:
    """Weights of this recording and of the one beside it."""
    root = tree((0, 1), (0,), (2,))
    a = root.children[0]
    assert (root.total, root.before, root.name, root.file) == (3.0, 6.0, "all", "")
    assert (a.name, a.file, a.total, a.before, a.self_weight) == ("a", "a.py", 2.0, 4.0, 1.0)


def test_the_largest_stands_first_and_equals_by_name() -> None:
    """The picture stands still."""
    assert [node.name for node in tree((2,), (1,), (0,), (2,)).ordered()] == ["c", "a", "b"]


def test_a_line_is_one_that_was_running_there() -> None:
    """Of the first row that passes through; the whole has none."""
    root = tree((0,), (1, 2))
    assert (root.line, root.children[1].children[2].line) == (0, 11)


def test_a_line_that_waits_shades_the_function_in_which_it_ends() -> None:
    """And none of its callers."""
    root = tree((0, 1), waits=0)
    assert (root.children[0].shade, root.children[0].children[1].shade) == (Shade.USER, Shade.BLOCKING)


def test_what_is_below_is_worked_out_once() -> None:
    """A second look does not count its weight again."""
    root = tree((), (0,))
    assert root.children is root.children
    assert (root.self_weight, root.self_weight) == (1.0, 1.0)
