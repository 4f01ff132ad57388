"""Everything that the load process told, by step. The conductor is the only writer."""

from __future__ import annotations

from collections import defaultdict
from statistics import median
from typing import TYPE_CHECKING

from perfconsole.model.probeload import LoadEnd, LoadEvent, LoadTick, Part, RequestRecord, StepRecord

if TYPE_CHECKING:
    from perfconsole.model.probeplan import ProbePlan

_LATELY_S = 1.0
"""Tokens a second are of the ticks of so long."""
WARM_UP = -1
"""Step of the requests that belong to none."""


class Ledger:
    """The records as they came."""

    def __init__(self) -> None:
        self.records: dict[int, list[RequestRecord]] = defaultdict(list)
        """Counted requests and fillers by step, those of the warm-up under WARM_UP, in the order of their ends."""
        self.ticks: list[LoadTick] = []
        self.steps: dict[int, StepRecord] = {}
        self.end: LoadEnd | None = None

    def add(self, event: LoadEvent) -> None:
        """Take in what was told."""
        match event:
            case RequestRecord():
                self.records[WARM_UP if event.part is Part.WARM_UP else event.step].append(event)
            case LoadTick():
                self.ticks.append(event)
            case StepRecord():
                self.steps[event.step] = event
            case LoadEnd():
                self.end = event

    def ticks_from(self, began: float) -> list[LoadTick]:
        """The ticks from this moment on, and the one before, which says where the first of them begins."""
        place = next((i for i, tick in enumerate(self.ticks) if tick.t > began), len(self.ticks))
        return self.ticks[max(0, place - 1) :]

    def lately(self, step: int) -> list[RequestRecord]:
        """Requests of a step, and of the one before: the last of those may have their first token in this one."""
        return [*self.records[step - 1], *self.records[step]]

    def counted(self, step: int) -> list[RequestRecord]:
        """Counted requests of a step that have ended."""
        return [record for record in self.records[step] if record.part is Part.COUNTED]

    def inflight(self) -> int:
        """Requests sent and not ended, at the last tick."""
        return self.ticks[-1].inflight if self.ticks else 0

    def tokens_per_s(self) -> float | None:
        """Output tokens a second, lately; None while nothing can be said."""
        recent = [tick for tick in self.ticks[-8:] if tick.t > self.ticks[-1].t - _LATELY_S - 0.1]
        seconds = recent[-1].t - recent[0].t if recent else 0.0
        return sum(tick.tokens for tick in recent[1:]) / seconds if seconds > 0 else None

    def first_e2e_s(self, plan: ProbePlan) -> float | None:
        """How long an answer of the plan's length takes, from what the warm-up needed for a token."""
        well = [r for r in self.records[WARM_UP] if r.trouble is None and r.ttft is not None]
        took = [(r.ttft or 0.0) + (r.tpot or 0.0) * (plan.output_tokens - 1) for r in well]
        return median(took) if took else None
