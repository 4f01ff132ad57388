"""The main page as a screen."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfconsole.tui.keys import EVERYWHERE, Keys
from perfconsole.tui.page import PageScreen
from perfconsole.view.livepage import live_page

if TYPE_CHECKING:
    from perfconsole.view.canvas import Page
    from perfconsole.view.picture import Picture


class LivePage(PageScreen):
    """The main page."""

    filters = True

    def body(self, picture: Picture, width: int, height: int) -> Page:
        """Layers, findings, time bill."""
        return live_page(picture, self.cursor, width, height)

    def keys(self) -> Keys:
        """Opening comes first."""
        return (("enter", "open"), ("tab", "next panel"), ("/", "filter"), *EVERYWHERE)

    def action_back(self) -> None:
        """There is nothing behind the main page: only the filter is cleared."""
        if self.cursor.filter:
            super().action_back()
