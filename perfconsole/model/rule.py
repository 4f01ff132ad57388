"""A rule as loaded from its file: conditions parsed, every part knowing its place in the file."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from perfconsole.model.entity import Kind
    from perfconsole.model.expression import Expression


class Severity(StrEnum):
    """How bad a finding is."""

    INFO = "info"
    WARN = "warn"
    CRITICAL = "critical"

    @property
    def rank(self) -> int:
        """0 for info, rising."""
        return list(Severity).index(self)


RANK_CLASSES = (
    "instrument",
    "hardware-fault",
    "not-progressing",
    "memory",
    "saturated-core",
    "scheduling",
    "host",
    "clocks-links",
    "client-gateway",
    "regression",
    "symptom",
)
"""Rank classes in the order in which findings are shown."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where in which file something stands; line and column count from 1."""

    file: str
    line: int
    column: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"


class Places(Protocol):
    """Where the parts of one rule file stand; a path is keys and positions from 0, as in ("checks", 0, "command")."""

    def of(self, *path: str | int, column: int = 1) -> Place:
        """Place of a value, of a column (from 1) of its text; of what holds it where the path leads nowhere."""

    def key(self, *path: str | int) -> Place:
        """Place of the last key of the path itself."""


@dataclass(frozen=True, slots=True)
class Condition:
    """One condition: its text as written, and what it parses to."""

    text: str
    expression: Expression
    place: Place
    exact: bool = False
    """`place` is that of the first character of the text, and the others follow one by one in the file."""
    runs: tuple[tuple[int, Place], ...] = ()
    """Where it spans lines or has escapes: the columns at which characters stop to follow one by one, each placed."""

    def at(self, column: int) -> Place:
        """Place of a column (from 1) of the text."""
        runs = ((1, self.place),) if self.exact else self.runs
        start, place = max((run for run in runs if run[0] <= column), key=lambda run: run[0], default=(0, self.place))
        return Place(place.file, place.line, place.column + column - start) if start else place


@dataclass(frozen=True, slots=True)
class Check:
    """A way to confirm or refute a finding. `confirms` and `refutes` are conditions, or text to look for."""

    kind: str
    """look, run, flame, dump or probe."""
    text: str
    """What to look at, or the command with its placeholders."""
    recipe: str | None
    confirms: Condition | str
    refutes: Condition | str
    place: Place
    shell: bool = False
    """The console may hand the command to a shell: a shipped rule, or one whose file says `shell: true`."""


@dataclass(frozen=True, slots=True)
class Case:
    """Example values with the verdict that the rule must give at a moment."""

    interval_s: float
    series: tuple[tuple[str, tuple[float | None, ...]], ...]
    """Indicator name and one value a sample; None is a gap.

    A name that stands several times has several entities of its kind: the first series is that of the first one, which
    is the one judged, and so on.
    """
    base: tuple[tuple[str, float], ...]
    at_s: float
    state: str
    """firing, pending, undecided, ruled-out or silent."""
    verdict: str | None
    missing: str | None
    """For undecided and possible: an indicator that must be named as missing, plain or through a function."""
    place: Place
    severity: str | None = None
    """Severity that the finding must have, where the case tells of one."""
    note: str = ""
    """What its author wrote behind its first line: which look-alike it is, or what it shows."""


@dataclass(frozen=True, slots=True)
class Rule:
    """One row of the symptom table."""

    id: str
    row: str
    title: str
    layer: str
    scope: Kind
    severity: Severity
    rank_class: str
    when: tuple[Condition, ...]
    unless: tuple[Condition, ...]
    fallback: tuple[tuple[int, Condition | None], ...]
    """Index into `when` (0 = first) and what replaces it while its baseline is missing; None leaves it undecided."""
    escalate: tuple[tuple[Severity, Condition], ...]
    explains: tuple[str, ...]
    cause: str
    checks: tuple[Check, ...]
    remedies: tuple[str, ...]
    evidence: tuple[str, ...]
    confidence: str
    note: str
    cases: tuple[Case, ...]
    place: Place
    names: int | None = None
    """Index into `when` of the condition whose fullest true part completes the title; None where none does."""
    incidents: tuple[str, ...] = ()
    """Incidents that it was learnt from or confirmed on."""
    places: Places | None = field(default=None, compare=False, repr=False)
    """Where every word of its file stands, for lint; a console forgets it."""

    def at(self, *path: str | int, column: int = 1) -> Place:
        """Place of a value of the file, as `Places.of`; of the rule where nobody knows."""
        return self.places.of(*path, column=column) if self.places else self.place

    def at_key(self, *path: str | int) -> Place:
        """Place of a key of the file; of the rule where nobody knows."""
        return self.places.key(*path) if self.places else self.place

    @property
    def conditions(self) -> tuple[Condition, ...]:
        """Every condition of the file: when, unless, fall-backs, escalations, and the signs of checks."""
        signs = (sign for check in self.checks for sign in (check.confirms, check.refutes))
        return (
            *self.when,
            *self.unless,
            *(condition for _, condition in self.fallback if condition is not None),
            *(condition for _, condition in self.escalate),
            *(sign for sign in signs if isinstance(sign, Condition)),
        )
