"""Tests of the pieces of Textual's updates."""

from __future__ import annotations

from rich.segment import Segment
from textual._compositor import ChopsUpdate, LayoutUpdate
from textual.geometry import Region
from textual.strip import Strip

from perfconsole.tui.cells import Encoder
from perfconsole.tui.frames import pieces

ENCODER = Encoder(None)


def _strip(text: str) -> Strip:
    return Strip([Segment(text)])


def test_a_layout_update_gives_all_its_rows() -> None:
    """From the corner of its region."""
    update = LayoutUpdate([[_strip("ab"), _strip("c")], [_strip("def")]], Region(2, 5, 3, 2))
    found = [(y, x, "".join(c for c, _ in row)) for y, x, row in pieces(update, ENCODER)]
    assert found == [(5, 2, "abc"), (6, 2, "def")]


def test_a_partial_update_gives_the_rows_that_it_names() -> None:
    """Each chop at its column; holes are left alone."""
    chops: list[dict[int, Strip | None]] = [{0: _strip("no")}, {0: _strip("ab"), 2: None, 4: _strip("c")}]
    update = ChopsUpdate(chops, [(1, 0, 5)], [[2], [2, 4, 5]])
    assert sorted((y, x, "".join(c for c, _ in row)) for y, x, row in pieces(update, ENCODER)) == [
        (1, 0, "ab"),
        (1, 4, "c"),
    ]


def test_anything_else_is_nothing_to_draw() -> None:
    """A bell is no frame."""
    assert pieces("text", ENCODER) == []
