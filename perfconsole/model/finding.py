"""What the judge says: truths, readings, findings, and what could not be decided."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, StrEnum
from typing import TYPE_CHECKING

from perfconsole.model.sample import Missing

if TYPE_CHECKING:
    from collections.abc import Iterable

    from perfconsole.model.entity import Entity
    from perfconsole.model.rule import Severity


class Truth(Enum):
    """Kleene's three values; an operand that is missing makes a comparison UNKNOWN."""

    FALSE = 0
    UNKNOWN = 1
    TRUE = 2

    def __invert__(self) -> Truth:
        return Truth(2 - self._value_)

    def __and__(self, other: Truth) -> Truth:
        return self if self._value_ <= other._value_ else other

    def __or__(self, other: Truth) -> Truth:
        return self if self._value_ >= other._value_ else other

    def __str__(self) -> str:
        return self.name.lower()


class State(StrEnum):
    """Where a finding stands in time."""

    PENDING = "pending"
    """TRUE at each tick so far; the longest hold has not yet run."""
    FIRING = "firing"
    UNDECIDED = "undecided"
    """Firing once, and its data went missing; or UNKNOWN with something TRUE."""
    CLEARING = "clearing"
    """No longer TRUE; kept a little so that nobody misses it."""


class Verdict(StrEnum):
    """How sure: LIKELY when look-alikes are excluded, POSSIBLE when one could not be."""

    LIKELY = "likely"
    POSSIBLE = "possible"


Operand = tuple[str, float | Missing]
"""An operand as written, and its value in base units or why it is missing."""


def indicator_of(operand: str) -> str:
    """Name of the indicator that an operand reads: `a.b` of `a.b`, `base(a.b)`, `max(a.b)` and `rate(a.b[60s])`."""
    return operand.partition("(")[2].partition("[")[0].rstrip(")") or operand


@dataclass(frozen=True, slots=True)
class Reading:
    """One condition with the values it was judged on."""

    condition: str
    truth: Truth
    so_far: Truth
    """TRUE as well while a hold that is still open has been TRUE at every tick."""
    operands: tuple[Operand, ...]
    held_s: float | None
    """How long its longest open hold has been TRUE so far; None without a hold."""
    hold_s: float | None
    """How long it must be TRUE, after the cut of a headless run."""


@dataclass(frozen=True, slots=True)
class RuledOut:
    """A rival's condition, or an exclusion of this finding's own rule, that was FALSE."""

    rule: str
    condition: str
    operands: tuple[Operand, ...]


class CheckResult(StrEnum):
    """What the expected result of a check says when its indicators are there."""

    CONFIRMED = "confirmed"
    REFUTED = "refuted"


@dataclass(frozen=True, slots=True)
class FindingCheck:
    """A check with the placeholders filled for the entity at hand."""

    kind: str
    text: str
    argv: tuple[str, ...] | None
    """The command without a shell; None where the rule gives none, needs a shell or a placeholder is unknown."""
    confirms: str
    refutes: str
    result: CheckResult | None
    measured: bool = False
    """The result rests on what an action measured, not on the values that everybody watches anyway."""
    runs: tuple[str, ...] | None = None
    """What the console itself may run, `sh -c` with the whole line where it needs a shell; None for nothing."""
    refused: str = ""
    """Why it does not run what is a command to run; empty where it does, and for other kinds of check."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One rule that speaks about one entity, with its evidence."""

    rule: str
    row: str
    entity: Entity
    state: State
    verdict: Verdict
    severity: Severity
    rank_class: str
    title: str
    since: float
    """Monotonic seconds at which it first held."""
    cut: bool
    """A hold was shortened to fit a headless run."""
    cause: str
    readings: tuple[Reading, ...]
    ruled_out: tuple[RuledOut, ...]
    not_ruled_out: tuple[tuple[str, Missing], ...]
    explained_by: str | None
    checks: tuple[FindingCheck, ...]
    remedies: tuple[str, ...]
    evidence: tuple[Operand, ...]
    """The indicators that the rule lists as worth seeing, with their values now."""
    no_history: bool
    """Reached through a fall-back, because a baseline is missing."""

    @property
    def repeats(self) -> bool:
        """It says of another part of the engine what the finding above it says."""
        return self.explained_by == self.rule

    @property
    def result(self) -> CheckResult | None:
        """What the actions made of it; None before any, and while two of them disagree."""
        return measured_result(self.checks)


def standing_alone(findings: Iterable[Finding]) -> list[Finding]:
    """Findings that count for themselves: under no cause, or under one that is mere information while they are more."""
    every = list(findings)
    light = {f.rule for f in every if not f.explained_by and f.severity.rank == 0}
    return [f for f in every if not f.explained_by or (f.explained_by in light and f.severity.rank > 0)]


def measured_result(checks: Iterable[FindingCheck]) -> CheckResult | None:
    """The one result of the checks that an action answered."""
    said = {check.result for check in checks if check.measured and check.result}
    return said.pop() if len(said) == 1 else None


@dataclass(frozen=True, slots=True)
class MissingOperand:
    """A value that would decide a rule, why it is missing, and which kind of source has it."""

    name: str
    reason: Missing
    source: str


@dataclass(frozen=True, slots=True)
class Undecided:
    """A rule with something TRUE that cannot be decided for lack of data."""

    rule: str
    title: str
    severity: Severity
    entity: Entity
    missing: tuple[MissingOperand, ...]


class Standing(StrEnum):
    """Where a rule that somebody asked about stands on one entity."""

    FIRING = "firing"
    PENDING = "pending"
    UNDECIDED = "undecided"
    """Nothing denies it, and data is missing that would decide it."""
    RULED_OUT = "ruled-out"
    """None of its conditions is FALSE, and an exclusion holds."""
    QUIET = "quiet"
    """Some condition is FALSE."""


@dataclass(frozen=True, slots=True)
class Explanation:
    """One rule on one entity at one tick, whether it speaks or not: every condition as the judge read it."""

    rule: str
    row: str
    title: str
    entity: Entity
    standing: Standing
    when: tuple[Reading, ...]
    """All must be TRUE; a fall-back stands in the place of the condition it stands in for."""
    unless: tuple[Reading, ...]
    """None may be TRUE."""
    stand_ins: tuple[tuple[int, str], ...]
    """Index into `when` of each fall-back in use, and the condition whose baseline is missing."""
    missing: tuple[MissingOperand, ...]
    """What every UNKNOWN condition and exclusion lacks."""

    @property
    def silencing(self) -> tuple[Reading, ...]:
        """What keeps it silent: conditions that are FALSE and exclusions that hold, else what is UNKNOWN."""
        false = [r for r in self.when if r.so_far is Truth.FALSE]
        excluding = [r for r in self.unless if r.truth is Truth.TRUE]
        return (*false, *excluding) or tuple(r for r in self.when if r.so_far is Truth.UNKNOWN)
