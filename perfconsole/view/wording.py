"""Words that the report and the pages share, so that the same state never has two names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfconsole.model.finding import CheckResult, State, Truth
from perfconsole.model.rule import Severity
from perfconsole.model.sample import Missing
from perfconsole.view.units import MISSING_WORDS, duration, operand_text

if TYPE_CHECKING:
    from collections.abc import Iterable

    from perfconsole.model.finding import Finding, FindingCheck, MissingOperand, Operand, Reading, RuledOut

SEVERITY_WORD = {Severity.CRITICAL: "CRITICAL", Severity.WARN: "WARNING", Severity.INFO: "INFO"}
SEVERITY_MARK = {Severity.CRITICAL: "x", Severity.WARN: "!", Severity.INFO: "i"}
CONFIRMED = "confirmed: a check measured it"
REFUTED = "refuted: a check measured otherwise"
CUT = "holds shortened to fit the run"
NO_HISTORY = "no history: an absolute limit stands in for the baseline"
_COUNTED = 2
"""Missing values from which on they are counted: the words for one are no longer than its reason."""
_TRUTH = {Truth.TRUE: "yes", Truth.FALSE: "no", Truth.UNKNOWN: "unknown"}


def truth_words(reading: Reading) -> str:
    """Yes while an open hold runs as well, with `so far`: the hold says how far."""
    so_far = reading.so_far is Truth.TRUE and reading.truth is not Truth.TRUE
    return "yes so far" if so_far else _TRUTH[reading.truth]


def longest_open(finding: Finding) -> Reading | None:
    """The condition that a pending finding waits for: of those not yet held long enough, the one with most to hold."""
    held_open = [r for r in finding.readings if r.hold_s and r.truth is not Truth.TRUE]
    return max(held_open, key=lambda r: r.hold_s or 0.0, default=None)


def state_words(finding: Finding, t: float) -> str:
    """Where it stands in time, in the fewest words."""
    if finding.state is State.PENDING:
        longest = longest_open(finding)
        cut = ", cut" if finding.cut else ""
        return f"pending {full_seconds(longest.held_s or 0)} of {longest.hold_s:.0f} s{cut}" if longest else "pending"
    words = {
        State.FIRING: f"since {duration(t - finding.since)}",
        State.CLEARING: "no longer true",
        State.UNDECIDED: "lost its data",
    }
    return words[finding.state]


def hold_words(reading: Reading) -> str:
    """`held 12 of 60 s`; empty where the condition holds at once."""
    if reading.hold_s is None or reading.held_s is None:
        return ""
    if reading.held_s >= reading.hold_s:
        return f"held {full_seconds(reading.held_s)} s"
    return f"held {full_seconds(reading.held_s)} of {reading.hold_s:.0f} s"


def full_seconds(seconds: float) -> int:
    """Seconds that are over: an open hold never reads `60 of 60 s`."""
    return int(seconds + 1e-6)


def doubts(finding: Finding) -> list[str]:
    """What weakens it beside its verdict."""
    refuted = finding.result is CheckResult.REFUTED
    known = ((CUT, finding.cut), (NO_HISTORY, finding.no_history), (REFUTED, refuted))
    return [words for words, holds in known if holds]


def answer_words(check: FindingCheck) -> str:
    """What is known of a check that nobody has to make any more."""
    how = "by what was measured" if check.measured else "already, by the values now"
    return f"{check.result} {how}"


def operand_words(operands: Iterable[Operand]) -> str:
    """Operands with their values, each once; what is missing comes last, with its reason."""
    return ", ".join(map(operand_text, _known_first(operands)))


def known_words(operands: Iterable[Operand]) -> str:
    """`kv_cache_usage 52%, 3 others not seen`: where room is short, what is missing is only counted beside the rest.

    What is 0 follows what is not: of several branches it is seldom the one that speaks.
    """
    ordered = sorted(_known_first(operands), key=lambda o: o[1] == 0.0)
    known = [o for o in ordered if not isinstance(o[1], Missing)]
    lost = len(ordered) - len(known)
    if not known or lost < _COUNTED:
        return operand_words(ordered)
    return f"{operand_words(known)}, {lost} others not seen"


def _known_first(operands: Iterable[Operand]) -> list[Operand]:
    return sorted(dict.fromkeys(operands), key=lambda o: isinstance(o[1], Missing))


def excluded_words(finding: Finding, ruled_out: RuledOut) -> str:
    """A rival with what it would need, or an exclusion of the finding's own rule, with the values that deny it."""
    own = ruled_out.rule == finding.rule
    what = ruled_out.condition if own else f"{ruled_out.rule}, which needs {ruled_out.condition}"
    return f"{what}: {operand_words(ruled_out.operands)}"


def open_words(finding: Finding) -> str:
    """For lack of what an exclusion stayed open."""
    names = ", ".join(f"{name} ({MISSING_WORDS[reason]})" for name, reason in finding.not_ruled_out)
    return f"for lack of {names}"


def missing_words(missing: MissingOperand) -> str:
    """A value that is not there: its name, why, and who has it."""
    return f"{missing.name} ({MISSING_WORDS[missing.reason]}{', from ' + missing.source if missing.source else ''})"
