"""What Textual's compositor hands over, as rows of cells. The one place that knows its update types."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual._compositor import ChopsUpdate, LayoutUpdate

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.console import RenderableType

    from perfconsole.tui.app import ConsoleApp
    from perfconsole.tui.cells import Encoder
    from perfconsole.tui.grid import Grid
    from perfconsole.tui.output import Output
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


def output_of(app: ConsoleApp) -> Output | None:
    """Where frames go; None without a terminal of our own (a test)."""
    return getattr(app._driver, "output", None)  # noqa: SLF001 - the driver is ours, Textual keeps it


def paint(app: ConsoleApp, grid: Grid, rows: list[int]) -> None:
    """Draw rows of a page: straight to the painter where nothing lies on top, which halves the cost."""
    output = output_of(app)
    if output is None or app.screen is not grid.screen:
        grid.repaint(rows)
    elif rows:
        encoder = app.setting.encoder
        output.frame([(y, 0, encoder.row(grid.rows[y], grid.theme)) for y in rows if y < len(grid.rows)])


def _full(update: LayoutUpdate, encoder: Encoder) -> Iterator[Piece]:
    x, y, _, _ = update.region
    for row, strips in enumerate(update.strips, y):
        yield row, x, [cell for strip in strips for cell in encoder.cells(strip)]


def _partial(update: ChopsUpdate, encoder: Encoder) -> Iterator[Piece]:
    for y in {y for y, _, _ in update.spans}:
        for x, strip in update.chops[y].items():
            if strip is not None:
                yield y, x, list(encoder.cells(strip))
