"""Tests of the two grids: whatever is dropped on the way, the terminal ends up showing what is wanted."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from perfconsole.tui.painter import Cell, Painter
from tests.tui.terminals import Terminal

COLUMNS, ROWS = 24, 5
_CELL = st.tuples(st.sampled_from("ab \u2581\u4e2d"), st.sampled_from(["", "1", "31", "1;31"]))


def cells(text: str, sgr: str = "") -> list[Cell]:
    """One cell a column."""
    return [(character, sgr) for character in text]


def _columns(pairs: list[tuple[str, str]]) -> list[Cell]:
    """Cells with the second column of wide characters, cut to the screen."""
    row: list[Cell] = []
    for character, sgr in pairs:
        row += [(character, sgr), ("", sgr)] if character == "\u4e2d" else [(character, sgr)]
    row = row[:COLUMNS]
    if row and row[-1][0] == "\u4e2d":
        row[-1] = (" ", row[-1][1])
    return row + [(" ", "")] * (COLUMNS - len(row))


def drained(painter: Painter, terminal: Terminal, limit: int = 10_000) -> int:
    """Send until nothing is left; the number of bytes."""
    size = 0
    while painter.pending:
        text = painter.take(limit)
        size += len(text.encode())
        terminal.feed(text)
    return size


_FRAMES = st.lists(st.tuples(st.integers(0, ROWS - 1), st.lists(_CELL, max_size=COLUMNS), st.booleans()), max_size=12)


@given(frames=_FRAMES, limit=st.integers(1, 60))
def test_the_terminal_ends_up_with_the_newest_state(
    frames: list[tuple[int, list[tuple[str, str]], bool]], limit: int
) -> None:
    """Rows put at any moment, sent in pieces of any size, are in the end what the terminal shows."""
    painter, terminal = Painter(COLUMNS, ROWS), Terminal(COLUMNS, ROWS)
    wanted = [_columns([]) for _ in range(ROWS)]
    for y, pairs, urgent in frames:
        wanted[y] = _columns(pairs)
        painter.put(y, 0, wanted[y], urgent=urgent)
        terminal.feed(painter.take(limit))
    drained(painter, terminal, limit)
    assert terminal.cells == wanted


def test_a_changed_number_costs_a_few_bytes() -> None:
    """Only the cells that differ are sent."""
    painter, terminal = Painter(COLUMNS, ROWS), Terminal(COLUMNS, ROWS)
    painter.put(1, 0, cells("waiting 24 requests"))
    drained(painter, terminal)
    painter.put(1, 0, cells("waiting 25 requests"))
    assert drained(painter, terminal) <= len("\x1b[2;10H5")
    assert "waiting 25 requests" in terminal.text()


def test_a_row_put_back_before_it_was_sent_costs_nothing() -> None:
    """A frame that was dropped leaves no trace."""
    painter, terminal = Painter(COLUMNS, ROWS), Terminal(COLUMNS, ROWS)
    painter.put(0, 0, cells("idle"))
    drained(painter, terminal)
    painter.put(0, 0, cells("busy"))
    painter.put(0, 0, cells("idle"))
    assert drained(painter, terminal) == 0


def test_what_a_key_asked_for_goes_first() -> None:
    """An urgent row overtakes rows above it."""
    painter, terminal = Painter(COLUMNS, ROWS), Terminal(COLUMNS, ROWS)
    drained(painter, terminal)
    for y in range(4):
        painter.put(y, 0, cells("data"))
    painter.put(4, 0, cells("answer"), urgent=True)
    assert "answer" in painter.take(8)


def test_after_a_resize_everything_is_sent_anew() -> None:
    """Nothing is taken for known on a terminal that has changed."""
    painter, terminal = Painter(COLUMNS, ROWS), Terminal(COLUMNS, ROWS)
    painter.put(0, 0, cells("old"))
    drained(painter, terminal)
    painter.resize(10, 2)
    painter.put(0, 0, cells("new"))
    smaller = Terminal(10, 2)
    drained(painter, smaller)
    assert smaller.text() == "new\n"


def test_what_does_not_fit_is_cut() -> None:
    """Cells beyond the edge, and rows that are not there, are left out."""
    painter, terminal = Painter(COLUMNS, ROWS), Terminal(COLUMNS, ROWS)
    painter.put(0, COLUMNS - 2, cells("abcd"))
    painter.put(ROWS, 0, cells("below"))
    drained(painter, terminal)
    assert terminal.text().splitlines()[0].endswith("ab")
