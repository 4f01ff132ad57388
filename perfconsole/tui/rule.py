"""The page of one rule as a screen: it is asked about for as long as the page is open."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfconsole.tui.keys import EVERYWHERE, Keys
from perfconsole.tui.page import PageScreen
from perfconsole.view.rulepage import rule_page

if TYPE_CHECKING:
    from perfconsole.view.canvas import Page
    from perfconsole.view.picture import Picture


class RulePage(PageScreen):
    """Which condition keeps a rule silent."""

    def __init__(self, rule: str) -> None:
        super().__init__()
        self.rule = rule

    def on_screen_resume(self) -> None:
        """Ask, and once more when a page above it was closed, which may have asked about another one."""
        super().on_screen_resume()
        self.app.setting.feed.monitor.visit(lambda session: session.ask(self.rule))

    def on_unmount(self) -> None:
        """Nobody wants to know any more."""
        self.app.setting.feed.monitor.visit(lambda session: session.ask(None))

    def body(self, picture: Picture, width: int, height: int) -> Page:
        """Entity by entity."""
        return rule_page(picture, self.rule, self.cursor, width, height, paused=self.app.mode.paused)

    def keys(self) -> Keys:
        """Back is all there is."""
        return (("esc", "back"), *EVERYWHERE)
