"""The page of a probe: what it would send, its curves while it runs, and what they say. Nothing is sent unasked."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType
from textual.message import Message

from perfconsole.actions.proberun import LOOK_S
from perfconsole.clock import SystemClock
from perfconsole.errors import PerfconsoleError
from perfconsole.tui.keys import EVERYWHERE, Keys
from perfconsole.tui.page import PageScreen
from perfconsole.tui.probedone import finish
from perfconsole.tui.probelead import ProbeLead
from perfconsole.tui.probewish import Watched, Wish
from perfconsole.view.canvas import Cursor
from perfconsole.view.probechoice import ask_page
from perfconsole.view.probepage import probe_page

if TYPE_CHECKING:
    from textual import events
    from textual.timer import Timer

    from perfconsole.model.probeview import ProbeView
    from perfconsole.tui.grid import Grid
    from perfconsole.view.canvas import Page, Target
    from perfconsole.view.picture import Picture

_STOP: Keys = (("any key", "stop it"),)


class ProbePage(PageScreen):
    """One probe, from the question to its result."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("t", "change('target')", show=False),
        Binding("s", "change('scenario')", show=False),
        Binding("n", "change('ladder')", show=False),
        Binding("m", "change('model')", show=False),
        Binding("r", "change('again')", show=False),
        Binding("a", "change('despite')", show=False),
        Binding("p", "change('probe')", show=False),
    ]

    class Heard(Message):
        """The target has named its models."""

    def __init__(self, wish: Wish | None = None) -> None:
        super().__init__()
        self.wish = wish or Wish()
        self.lead: ProbeLead | None = None
        """Of the probe that runs."""
        self.view: ProbeView | None = None
        """What is shown of the last one; None before it."""
        self._clock = SystemClock()
        self._timer: Timer | None = None

    def draw(self) -> None:
        """Show the question as it is now, or the probe. A picture that stands still is no ground to load anybody on."""
        newest = self.app.setting.feed.newest
        if self.view is None and newest is not None:
            watched = Watched(self.app.setting.address, self.app.loaded_until)
            self.wish.settle(watched, newest, lambda: self.post_message(self.Heard()))
        super().draw()

    def on_probe_page_heard(self) -> None:
        """Now there is a model to ask for, or a reason why not."""
        self.wish.heard()
        self.draw()

    def body(self, picture: Picture, width: int, height: int) -> Page:
        """The question, or the probe."""
        if self.view is None:
            return ask_page(self.wish.ask(), self.cursor, (width, height), picture.glyphs)
        return probe_page(self.view, self.cursor, (width, height), picture.glyphs)

    def keys(self) -> Keys:
        """While it runs there is nothing but the end."""
        if self.view is None:
            start: Keys = (("enter", "start"),) if self.wish.ready else ()
            return (("esc", "back"), *start, *self.wish.keys(), *EVERYWHERE)
        others = (key for key in EVERYWHERE if key[0] != "p")
        return (("esc", "back"), ("tab", "next chart"), ("p", "another"), *others) if self.view.done else _STOP

    def action_change(self, what: str) -> None:
        """Another target, scenario, ladder or model, before anything is sent; behind a result another probe."""
        if what == "probe":
            self.view, self.cursor = None, Cursor()
        elif self.view is None:
            self.wish.change(what)
        self.draw()

    def action_part(self, step: int) -> None:
        """The next chart comes first."""
        self.cursor = replace(self.cursor, tab=self.cursor.tab + step)
        self.draw()

    def opens(self, target: Target) -> None:
        """A press on the text sends nothing: only enter does."""

    def action_open(self) -> None:
        """Somebody has read it and said yes, wherever the cursor stands."""
        if self.view is not None:
            return
        self.draw()  # by the newest picture: what was read may be some time old where the screen stands still
        if self.wish.ready:
            try:
                begun = self.wish.begin(self._clock.wall() - self._clock.now())
                self.lead = ProbeLead(begun, self.app.setting.feed, self._clock)
            except PerfconsoleError as error:
                self.wish.trouble = str(error)
            else:
                self.takes_all_keys, self.view, self.cursor = True, self.lead.view(), Cursor()
                self._timer = self.set_interval(LOOK_S, self._look)
            self.draw()

    def _look(self) -> None:
        lead = self.lead
        if lead is None:
            return
        if lead.look():
            self._end(lead)
        elif lead.due:
            self.view = lead.view()
            self.draw()

    def _end(self, lead: ProbeLead) -> None:
        """Its result goes to the findings, to the disk, and onto the page, unless that has something else to show."""
        if self._timer is not None:
            self._timer.stop()
        self.lead, self.takes_all_keys, self.app.loaded_until = None, False, self._clock.now()
        shown = self.view

        def show(view: ProbeView) -> None:
            nonlocal shown
            if self.view is shown:
                self.view = shown = view
                self.draw()

        finish(self.app, lead.ended(), show)

    def _stop(self, lead: ProbeLead) -> None:
        lead.stop()
        self._look()

    def on_key(self, event: events.Key) -> None:
        """Any key ends it while it runs."""
        if self.lead is None:
            super().on_key(event)
            return
        event.stop()
        event.prevent_default()
        self._stop(self.lead)

    async def on_grid_pressed(self, message: Grid.Pressed) -> None:
        """The footer's words for any key end it too."""
        if self.lead is None:
            await super().on_grid_pressed(message)
        elif message.target[0] == "key":
            self._stop(self.lead)

    def on_unmount(self) -> None:
        """Nobody looks any more: nothing is left running."""
        if self.lead is not None:
            self.lead.close()
