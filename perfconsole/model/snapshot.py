"""The frozen picture of one tick: everything a screen, a report or a script may show."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from perfconsole.model.entity import Entity, Link
    from perfconsole.model.finding import Explanation, Finding, Undecided
    from perfconsole.model.sample import Fact, Missing
    from perfconsole.model.trend import Trend
    from perfconsole.model.upstream import Upstream


@dataclass(frozen=True, slots=True)
class Baseline:
    """A healthy value and where it comes from."""

    value: float
    kind: str


class Indicator(NamedTuple):
    """One indicator of one entity at this tick, in base units.

    A named tuple because some hundreds are made at every tick: a frozen dataclass takes four times as long.
    """

    name: str
    entity: Entity
    value: float | Missing
    unit: str
    baseline: Baseline | None = None
    lifetime: float | None = None
    """For a histogram suffix: the same quantile over the life of the exporting process."""
    mark: str | None = None
    """"warn" or "critical" where the value passes a mark of the team's dictionary."""
    parts: tuple[tuple[str, float], ...] = ()
    """The parts that fold into the value (ranks, cores), where there are several: `core=3` and its value."""
    owner: str = ""
    """Who acts on it, by the dictionary."""
    at_least: bool = False
    """A quantile beyond the last bound of its buckets: the truth is that bound or more."""


class SourceState(StrEnum):
    """How a source is doing."""

    OK = "ok"
    LATE = "late"
    """A poll is out and not back in its time."""
    DOWN = "down"
    """The last poll failed."""
    ABSENT = "absent"
    """What it reads does not exist here."""


@dataclass(frozen=True, slots=True)
class SourceHealth:
    """One source, as health lines show it."""

    name: str
    kind: str
    state: SourceState
    reason: str | None
    took_s: float | None
    cadence_s: float
    answered: bool
    """It gave a usable poll at least once."""
    notes: tuple[str, ...] = ()
    silent_s: float | None = None
    """Seconds since its last usable poll; None before the first."""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """Everything known at one tick, in ranked order where order matters."""

    seq: int
    t: float
    wall: float
    indicators: tuple[Indicator, ...]
    findings: tuple[Finding, ...]
    undecided: tuple[Undecided, ...]
    sources: tuple[SourceHealth, ...]
    facts: tuple[Fact, ...]
    links: tuple[Link, ...]
    entities: tuple[Entity, ...]
    ruled_out: tuple[tuple[str, Entity], ...] = ()
    """Rules, by id, that would speak about an entity but for an exclusion that holds."""
    judged: bool = True
    """There were rules to judge by; False in the first moment of a console, which loads them a little later."""
    explanations: tuple[Explanation, ...] = ()
    """The rule that somebody asked about, on every entity of its scope; empty when nobody asks."""
    trends: tuple[Trend, ...] = ()
    """What grows towards a limit, the soonest first."""
    upstreams: tuple[Upstream, ...] = ()
    """What each gateway sends to whom, where its page tells."""
