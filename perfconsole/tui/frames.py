"""What Textual's compositor hands over, as rows of cells. The one place that knows its update types."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual._compositor import ChopsUpdate, LayoutUpdate

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.console import RenderableType

    from perfconsole.tui.cells import Encoder
    from perfconsole.tui.painter import Cell

Piece = tuple[int, int, list["Cell"]]
"""Row, first column, cells."""


def pieces(update: RenderableType, encoder: Encoder) -> list[Piece]:
    """The parts of the screen that an update may have changed."""
    if isinstance(update, LayoutUpdate):
        return list(_full(update, encoder))
    if isinstance(update, ChopsUpdate):
        return list(_partial(update, encoder))
    return []


def _full(update: LayoutUpdate, encoder: Encoder) -> Iterator[Piece]:
    x, y, _, _ = update.region
    for row, strips in enumerate(update.strips, y):
        yield row, x, [cell for strip in strips for cell in encoder.cells(strip)]


def _partial(update: ChopsUpdate, encoder: Encoder) -> Iterator[Piece]:
    for y in {y for y, _, _ in update.spans}:
        for x, strip in update.chops[y].items():
            if strip is not None:
                yield y, x, list(encoder.cells(strip))
