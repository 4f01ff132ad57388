"""What ends a probe at once: the limits that it never passes, whatever the plan says."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from enum import StrEnum
from statistics import median
from typing import TYPE_CHECKING

from perfconsole.model.finding import State
from perfconsole.model.probeload import Part, Trouble
from perfconsole.model.rule import Severity
from perfconsole.model.sample import Missing

if TYPE_CHECKING:
    from collections.abc import Collection

    from perfconsole.model.entity import Entity
    from perfconsole.model.probeload import LoadTick, RequestRecord
    from perfconsole.model.probeplan import ProbePlan
    from perfconsole.model.snapshot import Snapshot

SILENT_S, SILENT_FIRST_S = 5.0, 15.0
"""Without a sign of life of the load process; it says one twice a second, once it has looked the target's name up."""
LATEST = 10
"""Requests that the limit on first tokens is of; half of them must be there."""
LATELY, LEAST = 40, 20
"""Requests that the error ratio is of, and how many of them there must be."""
NONE_WELL = 5
"""So many requests of which none ended well need no ratio."""
STALL_S, _STALL_TURNS = 20.0, 3.0
"""A server that has answered and then gives no token at all for so long, and for three requests' time, hangs."""
_KV = "engine.kv_cache_usage"


class Cause(StrEnum):
    """Who ended a probe before its time."""

    PERSON = "person"
    LIMIT = "limit"
    """A limit for the safety of what is probed."""
    UNREACHED = "unreached"
    """The target took no connection."""
    CLIENT = "client"
    """The load process is gone, or does not speak."""


@dataclass(frozen=True, slots=True)
class Stopped:
    """Why a probe was broken off."""

    cause: Cause
    why: str


class Guard:
    """Looks at everything that comes, and says when it is too much. `began` is monotonic, as every `now`."""

    def __init__(self, plan: ProbePlan, began: float, engines: Collection[Entity], before: Snapshot | None) -> None:
        self._plan = plan
        self._began = began
        self._engines = frozenset(engines)
        self._known = None if before is None else _critical(before)
        """Critical findings that are not ours."""
        self._seen = -1 if before is None else before.seq
        self._heard: float | None = None
        self._moved = began
        """When the last token came, or nothing was asked for."""
        self._lately: deque[bool] = deque(maxlen=LATELY)
        self._ttfts: deque[float] = deque(maxlen=LATEST)
        self._any_well = False
        self._warm: list[RequestRecord] = []
        self._longest_s = 0.0
        self._full = 0
        """Pictures one after the other in which the KV cache was too full."""

    def note(self, record: RequestRecord) -> None:
        """A request has ended."""
        well = record.trouble is None
        self._lately.append(well)
        self._any_well = self._any_well or well
        self._longest_s = max(self._longest_s, (record.e2e or 0.0) if well else 0.0)
        if record.ttft is not None:
            self._ttfts.append(record.ttft)
        if record.part is Part.WARM_UP:
            self._warm.append(record)

    def hear(self, now: float, tick: LoadTick | None = None) -> None:
        """The load process has said something."""
        self._heard = now
        if tick is not None and (tick.tokens or not tick.inflight):
            self._moved = now

    def look(self, now: float, snapshot: Snapshot | None) -> Stopped | None:
        """What must end the probe now, if anything must."""
        return self._client(now) or self._requests() or self._time(now) or self._engine(snapshot)

    def _client(self, now: float) -> Stopped | None:
        since = self._began if self._heard is None else self._heard
        most = SILENT_FIRST_S if self._heard is None else SILENT_S
        silent = now - since
        return Stopped(Cause.CLIENT, f"the load process said nothing for {silent:.0f} s") if silent > most else None

    def _requests(self) -> Stopped | None:
        warm = self._failed_warm_up()
        if warm is not None:
            return warm
        failed, of = self._lately.count(False), len(self._lately)
        if not self._any_well and of >= NONE_WELL:
            return Stopped(Cause.LIMIT, f"none of the first {of} requests ended well")
        if of >= LEAST and failed / of > self._plan.caps.error_ratio:
            most = self._plan.caps.error_ratio
            return Stopped(Cause.LIMIT, f"{failed / of:.0%} of the last {of} requests failed (limit {most:.0%})")
        return self._late()

    def _late(self) -> Stopped | None:
        """First tokens come so late that people would have left."""
        most, typical = self._plan.caps.ttft_s, median(self._ttfts or (0.0,))
        if len(self._ttfts) < LATEST // 2 or typical <= most:
            return None
        return Stopped(Cause.LIMIT, f"first tokens took {typical:.0f} s (limit {most:g} s)")

    def _failed_warm_up(self) -> Stopped | None:
        """All of it failed; after a time-out nobody waits for another one."""
        failed = [record.trouble for record in self._warm if record.trouble is not None]
        if not failed or len(failed) < len(self._warm):
            return None
        if len(failed) < self._plan.warmup and Trouble.TIMEOUT not in failed:
            return None
        last = self._warm[-1]
        said = f": {last.detail}" if last.detail else ""
        cause = Cause.UNREACHED if set(failed) == {Trouble.REFUSED} else Cause.LIMIT
        return Stopped(cause, f"the warm-up failed ({last.trouble}{said})")

    def _time(self, now: float) -> Stopped | None:
        caps = self._plan.caps
        if now - self._began > caps.seconds:
            return Stopped(Cause.LIMIT, f"its time was over ({caps.seconds:.0f} s)")
        stalled = now - self._moved
        if self._any_well and stalled > max(STALL_S, _STALL_TURNS * self._longest_s):
            return Stopped(Cause.LIMIT, f"the server gave no token for {stalled:.0f} s")
        return None

    def _engine(self, snapshot: Snapshot | None) -> Stopped | None:
        if snapshot is None or snapshot.seq == self._seen:
            return None
        self._seen = snapshot.seq
        if self._known is None:
            self._known = _critical(snapshot)
        new = sorted(_critical(snapshot) - self._known)
        if new:
            rule, entity = new[0]
            title = next(f.title for f in snapshot.findings if (f.rule, f.entity) == new[0])
            return Stopped(Cause.LIMIT, f"a critical finding appeared: {title} ({rule}, {entity})")
        return self._memory(snapshot)

    def _memory(self, snapshot: Snapshot) -> Stopped | None:
        used = max((u for i in snapshot.indicators if (u := self._usage(i.name, i.entity, i.value)) >= 0), default=0.0)
        most = self._plan.caps.kv_usage
        self._full = self._full + 1 if used > most else 0
        return Stopped(Cause.LIMIT, f"the KV cache was {used:.0%} full (limit {most:.0%})") if self._full > 1 else None

    def _usage(self, name: str, entity: Entity, value: float | Missing) -> float:
        return -1.0 if name != _KV or entity not in self._engines or isinstance(value, Missing) else value


def _critical(snapshot: Snapshot) -> frozenset[tuple[str, Entity]]:
    return frozenset(
        (f.rule, f.entity) for f in snapshot.findings if f.severity is Severity.CRITICAL and f.state is State.FIRING
    )
