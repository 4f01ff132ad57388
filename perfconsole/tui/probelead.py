"""A probe under way on the screen: begun, looked at ten times a second, drawn twice, and ended."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from perfconsole.actions.proberun import ProbeRun
from perfconsole.probing.guard import Cause, Stopped
from perfconsole.probing.progress import probe_view
from perfconsole.tui.probedone import Ended
from perfconsole.view.probelayers import layers_now

if TYPE_CHECKING:
    from perfconsole.clock import Clock
    from perfconsole.model.enginestretch import EngineStretch
    from perfconsole.model.entity import Entity
    from perfconsole.model.probeview import ProbeView
    from perfconsole.model.snapshot import Snapshot
    from perfconsole.tui.feed import Feed
    from perfconsole.tui.probewish import Begun

_DRAW_S = 0.5
"""How often the curves are drawn anew: the load process has something to tell twice a second."""


class ProbeLead:
    """Leads one probe by the newest pictures; NotPermittedError when its load process cannot be started."""

    def __init__(self, begun: Begun, feed: Feed, clock: Clock) -> None:
        self.begun = begun
        self._feed = feed
        self._clock = clock
        self._wall, self._drawn = clock.wall(), clock.now()
        self._loaded: Snapshot | None = None
        """The last picture of the time of a step."""
        self._run = ProbeRun(begun.plan, begun.lead, self._drawn)

    def look(self) -> bool:
        """Move it on; whether it has ended."""
        if self._feed.fault:
            self._stop(Stopped(Cause.CLIENT, f"nobody watches the engine any more: {self._feed.fault}"))
        done = self._run.look(self._feed.newest, self._stretch, self._clock.now())
        if not done and self._run.conductor.stage is not None:
            self._loaded = self._feed.newest
        return done

    @property
    def due(self) -> bool:
        """There is something new to draw."""
        return self._clock.now() - self._drawn >= _DRAW_S

    def view(self) -> ProbeView:
        """Where it stands."""
        self._drawn = self._clock.now()
        layers = layers_now(self._feed.newest, self.begun.lead.engines[0])
        return replace(probe_view(self._run.conductor, self._drawn), layers=layers)

    def stop(self) -> None:
        """Somebody wants it to end; a look soon after finds that it has."""
        self._stop(Stopped(Cause.PERSON, "stopped by a key"))

    def ended(self) -> Ended:
        """All that is to be told of it at its end."""
        return Ended(self._run.conductor, self.begun, self._wall, self._clock.now(), self._loaded)

    def close(self) -> None:
        """Kill the load process, whatever it does."""
        self._run.close()

    def _stop(self, why: Stopped) -> None:
        self._run.stop(why, self._stretch, self._clock.now())

    def _stretch(self, engine: Entity, start: float, end: float) -> EngineStretch | None:
        return self._feed.monitor.visit(lambda session: session.stretch(engine, start, end))
