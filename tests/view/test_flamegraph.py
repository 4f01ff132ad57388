"""Tests of the flame graph in character cells: to scale, never out of its place, and never obeyed."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perfconsole.model.flametree import Node, Shade
from perfconsole.view.canvas import plain_text, width
from perfconsole.view.flamegraph import (
    Flame,
    boxes,
    graph_rows,
    label,
    moved,
    place_words,
    pressed,
    unzoomed,
    zoomed,
)
from perfconsole.view.glyphs import ASCII, UNICODE
from tests.view.flames import HOSTILE, SIZES, down, harmless, node, trees, whole

if TYPE_CHECKING:
    from perfconsole.view.glyphs import Glyphs

GLYPHS = st.sampled_from((UNICODE, ASCII))
WAYS = st.lists(st.sampled_from(("up", "down", "left", "right", "in", "out")), max_size=8)


def small() -> Node:
    """A thread in which `a` (60) calls `wait` (40), beside `b` (30)."""
    a = node("a", 60, node("wait", 40, shade=Shade.BLOCKING))
    return whole(node("thread", 100, a, node("b", 30), shade=Shade.GROUP))


def walked(flame: Flame, ways: list[str], columns: int) -> Flame:
    """The graph after some keys."""
    for way in ways:
        step = {"in": zoomed, "out": unzoomed}.get(way)
        flame = step(flame) if step else moved(flame, way, columns)
    return flame


def names(flame: Flame) -> tuple[str, str]:
    """What fills the width, and where the cursor is."""
    return flame.focus[-1].name, flame.at[-1].name


def styles(flame: Flame) -> dict[str, str]:
    """Style of each box by the first word in it."""
    rows, _ = graph_rows(flame, 80, 4, ASCII)
    return {span.text.strip("|!~:").split(" ")[0]: span.style for line in rows for span in line if span.text.strip()}


def at_wait() -> Flame:
    """The graph as it opens where `wait` blocks."""
    root = small()
    return Flame.of(root, down(root, "thread", "a", "wait"))


def test_it_begins_at_the_box_named_with_its_thread_over_the_width() -> None:
    """Whoever opens it wants to see what blocks."""
    assert names(at_wait()) == ("thread", "wait")


def test_where_no_box_is_named_it_begins_with_the_whole() -> None:
    """None is made to look like a culprit."""
    assert names(Flame.of(small())) == ("all", "all")


def test_boxes_are_to_scale_and_those_narrower_than_a_column_are_left_out() -> None:
    """Their place stays empty."""
    flame = Flame.of(whole(node("a", 50), node("b", 25), node("thin", 0.1)))
    assert [(box.path[-1].name, box.x0, box.x1) for box in boxes(flame, 80, 9)] == [
        ("all", 0, 80),
        ("a", 0, 40),
        ("b", 40, 60),
    ]


def test_what_is_new_and_what_is_gone_both_have_a_box() -> None:
    """Together they are more than the whole of either recording."""
    flame = Flame.of(whole(node("gone", 0, before=100), node("new", 100)), compared=True)
    assert {box.path[-1].name for box in boxes(flame, 80, 2)} == {"all", "gone", "new"}


@pytest.mark.parametrize(
    ("ways", "at"),
    [
        (["down"], "thread"),
        (["down", "down"], "a"),
        (["down", "down", "right"], "b"),
        (["down", "down", "right", "right"], "b"),
        (["down", "down", "right", "left", "left"], "a"),
        (["down", "down", "down", "down"], "wait"),
        (["down", "down", "up"], "thread"),
        (["up"], "all"),
    ],
)
def test_the_cursor_goes_to_the_next_box_and_stays_where_there_is_none(ways: list[str], at: str) -> None:
    """Down to the largest, sideways among boxes of one level."""
    root = small()
    assert names(walked(Flame(root, (root,), (root,)), ways, 80)) == ("all", at)


def test_a_cursor_on_a_box_narrower_than_a_column_stays() -> None:
    """The terminal became narrow under it: there is no neighbour to go to."""
    root = whole(node("wait", 2, shade=Shade.BLOCKING))
    flame = Flame.of(root, down(root, "wait"))
    assert moved(flame, "right", 20) == flame


def test_zoomed_a_box_fills_the_width_and_unzoomed_its_caller_does() -> None:
    """As far as the whole."""
    flame = zoomed(at_wait())
    assert names(flame) == ("wait", "wait")
    assert boxes(flame, 80, 9)[0].x1 == 80
    assert names(unzoomed(flame)) == ("a", "a")
    assert names(walked(flame, ["out"] * 9, 80)) == ("all", "all")


@pytest.mark.parametrize("height", range(1, 8))
def test_the_box_under_the_cursor_is_seen_at_any_height(height: int) -> None:
    """However deep it is."""
    chain = node("f9", 100)
    for number in range(8, 0, -1):
        chain = node(f"f{number}", 100, chain)
    root = whole(chain)
    flame = walked(Flame(root, (root,), (root,)), ["down"] * 6, 80)
    rows, _ = graph_rows(flame, 80, height, ASCII)
    assert "f6" in plain_text(rows)
    assert "select" in {span.style for line in rows for span in line}


@settings(max_examples=40)
@given(trees(), SIZES, GLYPHS, WAYS, st.booleans())
def test_rows_are_exactly_as_wide_and_high_as_asked(
    root: Node,
    size: tuple[int, int],
    glyphs: Glyphs,
    ways: list[str],
    compared: bool,  # noqa: FBT001 - drawn by hypothesis
) -> None:
    """At any size, wherever the cursor went; and nothing in them acts on the terminal."""
    flame = walked(Flame.of(root, compared=compared), ways, size[0])
    rows, hits = graph_rows(flame, *size, glyphs)
    assert [width(line) for line in rows] == [size[0]] * size[1]
    assert harmless(rows)
    assert all(0 <= hit.y < size[1] and 0 <= hit.x0 < hit.x1 <= size[0] for hit in hits)


def test_a_name_from_the_target_is_shown_and_not_obeyed() -> None:
    """The escape of a colour stays text."""
    rows, _ = graph_rows(Flame.of(whole(node(HOSTILE, 100))), 80, 2, UNICODE)
    assert "\\x1b[31mred 100%" in plain_text(rows)


@pytest.mark.parametrize(
    ("shade", "sign"), [(Shade.BLOCKING, "!"), (Shade.IDLE, "~"), (Shade.LIBRARY, ":"), (Shade.USER, "")]
)
def test_what_a_box_is_stands_in_its_first_character(shade: Shade, sign: str) -> None:
    """Not in colour alone."""
    root = whole(node("f", 50, shade=shade))
    assert label(Flame.of(root), root.ordered()[0], ASCII) == f"{sign}f 50%"


@pytest.mark.parametrize(
    ("now", "before", "told"), [(50.0, 20.0, "f +30%"), (20.0, 50.0, "f -30%"), (50.0, 50.2, "f 50%")]
)
def test_beside_another_recording_a_box_says_how_it_changed(now: float, before: float, told: str) -> None:
    """Less than one part in a hundred is chance, and not told."""
    root = whole(node("f", now, before=before))
    assert label(Flame.of(root, compared=True), root.ordered()[0], ASCII) == told


def test_boxes_with_the_word_stand_out_from_the_rest() -> None:
    """All others give way, whatever they are."""
    root = whole(node("a", 50), node("b", 50))
    a = root.ordered()[0]
    found = styles(replace(Flame.of(root), word="a", found=frozenset((a.key,))))
    assert (found["a"], found["b"]) == ("info", "dim")


def test_beside_another_recording_growth_stands_out() -> None:
    """What shrank is good news, what stayed is none."""
    root = whole(node("more", 50, before=20), node("less", 20, before=50), node("same", 30, before=30))
    found = styles(Flame.of(root, compared=True))
    assert (found["more"], found["less"], found["same"]) == ("critical", "ok", "dim")


def test_a_press_moves_the_cursor_and_a_second_one_zooms() -> None:
    """On the number that the row of the graph gave to the mouse."""
    root = small()
    flame = Flame(root, (root,), (root,))
    _, hits = graph_rows(flame, 80, 5, ASCII)
    number = next(int(hit.target[1]) for hit in hits if (hit.y, hit.x0) == (2, 0))
    once = pressed(flame, number, 80, 5)
    assert names(once) == ("all", "a")
    assert names(pressed(once, number, 80, 5)) == ("a", "a")


def test_a_press_on_a_box_that_is_gone_does_nothing() -> None:
    """The picture may have changed under the mouse."""
    flame = Flame.of(small())
    assert pressed(flame, 99, 80, 5) == flame


@pytest.mark.parametrize(("file", "line", "words"), [("", 3, ""), ("/a.py", 0, "/a.py"), ("/a.py", 3, "/a.py:3")])
def test_a_place_is_as_much_as_is_known(file: str, line: int, words: str) -> None:
    """No line 0."""
    box = replace(node("f", 1), file=file, line=line)
    assert place_words(next(iter(whole(box).children.values()))) == words
