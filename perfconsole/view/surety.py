"""How sure a finding is, in numbers: how much of it is decided, against which base, and what would decide the rest."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfconsole.model.dictionary.sources import source_words
from perfconsole.model.finding import CheckResult, Truth, Verdict
from perfconsole.model.sample import Missing
from perfconsole.view.sparks import owner
from perfconsole.view.units import MISSING_WORDS, operand_text
from perfconsole.view.wording import CONFIRMED, REFUTED

if TYPE_CHECKING:
    from collections.abc import Iterator

    from perfconsole.model.finding import Finding
    from perfconsole.model.rule import Rule
    from perfconsole.view.picture import Picture

_VERDICT = {
    Verdict.LIKELY: "likely: every look-alike is excluded",
    Verdict.POSSIBLE: "possible: something that looks alike is not excluded",
}
_SYMPTOM = "likely: the symptom is there; its cause is not known from it"
_ALONE = "likely: nothing that looks alike is known"


def sure_words(finding: Finding, rule: Rule | None) -> str:
    """`likely: every look-alike is excluded; 4 of 4 conditions decided`."""
    decided, count = decided_of(finding, rule)
    verdict = _VERDICT[finding.verdict]
    if finding.verdict is Verdict.LIKELY and not finding.ruled_out:
        verdict = _SYMPTOM if finding.rank_class == "symptom" else _ALONE
    if finding.result:
        verdict = CONFIRMED if finding.result is CheckResult.CONFIRMED else REFUTED
    elif finding.no_history and not finding.not_ruled_out:
        verdict = "possible: without a baseline an absolute limit had to do"
    return f"{verdict}; {decided} of {count} condition{'s' * (count != 1)} decided"


def decided_of(finding: Finding, rule: Rule | None) -> tuple[int, int]:
    """How many of its conditions and exclusions are TRUE or FALSE, and how many there are.

    A hold that is still open counts: its values are there. Without the rule an open exclusion is counted as one.
    """
    met = sum(r.so_far is not Truth.UNKNOWN for r in finding.readings)
    false = len(_false(finding))
    exclusions = max(len(rule.unless), false) if rule else false + bool(finding.not_ruled_out)
    open_ = exclusions - false if finding.not_ruled_out else 0
    return met + exclusions - open_, len(finding.readings) + exclusions


def _false(finding: Finding) -> set[str]:
    """Its own exclusions that are FALSE."""
    return {r.condition for r in finding.ruled_out if r.rule == finding.rule}


def base_words(finding: Finding, picture: Picture) -> Iterator[str]:
    """Each baseline that its conditions were compared with, and where it comes from."""
    operands = dict.fromkeys(o for r in finding.readings for o in r.operands if o[0].startswith("base("))
    for name, value in operands:
        inner = name.removeprefix("base(").removesuffix(")")
        indicator = picture.indicator(inner, owner(picture, inner, finding.entity))
        known = indicator.baseline if indicator else None
        origin = f", from {known.kind}" if known and not isinstance(value, Missing) else ""
        yield f"{operand_text((name, value))}{origin}"


def open_lines(finding: Finding, picture: Picture) -> Iterator[str]:
    """What could not be excluded: the exclusion, what it lacks, and which source would decide it."""
    rule = picture.rule(finding.rule)
    texts = [c.text for c in rule.unless if c.text not in _false(finding)] if rule else []
    for name, reason in finding.not_ruled_out:
        about = next((text for text in texts if name in text), "")
        source = source_words(picture.dictionary, name)
        needs = f"{about}: needs {name}" if about else f"for lack of {name}"
        yield f"{needs} ({MISSING_WORDS[reason]}{', from ' + source if source else ''})"
