"""How right a diagnosis was: the findings of a situation against what it must be called, and the sum over many."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from perfconsole.model.finding import Verdict
from perfconsole.model.rule import Severity

if TYPE_CHECKING:
    from perfconsole.model.finding import Finding, Undecided
    from perfconsole.model.situation import Expected


@dataclass(frozen=True, slots=True)
class Scored:
    """One situation, judged and compared."""

    id: str
    expected: Expected
    ranked: tuple[Finding, ...]
    """Findings that stand for themselves, in order."""
    undecided: tuple[Undecided, ...]
    held: frozenset[str]
    """Rules that hold, explained or not."""

    @property
    def is_silent(self) -> bool:
        """Nothing should be found here."""
        return not self.expected.first

    @property
    def rank(self) -> int | None:
        """Place of the first acceptable rule, from 1; None when it is not shown as a cause."""
        places = (place for place, f in enumerate(self.ranked, 1) if f.rule in self.expected.first)
        return next(places, None)

    @property
    def shown(self) -> tuple[str, ...]:
        """Rules of warn and above that stand as a cause."""
        return tuple(f.rule for f in self.ranked if f.severity is not Severity.INFO)

    @property
    def silent_ok(self) -> bool:
        """Nothing of warn or above stands but what is allowed."""
        return set(self.shown) <= set(self.expected.allowed)

    @property
    def absent_shown(self) -> tuple[str, ...]:
        """Rules that must not stand as a cause and do."""
        return tuple(rule for rule in self.shown if rule in self.expected.absent)

    @property
    def present_lacking(self) -> tuple[str, ...]:
        """Rules that must hold as well and do not."""
        return tuple(rule for rule in self.expected.present if rule not in self.held)

    @property
    def wrong_likely(self) -> bool:
        """The headline is called likely and is not what it should be."""
        head = next(iter(self.ranked), None)
        if head is None or head.verdict is not Verdict.LIKELY or head.severity is Severity.INFO:
            return False
        return head.rule not in (*self.expected.first, *self.expected.allowed)


@dataclass(frozen=True, slots=True)
class Score:
    """Counts over many situations."""

    cases: int
    """Situations in which something should be found."""
    top1: int
    top3: int
    silent_cases: int
    silent_ok: int
    wrong_likely: int
    absent_shown: int
