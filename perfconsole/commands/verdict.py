"""What the findings of a run come to for a script: its flags, and the exit code."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfconsole.errors import EXIT_LIKELY, EXIT_OK, EXIT_POSSIBLE
from perfconsole.model.finding import CheckResult, State, Verdict, standing_alone
from perfconsole.model.rule import Severity

if TYPE_CHECKING:
    import argparse
    from collections.abc import Collection

    from perfconsole.model.snapshot import Snapshot


def add_verdict_flags(parser: argparse.ArgumentParser) -> None:
    """The flags that say which findings count."""
    parser.add_argument(
        "--fail-on",
        choices=["info", "warn", "critical", "never"],
        default="warn",
        help="severity from which a finding gives exit code 1 (likely) or 4 (possible); default warn",
    )
    parser.add_argument(
        "--strict",
        action="store_true",
        help="exit code 4 also when a rule of that severity is undecided for lack of data",
    )


def limit_of(fail_on: str) -> int:
    """Rank of the lowest severity that counts."""
    return len(Severity) if fail_on == "never" else Severity(fail_on).rank


def standing_verdicts(snapshot: Snapshot, fail_on: str) -> set[Verdict]:
    """Verdicts of the findings that count now: fired, under no cause, not refuted."""
    return {
        f.verdict
        for f in standing_alone(snapshot.findings)
        if f.state in (State.FIRING, State.CLEARING)
        and f.result is not CheckResult.REFUTED
        and f.severity.rank >= limit_of(fail_on)
    }


def open_at(snapshot: Snapshot, fail_on: str) -> bool:
    """A rule of a severity that counts lacks data."""
    return any(u.severity.rank >= limit_of(fail_on) for u in snapshot.undecided)


def code_of(verdicts: Collection[Verdict], *, unsure: bool) -> int:
    """1 before 4 before 0; `unsure` is whatever else leaves the answer open."""
    if Verdict.LIKELY in verdicts:
        return EXIT_LIKELY
    return EXIT_POSSIBLE if Verdict.POSSIBLE in verdicts or unsure else EXIT_OK
