"""Tests of the page of a recording: what it says first, the graph to its size, the table where there is room."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perfconsole.model.flametree import Node, Shade
from perfconsole.stacks.tree import functions
from perfconsole.view.canvas import plain_text, width
from perfconsole.view.flamegraph import Flame, zoomed
from perfconsole.view.flamepage import Shown, flame_page, graph_size, taken_rows
from perfconsole.view.glyphs import ASCII, UNICODE, Glyphs
from tests.view.flames import HOSTILE, NAMES, SIZES, blocks, down, harmless, loop_reading, node, trees, whole


def shown(root: Node | None = None, **changes: object) -> Shown:
    """A recording of a loop that is blocked in 40 of 100 samples."""
    tree = root or whole(node("handle", 100, node("recv", 40, shade=Shade.BLOCKING)))
    page = Shown("process 7  serve", loop_reading(), Flame.of(tree), tuple(functions(tree)))
    return replace(page, **changes)  # type: ignore[arg-type]  # names of fields, checked by replace itself


def text(of: Shown, size: tuple[int, int] = (100, 24)) -> str:
    """The page as text."""
    return plain_text(flame_page(of, *size, ASCII).rows)


def test_the_verdict_stands_above_the_graph() -> None:
    """Share, kind, the line that makes the call, and the call."""
    found = blocks(0.4)
    rows = text(shown(reading=loop_reading(blocking=(found,)))).split("\n")
    assert rows[1] == " 40% socket: handle /srv/app/main.py:40  waits in sock.recv"


def test_two_verdicts_are_enough_and_small_ones_are_none() -> None:
    """The graph needs the room; below one part in twenty the rules see nothing."""
    four = tuple(blocks(share, function=f"f{share}") for share in (0.4, 0.3, 0.2, 0.01))
    page = text(shown(reading=loop_reading(blocking=four)))
    assert ("f0.3" in page, "f0.2" in page) == (True, False)
    assert "f0.01" not in text(shown(reading=loop_reading(blocking=four[3:])))


def test_a_call_without_a_line_of_ones_own_says_so() -> None:
    """Nothing of the user's stands on that stack."""
    found = replace(blocks(0.4, waits=False), user=None)
    assert "no line of your own code" in text(shown(reading=loop_reading(blocking=(found,))))


def test_that_nothing_blocks_is_said_with_its_figure() -> None:
    """Only where the samples can tell."""
    free = loop_reading(blocking=(), shares={"profile.blocked_loop_ratio": 0.01})
    assert "nothing blocks the event loop; it waits for work" in text(shown(reading=free))


def test_where_the_samples_cannot_tell_the_first_limit_stands_there() -> None:
    """No all-clear over something that was not seen."""
    page = text(shown(reading=loop_reading(blocking=(), shares={}, limits=("too few of them",))))
    assert "too few of them" in page
    assert "nothing blocks" not in page


def test_the_box_under_the_cursor_is_told_in_full() -> None:
    """Its file, and how much of it is its own."""
    root = whole(node("handle", 100, node("recv", 40, shade=Shade.BLOCKING)))
    page = text(shown(root, flame=Flame.of(root, down(root, "handle", "recv"))))
    line = next(line for line in page.split("\n") if line.startswith("recv"))
    assert line.split("  ")[1] == "/srv/app/main.py:7"
    assert line.endswith("40.0% in all, 40.0% itself")


def test_beside_another_recording_the_share_before_stands_there_too() -> None:
    """For the box under the cursor."""
    tree = whole(node("f", 50, before=20))
    flame = replace(Flame.of(tree, compared=True), at=(tree, tree.ordered()[0]))
    assert "50.0% in all, 50.0% itself, before 20.0%" in text(shown(flame=flame))


def test_a_search_says_how_much_passes_through_what_it_found() -> None:
    """In place of the legend."""
    flame = replace(shown().flame, word="recv", share=0.4)
    page = text(shown(flame=flame))
    assert "search 'recv': 40.0% of the samples pass through it" in page
    assert "! waits" not in page


def test_turned_over_it_says_so_in_the_title() -> None:
    """The same boxes mean something else then."""
    assert "INVERTED" in text(shown(inverted=True)).split("\n")[0]
    assert "INVERTED" not in text(shown())


@pytest.mark.parametrize(("columns", "beside"), [(118, True), (117, False)])
def test_the_table_stands_beside_the_graph_where_there_is_room(columns: int, beside: bool) -> None:  # noqa: FBT001 - a table
    """Else below it."""
    line = next(line for line in text(shown(), (columns, 30)).split("\n") if "FUNCTION" in line)
    assert line.startswith("  SELF") is not beside


def test_the_table_has_functions_by_their_own_time() -> None:
    """The largest first, with their whole share beside it."""
    lines = text(shown(), (100, 40)).split("\n")
    start = next(y for y, line in enumerate(lines) if "FUNCTION" in line)
    assert [line.split() for line in lines[start + 1 : start + 3]] == [
        ["60.0%", "100.0%", "handle", "main.py"],
        ["40.0%", "40.0%", "recv", "main.py"],
    ]


@pytest.mark.parametrize("size", [(100, 24), (160, 24), (80, 10)])
def test_the_graph_has_the_size_that_is_told(size: tuple[int, int]) -> None:
    """Presses and steps are counted in it."""
    of = shown(flame=zoomed(shown().flame))
    columns, rows = graph_size(*size, taken_rows(of, size[0], UNICODE))
    hits = flame_page(of, *size, UNICODE).hits
    above = hits[0].y
    assert hits[0].x1 == columns
    drawn = flame_page(of, *size, UNICODE).rows[above + rows]
    assert plain_text([drawn]).startswith("all")


@settings(max_examples=40)
@given(trees(), SIZES, st.sampled_from((UNICODE, ASCII)), NAMES)
def test_the_page_is_exactly_as_large_as_the_screen(
    root: Node, size: tuple[int, int], glyphs: Glyphs, name: str
) -> None:
    """Else the footer would stand in its middle; the mouse finds nothing outside of it."""
    of = shown(root, title=name, flame=replace(Flame.of(root), word=name))
    page = flame_page(of, *size, glyphs)
    assert [width(line) for line in page.rows] == [size[0]] * size[1]
    assert harmless(page.rows)
    assert all(hit.y < size[1] for hit in page.hits)


def test_names_from_the_target_are_shown_and_not_obeyed() -> None:
    """In the title, the graph, the table and the box under the cursor alike."""
    root = whole(node(HOSTILE, 100, shade=Shade.BLOCKING))
    page = text(shown(root, title=HOSTILE, flame=Flame.of(root, down(root, HOSTILE))), (100, 40))
    assert page.count("\\x1b[31mred") == 4
    assert "\x1b" not in page
