"""Tests of long pages on small screens."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from perfconsole.view.canvas import Cursor, Hit, plain_text, row, width
from perfconsole.view.glyphs import ASCII, UNICODE
from perfconsole.view.scrolling import GUTTER, LABEL, Block, Paper, scrolled

SIZES = st.tuples(st.integers(1, 120), st.integers(1, 40))


def blocks(*heights: int) -> list[Block]:
    """Blocks whose rows are numbered through."""
    numbers = iter(range(sum(heights)))
    return [
        Block(("part", str(i)), tuple(row(f"row {next(numbers)}.") for _ in range(height)))
        for i, height in enumerate(heights)
    ]


@given(st.lists(st.integers(1, 30), max_size=12), st.integers(2, 40))
def test_moving_through_the_items_shows_every_row(heights: list[int], height: int) -> None:
    """Nothing is out of reach, however small the screen and however long a block."""
    pages = blocks(*heights)
    items = scrolled(row("t"), pages, Cursor(), (80, height), UNICODE).items
    seen = "".join(
        plain_text(scrolled(row("t"), pages, Cursor(index=i), (80, height), UNICODE).rows) for i in range(len(items))
    )
    assert all(f"row {n}." in seen for n in range(sum(heights)))


@given(st.lists(st.integers(1, 9), max_size=9), SIZES, st.integers(-5, 99))
def test_a_page_is_exactly_as_large_as_the_screen(heights: list[int], size: tuple[int, int], index: int) -> None:
    """Every row has the width, and there are as many as the height."""
    page = scrolled(row("title"), blocks(*heights), Cursor(index=index), size, ASCII)
    assert [width(r) for r in page.rows] == [size[0]] * size[1]


def test_the_cursor_stands_in_the_gutter() -> None:
    """On the first row of its block."""
    page = scrolled(row("t"), blocks(2, 2), Cursor(target=("part", "1")), (20, 9), ASCII)
    assert plain_text(page.rows).split("\n")[1:5] == ["  row 0.", "  row 1.", "> row 2.", "  row 3."]


def test_a_blank_row_above_a_heading_is_no_place_to_stand() -> None:
    """The cursor stands on the heading."""
    page = scrolled(row("t"), [Block(("part", "a"), ((), row("HEAD")))], Cursor(), (20, 5), ASCII)
    assert plain_text(page.rows).split("\n")[2] == "> HEAD"


def test_the_title_row_says_which_rows_are_seen_and_where_more_are() -> None:
    """Only where not all of them are."""
    assert plain_text(scrolled(row("t"), blocks(9), Cursor(), (30, 5), ASCII).rows[:1]).endswith("1-4 of 9  v")
    assert plain_text(scrolled(row("t"), blocks(3), Cursor(), (30, 5), ASCII).rows[:1]) == "t"


def test_a_selected_check_lights_up_and_is_marked_too() -> None:
    """Never by style alone."""
    page = scrolled(row("t"), [Block(("check", "0"), (row("ps"),))], Cursor(), (20, 3), ASCII)
    assert page.rows[1][0].text.strip() == ">"
    assert page.rows[1][1].style == "select"


def test_hits_move_with_the_rows_and_vanish_with_them() -> None:
    """A press reaches what is drawn there."""
    first, second = blocks(4, 4)
    second = second._replace(hits=(Hit(0, 0, 5, ("check", "0")), Hit(3, 0, 5, ("check", "1"))))
    page = scrolled(row("t"), [first, second], Cursor(target=("part", "1")), (20, 5), ASCII)
    (hit,) = page.hits
    assert hit.target == ("check", "0")
    assert "row 4." in plain_text([page.rows[hit.y]])
    assert hit.x0 == GUTTER


def test_a_label_stands_once_beside_its_wrapped_text() -> None:
    """The further lines are indented to it."""
    first, second = Paper(24, UNICODE).labelled("cause", "aaaa bbbb cccc")
    assert plain_text([first, second]) == f"{'cause':{LABEL}}aaaa bbbb\n{'':{LABEL}}cccc"


def test_text_from_outside_is_made_harmless_before_it_is_wrapped() -> None:
    """An escape sequence is longer once it is spelt out."""
    rows = Paper(10, ASCII).text("\x1b" * 9)
    assert all(width(r) <= 10 for r in rows)
    assert plain_text(rows).replace("\n", "") == r"\x1b" * 9
