"""The page of what cannot be seen, as a screen."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfconsole.tui.keys import EVERYWHERE, Keys
from perfconsole.tui.page import PageScreen
from perfconsole.view.undecidedpage import undecided_page

if TYPE_CHECKING:
    from perfconsole.view.canvas import Page
    from perfconsole.view.picture import Picture


class UnseenPage(PageScreen):
    """What nobody can say, and which source would."""

    def body(self, picture: Picture, width: int, height: int) -> Page:
        """Undecided rules by source, and what is not watched."""
        return undecided_page(picture, self.cursor, width, height)

    def keys(self) -> Keys:
        """A rule that is undecided opens."""
        return (("esc", "back"), ("enter", "open the rule"), *EVERYWHERE)
