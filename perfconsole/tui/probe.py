"""The page of a probe: what it would send, its curves while it runs, and what they say. Nothing is sent unasked."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType

from perfconsole.actions.proberun import LOOK_S, ProbeRun
from perfconsole.clock import SystemClock
from perfconsole.errors import NotPermittedError
from perfconsole.probing.guard import Cause, Stopped
from perfconsole.probing.progress import probe_view
from perfconsole.tui.keys import EVERYWHERE, Keys
from perfconsole.tui.page import PageScreen
from perfconsole.tui.probedone import Ended, finish
from perfconsole.tui.probewish import Wish
from perfconsole.view.probechoice import ask_page
from perfconsole.view.probelayers import layers_now
from perfconsole.view.probepage import probe_page

if TYPE_CHECKING:
    from textual import events
    from textual.timer import Timer

    from perfconsole.model.enginestretch import EngineStretch
    from perfconsole.model.entity import Entity
    from perfconsole.model.probeview import ProbeView
    from perfconsole.model.snapshot import Snapshot
    from perfconsole.view.canvas import Page, Target
    from perfconsole.view.picture import Picture

_DRAW_S = 0.5
"""How often the curves are drawn anew: the load process has something to tell twice a second."""


class ProbePage(PageScreen):
    """One probe, from the question to its result."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("y", "begin", show=False),
        Binding("t", "change('target')", show=False),
        Binding("s", "change('scenario')", show=False),
        Binding("n", "change('ladder')", show=False),
    ]

    def __init__(self, wish: Wish | None = None) -> None:
        super().__init__()
        self.wish = wish or Wish()
        self.run: ProbeRun | None = None
        self.view: ProbeView | None = None
        """What is shown of the probe; None before it."""
        self._clock = SystemClock()
        self._timer: Timer | None = None
        self._began = self._drawn = 0.0
        self._before: Snapshot | None = None
        self._loaded: Snapshot | None = None
        """The last picture of the time of a step."""

    def on_mount(self) -> None:
        """Ask the target for its models, and go on drawing what runs there."""
        super().on_mount()
        self.call_after_refresh(self._settle)

    def _settle(self) -> None:
        self.wish.settle(self.app, self.draw)
        self.draw()

    def body(self, picture: Picture, width: int, height: int) -> Page:
        """The question, or the probe."""
        if self.view is None:
            return ask_page(self.wish.ask(picture.snapshot), self.cursor, (width, height), picture.glyphs)
        return probe_page(self.view, self.cursor, (width, height), picture.glyphs)

    def keys(self) -> Keys:
        """While it runs there is nothing but the end."""
        if self.run is not None:
            return (("any key", "stop it"),)
        if self.view is not None:
            return (("esc", "back"), ("tab", "next chart"), *EVERYWHERE)
        start: Keys = (("enter", "start"),) if self.wish.ready(self.app.picture) else ()
        return (("esc", "back"), *start, *self.wish.keys(), *EVERYWHERE)

    def action_change(self, what: str) -> None:
        """Another target, scenario or ladder, before anything is sent."""
        if self.view is None:
            self.wish.change(what)
            self._settle()

    def action_part(self, step: int) -> None:
        """The next chart comes first."""
        self.cursor = replace(self.cursor, tab=self.cursor.tab + step)
        self.draw()

    def opens(self, target: Target) -> None:  # noqa: ARG002 - all of the page is one question
        """Enter starts it."""
        self.action_begin()

    def action_open(self) -> None:
        """Enter starts it, wherever the cursor stands."""
        self.action_begin()

    def action_begin(self) -> None:
        """Somebody has read it and said yes."""
        picture = self.app.picture
        if self.view is not None or picture is None or not self.wish.ready(picture):
            return
        now = self._clock.now()
        try:
            self.run = ProbeRun(*self.wish.start(picture.snapshot, self._clock.wall() - now), now)
        except NotPermittedError as error:
            self.wish.trouble = str(error)
        else:
            self._began, self._before = self._clock.wall(), picture.snapshot
            self._timer = self.set_interval(LOOK_S, self._look)
            self._show(picture.snapshot, now)
        self.draw()

    def _look(self) -> None:
        run, snapshot, now = self.run, self.app.setting.feed.newest, self._clock.now()
        if run is None:
            return
        if run.look(snapshot, self._stretch, now):
            self._end(run, now)
        elif now - self._drawn >= _DRAW_S:
            self._show(snapshot, now)
            self.draw()

    def _stretch(self, engine: Entity, start: float, end: float) -> EngineStretch | None:
        return self.app.setting.feed.monitor.visit(lambda session: session.stretch(engine, start, end))

    def _show(self, snapshot: Snapshot | None, now: float) -> None:
        run = self.run
        assert run is not None  # noqa: S101 - the callers look
        self._drawn = now
        self._loaded = snapshot if run.conductor.stage is not None else self._loaded
        self.view = replace(probe_view(run.conductor, now), layers=layers_now(snapshot))

    def _end(self, run: ProbeRun, now: float) -> None:
        """Its result goes to the findings, to the disk, and onto the page."""
        if self._timer is not None:
            self._timer.stop()
        self.run = None

        def show(view: ProbeView) -> None:
            self.view = view
            self.draw()

        finish(self.app, Ended(run.conductor, self.wish, self._began, now, self._before, self._loaded), show)

    def on_key(self, event: events.Key) -> None:
        """Any key ends it while it runs."""
        if self.run is None:
            super().on_key(event)
            return
        event.stop()
        event.prevent_default()
        self.run.stop(Stopped(Cause.PERSON, "stopped by a key"), self._stretch, self._clock.now())
        self._look()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """While it runs no key is a command, but for leaving the program."""
        if self.run is not None and action != "leave":
            return False
        return super().check_action(action, parameters)

    def on_unmount(self) -> None:
        """Nobody looks any more: nothing is left running."""
        if self.run is not None:
            self.run.close()
