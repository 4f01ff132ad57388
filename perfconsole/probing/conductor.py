"""Leads a probe: gives the orders, takes in what the load process tells, decides what comes next and when to stop.

Pure: it is told the time, the pictures of the monitor and what the engines did, and owns nothing but its own state.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING

from perfconsole.model.probeload import LoadTick, RequestRecord
from perfconsole.model.probeorders import Finish, Run, Stop, Warm
from perfconsole.model.probeplan import Shape
from perfconsole.model.proberesult import ENDED
from perfconsole.probing.guard import Cause, Guard, Stopped
from perfconsole.probing.ledger import WARM_UP, Ledger
from perfconsole.probing.route import route
from perfconsole.probing.serverside import server_side
from perfconsole.probing.stepfold import fold
from perfconsole.probing.steplength import with_length

if TYPE_CHECKING:
    from collections.abc import Callable

    from perfconsole.model.enginestretch import EngineStretch
    from perfconsole.model.entity import Entity
    from perfconsole.model.probeload import LoadEvent, StepRecord
    from perfconsole.model.probeorders import Arrival, LoadOrder, Open
    from perfconsole.model.probeplan import ProbePlan, Step
    from perfconsole.model.proberesult import ServerSide, StepResult
    from perfconsole.model.snapshot import Snapshot
    from perfconsole.probing.route import Stage

    Orders = tuple[LoadOrder, ...]
    Stretch = Callable[[Entity, float, float], EngineStretch | None]
    """What an engine did between two moments (monotonic seconds)."""

STOPPING_S = 2.0
"""After the order to drop everything the load process has so long to say that it has."""
SETTLING_S = 3.0
"""For a poll after the last request: then the engine has counted all tokens too."""
EARLIER_S = 12.0
"""How far back the last poll before the first request may lie."""


class Phase(StrEnum):
    """Where a probe stands."""

    CONNECTING = "connecting"
    WARM_UP = "warming up"
    STEP = "step"
    DRAINING = "draining"
    """The last requests may end."""
    SETTLING = "settling"
    """The engine is polled once more."""
    STOPPING = "stopping"
    DONE = "done"


@dataclass(frozen=True, slots=True)
class Lead:
    """What a probe is led by, beside its plan."""

    opening: Open
    offset: float
    """Epoch seconds minus monotonic seconds."""
    engines: tuple[Entity | None, ...] = ()
    """The engine behind each target of the plan, where one is watched."""
    before: Snapshot | None = None
    """The picture before the first request."""
    arrivals: tuple[Arrival, ...] = ()
    """Of a replay."""


class Conductor:
    """One probe. `take` what the load process tells, then `look` and send the orders that it gives, ten times a second.

    `now` is monotonic seconds, everywhere.
    """

    def __init__(self, plan: ProbePlan, lead: Lead, now: float) -> None:
        self.plan = plan
        self.phase = Phase.CONNECTING
        self.ledger = Ledger()
        self.results: list[StepResult] = []
        """Of each step that was gone through, in the order in which they were."""
        self.stopped: Stopped | None = None
        """Why it was broken off."""
        self.notes: list[str] = []
        self.whole: EngineStretch | None = None
        """What the engine of the first target did from before the first request until after the last."""
        self.began = now
        self._lead = lead
        self._route = route(plan)
        self.stage: Stage | None = None
        """The stretch under way."""
        self.number = -1
        """Of the stretch that was ordered last, as its records carry it."""
        self.ordered = now
        """When that was."""
        self._lengths: dict[Step, Step] = {}
        self._guard = Guard(plan, now, [engine for engine in lead.engines if engine is not None], lead.before)
        self._deadline = now

    def start(self) -> Orders:
        """The first orders."""
        opening = self._lead.opening
        return (opening, Warm(self.plan.warmup)) if self.plan.warmup else (opening, *self._advance(None, self.began))

    def take(self, event: LoadEvent, now: float) -> None:
        """Take in what the load process told."""
        self.ledger.add(event)
        self._guard.hear(now, event if isinstance(event, LoadTick) else None)
        if isinstance(event, RequestRecord):
            self._guard.note(event)
        if self.phase is Phase.CONNECTING:
            self.phase = Phase.WARM_UP

    def look(self, snapshot: Snapshot | None, stretch: Stretch, now: float) -> Orders:
        """What to order now, if anything."""
        match self.phase:
            case Phase.DONE:
                return ()
            case Phase.STOPPING:
                self._leave(Phase.DONE, gone=self.ledger.end is not None or now >= self._deadline)
                return ()
            case Phase.SETTLING:
                self._settle(stretch, now)
                return ()
        stopped = self._ended_early() or self._guard.look(now, snapshot)
        if stopped is not None:
            return self.stop(stopped, stretch, now)
        match self.phase:
            case Phase.WARM_UP if len(self.ledger.records[WARM_UP]) >= self.plan.warmup:
                return self._advance(None, now)
            case Phase.STEP if self.number in self.ledger.steps:
                return self._close(stretch, now)
            case Phase.DRAINING if self.ledger.end is not None:
                self._deadline = now + SETTLING_S
                self._leave(Phase.SETTLING, gone=True)
        return ()

    def stop(self, stopped: Stopped, stretch: Stretch, now: float) -> Orders:
        """Break it off; what was measured of the step under way is kept."""
        if self.phase is Phase.SETTLING and stopped.cause is Cause.PERSON:
            self.phase = Phase.DONE  # all steps are whole, and nothing is open: only the last poll is not waited for
        if self.phase in (Phase.STOPPING, Phase.SETTLING, Phase.DONE):
            return ()
        if self.phase is Phase.STEP:
            self._keep_cut(stretch, now)
        if self.phase is Phase.DRAINING and stopped.cause is not Cause.PERSON:
            self.notes.append(f"the last requests were broken off: {stopped.why}")  # all steps are whole
        else:
            self.stopped = stopped
        gone = self.ledger.end is not None
        self._deadline = now + STOPPING_S
        self.phase = Phase.DONE if gone else Phase.STOPPING
        return () if gone else (Stop(),)

    def lost(self, words: str, stretch: Stretch, now: float) -> None:
        """The load process has ended and will say nothing more; `words` are its last."""
        if self.ledger.end is None and self.phase not in (Phase.STOPPING, Phase.DONE):
            said = f": {words}" if words else ""
            self.stop(Stopped(Cause.CLIENT, f"the load process ended{said}"), stretch, now)
        if self.phase is not Phase.SETTLING:
            self.phase = Phase.DONE

    def _ended_early(self) -> Stopped | None:
        """The load process has ended without being told to."""
        end = self.ledger.end
        if end is None or (self.phase is Phase.DRAINING and end.stopped is None):
            return None
        why = end.stopped or "the load process ended early"
        return Stopped(Cause.LIMIT if end.stopped else Cause.CLIENT, why)

    def _settle(self, stretch: Stretch, now: float) -> None:
        """Until the engine was polled after the last request, then it is compared with what the client counted."""
        engine = self._lead.engines[0] if self._lead.engines else None
        end = self.ledger.end
        self.whole = None if engine is None else whole_stretch(engine, stretch, self.began, now)
        polled = self.whole is not None and end is not None and self.whole.end + self._lead.offset > end.t
        self._leave(Phase.DONE, gone=engine is None or polled or now >= self._deadline)

    def _leave(self, phase: Phase, *, gone: bool) -> None:
        if gone:
            self.phase = phase

    def _close(self, stretch: Stretch, now: float) -> Orders:
        """Make a result of the step that has ended, and go on."""
        assert self.stage is not None  # noqa: S101 - a step is under way
        if self.stage.pause:
            return self._advance(None, now)
        self.results.append(self._folded(self.stage, self.ledger.steps[self.number], stretch, now))
        return self._advance(self.results[-1], now)

    def _keep_cut(self, stretch: Stretch, now: float) -> None:
        """A step that is broken off is kept for what it shows, the errors above all."""
        if self.stage is not None and not self.stage.pause and self.ledger.counted(self.number):
            self.results.append(self._folded(self.stage, None, stretch, now))

    def _folded(self, stage: Stage, record: StepRecord | None, stretch: Stretch, now: float) -> StepResult:
        records = self.ledger.records[self.number]
        began = record.began if record is not None else min(r.intended for r in records)
        ticks = self.ledger.ticks_from(began)
        server = self._server(stage.step, record, stretch, now) if record is not None else None
        return fold(stage.step, stage.index, stage.run, records, ticks, record, server, self.plan)

    def _server(self, step: Step, record: StepRecord, stretch: Stretch, now: float) -> ServerSide | None:
        """The engine's numbers, from where the load was steady if it was polled twice there, else of the whole step."""
        engine = self._lead.engines[step.target] if step.target < len(self._lead.engines) else None
        if engine is None:
            return None
        offset = self._lead.offset
        steady = record.began if record.full is None else record.full
        found = stretch(engine, steady - offset, record.ended - offset) or stretch(engine, record.began - offset, now)
        if found is None:
            return None
        return server_side(found, self.ledger.lately(self.number), self.ledger.ticks_from(record.began), offset)

    def _advance(self, result: StepResult | None, now: float) -> Orders:
        """The order of the next stage, or to finish."""
        try:
            stage = next(self._route) if self.stage is None else self._route.send(result)
        except StopIteration as end:
            self.notes += [f"{ENDED}{end.value}"] if end.value else []
            self.phase = Phase.DRAINING
            return (Finish(),)
        plain = replace(stage.step, label="")
        if plain not in self._lengths:
            of_run = [r for r in self.results if r.run == stage.run]
            self._lengths[plain] = with_length(plain, of_run, self.ledger.first_e2e_s(self.plan))
        self.stage = replace(stage, step=replace(self._lengths[plain], label=stage.step.label))
        self.number += 1
        self.ordered = now
        self.phase = Phase.STEP
        return (order_of(self.stage.step, self.number, self._lead.arrivals),)


def order_of(step: Step, number: int, arrivals: tuple[Arrival, ...] = ()) -> Run:
    """The order for one step."""
    return Run(
        index=number,
        shape=step.shape,
        amount=step.amount,
        requests=step.requests,
        seconds=step.seconds,
        target=step.target,
        extra=step.extra,
        prompt=step.prompt,
        fresh=step.fresh,
        keep=step.keep,
        arrivals=arrivals if step.shape is Shape.REPLAY else (),
    )


def whole_stretch(engine: Entity, stretch: Stretch, began: float, now: float) -> EngineStretch | None:
    """From the last poll before the probe began until the newest one."""
    wide = stretch(engine, began - EARLIER_S, now)
    before = [t for t, _ in wide.running if t <= began] if wide is not None else []
    return stretch(engine, before[-1], now) if before else wide
