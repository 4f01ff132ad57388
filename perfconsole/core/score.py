"""Compares the findings of a situation with what it must be called, and sums up over many."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfconsole.model.finding import CheckResult, State, standing_alone
from perfconsole.model.score import Score, Scored

if TYPE_CHECKING:
    from collections.abc import Iterable

    from perfconsole.model.finding import Finding, Undecided
    from perfconsole.model.situation import Expected

_TOP = 3


def scored(name: str, expected: Expected, findings: Iterable[Finding], undecided: tuple[Undecided, ...]) -> Scored:
    """Compare the findings of the last tick with what is expected; one that a check refuted is no answer."""
    spoken = [f for f in findings if f.state in (State.FIRING, State.PENDING)]
    standing = [f for f in spoken if f.result is not CheckResult.REFUTED]
    ranked = tuple(standing_alone(standing))
    return Scored(name, expected, ranked, undecided, frozenset(f.rule for f in standing))


def total(cases: Iterable[Scored]) -> Score:
    """Sum up."""
    every = list(cases)
    caused = [c for c in every if not c.is_silent]
    silent = [c for c in every if c.is_silent]
    return Score(
        cases=len(caused),
        top1=sum(c.rank == 1 for c in caused),
        top3=sum(c.rank is not None and c.rank <= _TOP for c in caused),
        silent_cases=len(silent),
        silent_ok=sum(c.silent_ok for c in silent),
        wrong_likely=sum(c.wrong_likely for c in every),
        absent_shown=sum(bool(c.absent_shown) for c in every),
    )
