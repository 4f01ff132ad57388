"""The page of one layer as a screen: indicators, and for the engine its boards."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from perfconsole.tui.keys import EVERYWHERE, Keys
from perfconsole.tui.page import PageScreen
from perfconsole.view.boards import BOARDS
from perfconsole.view.canvas import Cursor
from perfconsole.view.layerpage import layer_page

if TYPE_CHECKING:
    from perfconsole.view.canvas import Page, Target
    from perfconsole.view.picture import Picture


class LayerPage(PageScreen):
    """Every indicator of one layer."""

    filters = True

    def __init__(self, layer: str, target: Target | None = None) -> None:
        super().__init__()
        self.shows = layer
        self.cursor = Cursor(target)

    def body(self, picture: Picture, width: int, height: int) -> Page:
        """Indicators, and the one under the cursor with its definition and history."""
        return layer_page(picture, self.shows, self.cursor, width, height)

    def keys(self) -> Keys:
        """Boards exist for the engine alone."""
        boards: Keys = (("tab", "next board"),) if self.shows == "engine" else ()
        return (("esc", "back"), *boards, ("/", "filter"), *EVERYWHERE)

    def action_part(self, step: int) -> None:
        """The next board."""
        if self.shows == "engine":
            self._board((self.cursor.tab + step) % (len(BOARDS) + 1))

    def opens(self, target: Target) -> None:
        """A press on the name of a board shows it; an indicator is open when the cursor is on it."""
        if target[0] == "tab":
            self._board(int(target[1]))
        elif target[0] != "indicator":
            super().opens(target)

    def _board(self, number: int) -> None:
        self.cursor = replace(self.cursor, tab=number, target=None, index=0)
        self.draw()
