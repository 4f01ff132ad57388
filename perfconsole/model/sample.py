"""What a source hands over: samples, text facts, links and explained absences, in one batch a poll."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from perfconsole.model.entity import Entity, Link


class Missing(StrEnum):
    """Why a value is not there. It is never replaced by 0."""

    NEVER = "never"
    """Nothing of the kind was observed (in the window, for a rate or a quantile)."""
    STALE = "stale"
    """Last seen longer ago than three cadences of its source."""
    SOURCE_DOWN = "source-down"
    NOT_EXPORTED = "not-exported"
    NO_PERMISSION = "no-permission"
    WARMING_UP = "warming-up"
    """The window is not filled yet, or holds too few events."""
    NO_BASELINE = "no-baseline"
    UNSUPPORTED = "unsupported"


@dataclass(frozen=True, slots=True)
class SeriesKey:
    """Identity of one series; `labels` tell apart the parts that fold into one indicator (rank, reason)."""

    indicator: str
    entity: Entity
    labels: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Histogram:
    """A cumulative histogram: `counts[i]` observations were <= `bounds[i]`; the last bound is infinity.

    A summary without quantiles (only sum and count) has the one bound infinity: it has a mean and no quantile.
    """

    bounds: tuple[float, ...]
    counts: tuple[float, ...]
    total: float
    """Sum of all observed values, in the indicator's unit."""

    @property
    def count(self) -> float:
        """Number of observations since the start of the exporting process."""
        return self.counts[-1]


Value = float | Histogram


@dataclass(frozen=True, slots=True)
class Sample:
    """One value in base units (seconds, bytes, ratio 0..1, cores)."""

    key: SeriesKey
    value: Value


@dataclass(frozen=True, slots=True)
class Fact:
    """A fact in words (version, model, where max_num_seqs comes from); it cannot stand in a condition."""

    name: str
    entity: Entity
    value: str


@dataclass(frozen=True, slots=True)
class Absence:
    """An indicator that this source would fill for this entity and cannot, with the reason."""

    indicator: str
    entity: Entity
    reason: Missing


@dataclass(frozen=True, slots=True)
class GivenBaseline:
    """A healthy value from outside the session: a saved profile, a situation file, the case of a rule."""

    indicator: str
    entity: Entity
    value: float
    kind: str


ACTION = "action"
"""Kind of a batch that an action gives once: its source is nothing that is watched."""


@dataclass(frozen=True, slots=True)
class Batch:
    """One poll of one source. A batch with neither samples nor error announces a source that has just started."""

    source: str
    """Unique name of the source, as health lines show it."""
    kind: str
    """What it reads: metrics page, host, processes, nvml ..."""
    t: float
    """Monotonic seconds at the end of the poll (recorded time in a replay)."""
    wall: float
    """Epoch seconds of the same moment."""
    cadence_s: float
    """Seconds until the source means to poll again; values go stale after three of them."""
    samples: tuple[Sample, ...] = ()
    facts: tuple[Fact, ...] = ()
    links: tuple[Link, ...] = ()
    absences: tuple[Absence, ...] = ()
    took_s: float | None = None
    """Seconds the poll took; None when nothing was polled yet."""
    error: str | None = None
    """Why the poll gave nothing usable, in words for the screen."""
    notes: tuple[str, ...] = ()
    """Remarks about a poll that worked: names missing that this version should have, and the like."""
    gone: tuple[Entity, ...] = ()
    """Entities that ceased to exist (a process that ended, a provisional name)."""
    restarted: tuple[Entity, ...] = ()
    """Entities whose counters began anew since the last poll."""
    baselines: tuple[GivenBaseline, ...] = ()
    only_notes: bool = False
    """Notes are all that it ever gives; of any other source they explain why there is nothing."""
    entities: tuple[Entity, ...] = field(default=())
    """Entities this source speaks for even when it has no value for them."""
