"""The load: follows its orders step by step, keeps within its caps, and tells what happened."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfconsole.clock import cpu_s, epoch_ns, monotonic_ns
from perfconsole.load.crowd import Crowd
from perfconsole.load.flight import Flight
from perfconsole.load.stint import Stint
from perfconsole.load.tally import Tally, counts
from perfconsole.load.traffic import Traffic
from perfconsole.load.work import Work
from perfconsole.model.probeload import LoadEnd, Part
from perfconsole.model.probeorders import Run
from perfconsole.model.probeplan import Shape

if TYPE_CHECKING:
    from collections.abc import Callable

    from perfconsole.load.seat import Seat
    from perfconsole.model.probeload import LoadEvent
    from perfconsole.model.probeorders import Open
    from perfconsole.probing.scenario import Call

WARM_UP = -1
"""Index of the step that is the warm-up."""
_NANO = 1_000_000_000
_TICK_NS = 500_000_000
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
        self._tell = tell
        self._tally = Tally(now)
        self._work = Work(opening)
        self.traffic = Traffic(opening.targets, self._tally, opening.timeout_s)
        self.traffic.landed, self.traffic.heard = self._landed, self._heard
        self._crowd = Crowd(self._work, self._launch)
        self._crowd.more = self._more
        self._crowd.busy = lambda change: self._tally.busy(change, epoch_ns())
        self._began = self._ordered_at = now
        self._stint: Stint | None = None
        self._coming: list[Run] = []
        """Steps that wait for their turn and their connections."""
        self._ending: str | None = ""
        """Why nothing more is started; empty while it is, None where that was the order."""
        self._cpu = cpu_s()
        self._tick_at, self._look_at = now + _TICK_NS, now
        self._sent = self._promised = self._tokens = self._prompt_tokens = 0
        """Requests sent, the tokens that they may answer with, and those of answers and prompts so far."""
        self.over = False

    def warm(self, requests: int) -> None:
        """Begin to send what is not counted, to each target."""
        for target in range(self._work.targets):
            self._come(Run(WARM_UP, Shape.CONCURRENCY, 1, requests=requests, target=target, keep=False))

    def step(self, run: Run) -> None:
        """Begin a step once its connections are there. The load of the step before goes on meanwhile."""
        self._come(run)

    def _come(self, run: Run) -> None:
        self._ordered_at = epoch_ns()
        self._coming.append(run)
        wires = self.traffic.wires
        try:
            wires.resolve(run.target)
            for _ in range(self._wanted(run) - wires.opened(run.target)):
                wires.open(run.target)
        except OSError as error:
            self.finish(f"no connection to the target: {error.strerror or error}")

    def _wanted(self, run: Run) -> int:
        """Connections that a step needs beforehand."""
        if run.fresh or run.shape is Shape.REPLAY:
            return 0
        if run.shape is Shape.RATE:
            return min(_AHEAD, 1 + int(run.amount))
        return int(run.amount) * self._work.at_once

    def finish(self, why: str | None) -> None:
        """Start nothing more; it is over when what is under way has ended."""
        self._ending = why if self._ending == "" else self._ending

    def stop(self, why: str) -> None:
        """Drop everything, now."""
        self._ending = why
        self._end(epoch_ns())

    def wait_s(self) -> float:
        """Seconds until something is due."""
        due = self._crowd.due
        return max(0.0, (min(self._look_at, due or self._look_at) - epoch_ns()) / _NANO)

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
        if stint is not None and not stint.told:
            stint.look(now)
            if stint.over:
                self._tell_end(stint, now)
        self._move_on(now)
        if now - self._began > self._caps.seconds * _NANO:
            self.stop(f"limit of {self._caps.seconds:.0f} s")
        elif self._ending != "" and not self.traffic.flights:
            self._end(now)
        elif now >= self._tick_at:
            self._tick(now)

    def _move_on(self, now: int) -> None:
        """To the next step, once its connections are there or will not come."""
        stint, late = self._stint, now - self._ordered_at > _GATHER_NS
        if self._coming and self._ending == "" and (stint is None or stint.told):
            if late or all(link.open for link in self.traffic.wires.links.values()):
                self._begin(self._coming.pop(0), now)
        elif stint is not None and stint.told and now - self._ordered_at > _HOLD_NS:
            self.finish("no order came")

    def _begin(self, run: Run, now: int) -> None:
        self._tick(now)
        self._work.follow(run, warming=run.index == WARM_UP)
        part = Part.WARM_UP if run.index == WARM_UP else Part.COUNTED
        now = epoch_ns()
        stint = self._stint = Stint(run, part, now, _offset(), self._work.calls)
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

    def _launch(self, seat: Seat, call: Call, body: bytes, intended: int, burst: bool) -> None:  # noqa: FBT001 - the crowd's form
        stint = self._stint
        assert stint is not None  # noqa: S101 - the crowd begins with one
        if self._tally.inflight >= self._caps.concurrency:
            self.finish(f"limit of {self._caps.concurrency} requests at a time")
            return
        self._sent += 1
        self._promised += call.output_tokens
        part = stint.part(intended)
        run = stint.run
        flight = Flight(seat, call, run.index, run.target, part, burst, intended, body, run.fresh, waits=burst)
        stint.started(flight)
        if self._sent >= self._caps.requests:
            self.finish(f"limit of {self._caps.requests} requests")
        elif self._promised >= self._caps.output_tokens:
            self.finish(f"limit of {self._caps.output_tokens} output tokens")
        self.traffic.send(flight)

    def _heard(self, flight: Flight, now: int) -> None:
        if self._stint is not None:
            self._stint.heard(flight, now)

    def _landed(self, flight: Flight, now: int) -> None:
        """A request has ended: count it, tell of it, and let its user go on."""
        stint, answer, tally = self._stint, flight.answer, self._tally
        assert stint is not None  # noqa: S101 - it was launched in one
        well = answer.trouble is None
        usage = answer.usage
        if usage is not None and well:
            tally.tokens += usage.output - answer.events
            tally.prompt_tokens += usage.prompt or 0
            self._prompt_tokens += usage.prompt or 0
        self._tokens += flight.tokens() or 0
        if well and flight.part is Part.COUNTED:
            tally.ended(flight)
        again = self._work.learn(flight)
        if flight.step == stint.run.index:
            stint.ended(flight, again=again)
        self._crowd.freed(flight.seat, now, well=well or again)  # first of all: its user waits
        if not again:
            self._tell(flight.record(now))
        if stint.over and not stint.told:
            self._tell_end(stint, now)

    def _tell_end(self, stint: Stint, now: int) -> None:
        """The step is over, and told of unless the warm-up of another target follows."""
        stint.told = True
        self._ordered_at = now
        self._tick(now)
        if stint.run.index == WARM_UP and self._coming:
            return
        wires = self.traffic.wires
        connect = counts(wires.connects.items())
        unread = wires.unread()
        wires.connects.clear()
        self._tell(stint.record(now, _offset(), connect, kernel=wires.kernel_stamps, unread=unread))

    def _tick(self, now: int) -> None:
        used = cpu_s()
        step = self._stint.run.index if self._stint else WARM_UP
        self._tell(self._tally.tick(now, step, used - self._cpu))
        self._cpu, self._tick_at = used, now + _TICK_NS

    def _end(self, now: int) -> None:
        """Close everything and say so."""
        if not self.over:
            self.over = True
            self._tick(now)
            self.traffic.wires.close()
            notes = self._work.notes
            self._tell(LoadEnd(now / _NANO, self._ending or None, self._sent, self._tokens, self._prompt_tokens, notes))


def _offset() -> int:
    """Epoch minus monotonic time, in nanoseconds."""
    return epoch_ns() - monotonic_ns()
