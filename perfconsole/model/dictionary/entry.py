"""The form of a dictionary entry: what an indicator means, in which unit, for whom, and where it is marked."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from perfconsole.model.entity import Kind


class Sort(StrEnum):
    """What kind of quantity it is."""

    GAUGE = "gauge"
    COUNTER = "counter"
    """Rises only; rules read it through rate() or delta(), a plain reading is the total."""
    HISTOGRAM = "histogram"
    """Read with a suffix: .p50 .p90 .p95 .p99 .mean."""
    STATE = "state"
    FACT = "fact"
    TEXT = "text"
    """A fact in words; it cannot stand in a condition."""
    EVENT = "event"
    """Number seen in the last hour unless the definition says otherwise."""
    DERIVED = "derived"


class Fold(StrEnum):
    """How the parts of one indicator (ranks, reasons) become one number."""

    SUM = "sum"
    MEAN = "mean"
    MAX = "max"
    MIN = "min"


@dataclass(frozen=True, slots=True)
class Entry:
    """One canonical indicator. Source: the metric dictionary a team agrees on before launch."""

    name: str
    sort: Sort
    unit: str
    """Base unit in words: s, bytes, ratio, cores, W, Hz, requests, tokens/s, 0/1, text ..."""
    scope: Kind
    definition: str
    warn: str = ""
    """Mark at warn, as `[SUFFIX] CMP NUMBER[UNIT]`, e.g. "> 1s" or "p95 > 100ms"; empty when the team sets none."""
    critical: str = ""
    """Mark at critical, in the same form."""
    mark_note: str = ""
    """What the mark rests on, or the mark in words where no single comparison says it."""
    origins: tuple[str, ...] = field(default=())
    """live, nvml, proc, fact, log, probe, profile, poll, typed: the kinds of source that can fill it."""
    owner: str = ""
    """Team that agreed to act on it."""
    fold: Fold = Fold.SUM
