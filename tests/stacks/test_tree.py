"""Stacks added up."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from perfconsole.model.flametree import Node, Shade
from perfconsole.stacks.tree import changes, flame_tree, functions, matching, turned_over
from tests.stacks.building import CALLBACK, SELECT, folded, profile, source, unread

LIB = "/usr/lib/python3.11"


def path(root: Node, *names: str) -> Node:
    """The node below these names."""
    for name in names:
        root = next(child for child in root.children.values() if child.name == name)
    return root


PLAIN = profile("a (x.py:1);b (x.py:2) 3\na (x.py:1);c (x.py:3) 1\na (x.py:9) 2\n")


def test_a_node_has_what_passed_through_it_and_what_ended_in_it() -> None:
    """Lines of one function are one box."""
    root = flame_tree(PLAIN, unread)
    assert (root.total, path(root, "a").total, path(root, "a").self_weight) == (6, 6, 2)
    assert (path(root, "a", "b").total, path(root, "a", "c").self_weight) == (3, 1)


def test_inverted_the_innermost_function_stands_on_top() -> None:
    """Its callers stand below it."""
    root = turned_over(flame_tree(PLAIN, unread))
    assert {node.name: node.total for node in root.ordered()} == {"b": 3, "a": 2, "c": 1}
    assert path(root, "b", "a").total == 3


def test_processes_and_threads_are_boxes_of_their_own() -> None:
    """One can be zoomed like a function."""
    root = flame_tree(profile(folded((SELECT, 2)), folded((SELECT, 1), thread="thread (8): second")), unread)
    assert [(node.name, node.total, node.shade) for node in root.ordered()] == [
        ("thread (7): MainThread", 2, Shade.GROUP),
        ("thread (8): second", 1, Shade.GROUP),
    ]


def test_shades_say_whose_code_it_is_and_what_waits() -> None:
    """The user's function, a library's, its wait for a socket, and the selector."""
    tail = f"get ({LIB}/site-packages/requests/api.py:73);readinto ({LIB}/socket.py:706)"
    root = flame_tree(profile(f"{CALLBACK};{tail} 1\n{SELECT} 1\n"), unread)
    callback = path(root, "<module>", "run", "_run_once", "_run", "handle")
    assert (callback.shade, path(callback, "get").shade) == (Shade.USER, Shade.LIBRARY)
    assert path(callback, "get", "readinto").shade is Shade.BLOCKING
    assert path(root, "<module>", "run", "_run_once", "select").shade is Shade.IDLE


def test_a_line_that_waits_in_c_makes_its_function_wait() -> None:
    """Its text says so."""
    root = flame_tree(profile(f"{CALLBACK} 1\n"), source(l40="time.sleep(1)"))
    assert path(root, "<module>", "run", "_run_once", "_run", "handle").shade is Shade.BLOCKING


def test_another_recording_stands_beside_at_the_same_scale() -> None:
    """Twice as many samples before are scaled to as many as now."""
    before = profile("a (x.py:1);b (x.py:2) 12\n")
    root = flame_tree(PLAIN, unread, before=before)
    assert (root.before, path(root, "a", "b").before, path(root, "a", "c").before) == (6, 6, 0)


def test_changes_are_of_shares_and_the_largest_stands_first() -> None:
    """Twice as many samples are no change; what is gone and what is new are."""
    before = profile("a (x.py:1);b (x.py:2) 12\n")
    found = changes(PLAIN, before)
    assert [(c.function, c.before, round(c.now, 2)) for c in found] == [("b", 1.0, 0.5), ("c", 0.0, 0.17)]
    assert changes(PLAIN, PLAIN) == ()


def test_a_search_counts_each_sample_once() -> None:
    """A match below a match is no second one."""
    root = flame_tree(PLAIN, unread)
    found, share = matching(root, "X.PY")
    assert (len(found), share) == (3, 1.0)
    assert matching(root, "b")[1] == 0.5
    assert matching(root, "") == (frozenset(), 0.0)


def test_a_function_that_calls_itself_counts_once() -> None:
    """All of it is not more than the whole."""
    root = flame_tree(profile("f (a.py:1);f (a.py:1);g (a.py:2) 4\n"), unread)
    assert {name: (own, whole) for name, _, own, whole in functions(root)} == {"g": (1.0, 1.0), "f": (0.0, 1.0)}


WORDS = st.sampled_from(["a (x.py:1)", "b (x.py:2)", "c (y.py:3)"])


@given(st.lists(st.tuples(st.lists(WORDS, min_size=1, max_size=5), st.integers(1, 9)), min_size=1, max_size=8))
def test_every_tree_keeps_the_weight(stacks: list[tuple[list[str], int]]) -> None:
    """A node's total is its own and that of its children, upright and inverted."""
    recorded = profile("".join(f"{';'.join(words)} {weight}\n" for words, weight in stacks))
    upright = flame_tree(recorded, unread)
    inverted = turned_over(upright)
    assert upright.total == inverted.total == sum(weight for _, weight in stacks)
    waiting = [upright]
    while waiting:
        node = waiting.pop()
        assert node.total == node.self_weight + sum(child.total for child in node.children.values())
        waiting.extend(node.children.values())
    assert sum(node.total for node in inverted.children.values()) == inverted.total
