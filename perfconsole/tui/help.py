"""The help as a screen: keys, then what the words mean."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfconsole.tui.keys import ALL_KEYS, Keys
from perfconsole.tui.page import PageScreen
from perfconsole.view.helppage import help_page

if TYPE_CHECKING:
    from perfconsole.view.canvas import Page
    from perfconsole.view.picture import Picture


class HelpPage(PageScreen):
    """Keys and words."""

    def body(self, picture: Picture, width: int, height: int) -> Page:
        """Every key of the program, then what the words mean."""
        return help_page(ALL_KEYS, width, height, self.cursor, picture.glyphs)

    def keys(self) -> Keys:
        """Back."""
        return (("esc", "back"), ("q", "quit"))
