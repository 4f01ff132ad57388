"""Changes that must not happen, as `--fail-on ttft_p95:+10%` writes them, and what became of them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from perfconsole.model.probecomparison import FailOn, Gate
from perfconsole.probing.metrics import METRICS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from perfconsole.model.probecomparison import Difference, ProbeComparison

_RULE = re.compile(r"(\w+):([+-])(\d{1,6}(?:\.\d{1,6})?)%")
_ROUNDING = 1e-9
"""1.1 s by 1 s is more than +10% in floating point."""


def parse_fail_on(text: str) -> tuple[FailOn, ...]:
    """The rules of a text, with commas between them; ValueError says in one line what is wrong.

    The sign is that of getting worse: + for latencies and errors, - for rates, goodput and knee. Of error_ratio the
    number is in points: +1% allows 3% where there were 2%.
    """
    return tuple(_rule(part.strip()) for part in text.split(","))


def _rule(text: str) -> FailOn:
    found = _RULE.fullmatch(text)
    if found is None:
        raise ValueError(f"{text!r} is not METRIC:+N% or METRIC:-N%, as in ttft_p95:+10%")
    name, sign, number = found.groups()
    metric = METRICS.get(name)
    if metric is None:
        raise ValueError(f"{name!r} is no metric; known are {', '.join(METRICS)}")
    worse = "+" if metric.rises else "-"
    if sign != worse:
        way = "rises" if metric.rises else "falls"
        raise ValueError(f"{name} gets worse when it {way}: write {name}:{worse}{number}%")
    return FailOn(name, float(sign + number) / 100)


def gates(comparison: ProbeComparison, rules: Iterable[FailOn]) -> tuple[Gate, ...]:
    """What became of each rule.

    The limit is taken at its word, whether or not the difference is within the noise: whoever set it knew how much is
    too much. Of steps that are not valid, and of values that one side does not have, nothing is decided.
    """
    return tuple(_gate(comparison, rule) for rule in rules)


def _gate(comparison: ProbeComparison, rule: FailOn) -> Gate:
    seen = [d for d in comparison.differences if d.metric == rule.metric]
    decided = [d for d in seen if d.change is not None and not d.invalid]
    return Gate(
        rule,
        passed=tuple(d for d in decided if _beyond(d, rule)),
        unchecked=tuple(d for d in seen if d not in decided),
        compared=len(decided),
    )


def _beyond(d: Difference, rule: FailOn) -> bool:
    past = (d.change or 0.0) - rule.limit
    return past > _ROUNDING if METRICS[rule.metric].rises else past < -_ROUNDING
