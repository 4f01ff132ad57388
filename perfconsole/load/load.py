"""The load: follows its orders step by step, and keeps within its caps."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfconsole.clock import epoch_ns
from perfconsole.load.account import Account, clock_offset
from perfconsole.load.crowd import Crowd
from perfconsole.load.flight import Flight
from perfconsole.load.stint import Stint
from perfconsole.load.traffic import Traffic
from perfconsole.load.work import Work
from perfconsole.model.probeload import Part
from perfconsole.model.probeorders import Run
from perfconsole.model.probeplan import Shape

if TYPE_CHECKING:
    from collections.abc import Callable

    from perfconsole.load.seat import Seat
    from perfconsole.model.probeload import LoadEvent
    from perfconsole.model.probeorders import Open
    from perfconsole.model.probeplan import Caps
    from perfconsole.probing.scenario import Call

WARM_UP = -1
"""Index of the step that is the warm-up."""
_NANO = 1_000_000_000
_LOOK_NS = 20_000_000
"""How often time-outs, users that rest and the end of a step are looked for; arrivals have moments of their own."""
_GATHER_NS = 5 * _NANO
"""How long a step waits for its connections."""
_HOLD_NS = 15 * _NANO
"""How long the load is kept up without an order."""
_AHEAD = 64
"""Connections of an open loop that are opened beforehand, at most; more are opened as they are needed."""


class Load:
    """Owns the step that runs and the caps; sockets are `traffic`'s, users the crowd's, texts the work's."""

    def __init__(self, opening: Open, tell: Callable[[LoadEvent], None]) -> None:
        now = epoch_ns()
        self._caps = opening.caps
        self._seed = opening.seed
        self.account = Account(tell, now)
        self._work = Work(opening)
        self.traffic = Traffic(opening.targets, self.account.tally, opening.timeout_s)
        self.traffic.landed = self._landed
        self._crowd = Crowd(self._work, self._launch)
        self._crowd.more = self._more
        self._crowd.busy = lambda change: self.account.tally.busy(change, epoch_ns())
        self._began = self._ordered_at = self._look_at = now
        self._stint: Stint | None = None
        self._coming: list[Run] = []
        """Steps that wait for their turn and their connections."""
        self._ending: str | None = ""
        """Why nothing more is started; empty while it is, None where that was the order."""
        self._sent = self._promised = 0
        """Requests that were sent, and the tokens that they may answer with."""
        self.over = False

    def warm(self, requests: int) -> None:
        """Begin to send what is not counted, to each target."""
        for target in range(self._work.targets):
            self.step(Run(WARM_UP, Shape.CONCURRENCY, 1, requests=requests, target=target, keep=False))

    def step(self, run: Run) -> None:
        """Begin a step once its connections are there. The load of the step before goes on meanwhile."""
        self._ordered_at = epoch_ns()
        self._coming.append(run)
        wires = self.traffic.wires
        try:
            wires.resolve(run.target)
            for _ in range(_connections(run, self._work.at_once) - wires.opened(run.target)):
                wires.open(run.target)
        except OSError as error:
            self.finish(f"no connection to the target: {error.strerror or error}")

    def finish(self, why: str | None) -> None:
        """Start nothing more; it is over when what is under way has ended."""
        self._ending = why if self._ending == "" else self._ending

    def stop(self, why: str) -> None:
        """Drop everything, now."""
        self._ending = why
        self._end(epoch_ns())

    def due(self) -> int:
        """Epoch nanoseconds at which something is to be done beside reading."""
        arrival = self._crowd.due
        return self._look_at if arrival is None else min(self._look_at, arrival)

    def on_time(self) -> None:
        """Do what is due."""
        if self.over:
            return
        if self._crowd.arrive() and self._stint is not None:
            self._stint.close(epoch_ns())
        now = epoch_ns()
        if now >= self._look_at:
            self._look_at = now + _LOOK_NS
            self._look(now)

    def _look(self, now: int) -> None:
        self.traffic.break_off(now)
        self._crowd.wake(now)
        stint = self._stint
        if stint is not None:
            stint.look(now)
            self._close(stint, now)
        self._move_on(now)
        if now - self._began > self._caps.seconds * _NANO:
            self.stop(f"limit of {self._caps.seconds:g} s")
        elif self._ending != "" and not self.traffic.flights:
            self._end(now)
        elif now >= self.account.tick_at:
            self.account.tick(now, _index(stint))

    def _move_on(self, now: int) -> None:
        """To the next step, once its connections are there or will not come."""
        stint, late = self._stint, now - self._ordered_at > _GATHER_NS
        if self._coming and self._ending == "" and (stint is None or stint.told):
            if late or all(link.open for link in self.traffic.wires.links.values()):
                self._begin(self._coming.pop(0), now)
        elif stint is not None and stint.told and now - self._ordered_at > _HOLD_NS:
            self.finish("no order came")

    def _begin(self, run: Run, now: int) -> None:
        self.account.tick(now, _index(self._stint))
        warming = run.index == WARM_UP
        self._work.follow(run, warming=warming)
        now = epoch_ns()
        part = Part.WARM_UP if warming else Part.COUNTED
        stint = self._stint = Stint(run, part, now, clock_offset(), self._work.calls)
        self._crowd.begin(run, now, self._seed + run.index)
        if run.shape is Shape.BURST:
            stint.close(now)
        stint.burst_sent()

    def _more(self) -> bool:
        """Whether anything may be started."""
        stint = self._stint
        if stint is None or self._ending != "":
            return False
        stint.look(epoch_ns())
        return stint.accepts or stint.fills

    def _launch(self, seat: Seat, call: Call, body: bytes, intended: int, together: int) -> None:
        stint = self._stint
        assert stint is not None  # noqa: S101 - the crowd begins with one
        promised = self._promised + call.output_tokens
        if limit := _passed(self._caps, self.account.tally.inflight + 1, self._sent + 1, promised):
            self.finish(limit)
            return
        self._sent += 1
        self._promised = promised
        flight = Flight(seat, call, stint, stint.part(intended), together > 1, intended, body, waits=together > 0)
        stint.started(flight)
        self.traffic.send(flight)

    def _landed(self, flight: Flight, now: int) -> None:
        """A request has ended: let its user go on, and count it."""
        again = self._work.learn(flight)
        flight.stint.ended(flight, again=again)
        self._crowd.freed(flight.seat, now, well=flight.answer.trouble is None or again)
        self.account.landed(flight, now, told=not again)
        self._close(flight.stint, now)

    def _close(self, stint: Stint, now: int) -> None:
        """Tell of a step that is over, unless it is the warm-up and that of another target follows."""
        if stint.over and not stint.told:
            stint.told = True
            self._ordered_at = now
            silent = stint.run.index == WARM_UP and bool(self._coming)
            self.account.step_over(stint, now, None if silent else self.traffic.wires)

    def _end(self, now: int) -> None:
        """Close everything and say so."""
        if not self.over:
            self.over = True
            self.traffic.wires.close()
            self.account.end(now, _index(self._stint), self._ending or None, self._sent, self._work.notes)


def _connections(run: Run, at_once: int) -> int:
    """How many a step needs beforehand, where a user has so many requests under way at the same time."""
    if run.fresh or run.shape is Shape.REPLAY:
        return 0
    if run.shape is Shape.RATE:
        return min(_AHEAD, 1 + int(run.amount))
    return int(run.amount) * at_once


def _index(stint: Stint | None) -> int:
    return stint.run.index if stint else WARM_UP


def _passed(caps: Caps, inflight: int, sent: int, promised: int) -> str:
    """The cap that one more request would pass; empty where it passes none. A burst meets it in its middle, too."""
    if inflight > caps.concurrency:
        return f"limit of {caps.concurrency} requests at a time"
    if sent > caps.requests:
        return f"limit of {caps.requests} requests"
    return f"limit of {caps.output_tokens} output tokens" if promised > caps.output_tokens else ""
