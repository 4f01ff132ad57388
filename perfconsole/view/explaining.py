"""Why a rule speaks or is silent, in words that the page of a rule and `rules why` share."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from perfconsole.model.finding import Standing, Truth
from perfconsole.view.margins import measured
from perfconsole.view.units import operand_text
from perfconsole.view.wording import hold_words, truth_words

if TYPE_CHECKING:
    from collections.abc import Iterator

    from perfconsole.model.finding import Explanation, Reading
    from perfconsole.model.rule import Rule

STANDING_STYLE = {
    Standing.FIRING: "warn",
    Standing.PENDING: "info",
    Standing.UNDECIDED: "warn",
    Standing.RULED_OUT: "info",
    Standing.QUIET: "ok",
}
_SILENCES = {
    Standing.QUIET: "keeps it silent",
    Standing.RULED_OUT: "keeps it silent",
    Standing.UNDECIDED: "leaves it undecided",
}


class Explained(NamedTuple):
    """One condition or exclusion of a rule, ready to be written."""

    truth: str
    """yes, no, unknown or `yes so far`."""
    condition: str
    """As written, with how long it held."""
    remarks: tuple[str, ...]
    """That it keeps the rule silent, and for which condition it stands in."""
    facts: tuple[str, ...]
    """Each comparison with value, threshold and margin; what lacks a value with its reason."""


def nobody_words(rule: Rule) -> str:
    """Nothing of the rule's scope is watched, so it was judged on nothing."""
    return f"no {rule.scope} is watched: the rule is about one, so there is nothing to judge it on"


def standing_words(found: Explanation) -> str:
    """Whether it speaks, and what decides that, in one line."""
    match found.standing:
        case Standing.FIRING:
            return "firing: it is a finding"
        case Standing.PENDING:
            return "pending: every condition holds so far, not yet for as long as the rule asks"
        case Standing.UNDECIDED:
            return f"undecided: {_counted(found.when, Truth.UNKNOWN)} cannot be told for lack of data"
        case Standing.RULED_OUT:
            return "silent: ruled out, an exclusion holds, so another cause fits better"
        case Standing.QUIET:
            excluded = any(r.truth is Truth.TRUE for r in found.unless)
            beside = ", and an exclusion holds" if excluded else ""
            return f"silent: {_counted(found.when, Truth.FALSE)} not true{beside}"


def _counted(readings: tuple[Reading, ...], truth: Truth) -> str:
    """`1 of 3 conditions is`: the verb is left out where the sentence has its own."""
    count = sum(r.so_far is truth for r in readings)
    verb = "" if truth is Truth.UNKNOWN else " is" if count == 1 else " are"
    return f"{count} of {len(readings)} condition{'s' * (len(readings) != 1)}{verb}"


def conditions(found: Explanation) -> list[Explained]:
    """What must hold, in the order of the rule."""
    stand_ins = dict(found.stand_ins)
    return [_explained(r, found, stand_ins.get(place)) for place, r in enumerate(found.when)]


def exclusions(found: Explanation) -> list[Explained]:
    """What must not hold."""
    return [_explained(r, found, None) for r in found.unless]


def _explained(reading: Reading, found: Explanation, stands_in_for: str | None) -> Explained:
    hold = hold_words(reading)
    silences = _SILENCES.get(found.standing) if any(r is reading for r in found.silencing) else None
    remarks = (
        *((silences,) if silences else ()),
        *((f"stands in, without a baseline, for: {stands_in_for}",) if stands_in_for else ()),
    )
    text = f"{reading.condition}   {hold}" if hold else reading.condition
    return Explained(truth_words(reading), text, remarks, tuple(facts(reading)))


def facts(reading: Reading) -> Iterator[str]:
    """Comparisons with their values and margins, then the operands that none of them shows."""
    holds = Truth.TRUE in (reading.truth, reading.so_far)
    compared = measured(reading.condition, reading.operands, holds=holds)
    yield from dict.fromkeys(m.text for m in compared)
    seen = {name for m in compared for name in m.operands}
    yield from dict.fromkeys(operand_text(o) for o in reading.operands if o[0] not in seen)
