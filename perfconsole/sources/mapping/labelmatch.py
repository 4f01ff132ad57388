"""Which series belong to a row of a table, by their labels. Pure."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from perfconsole.sources.adapter import Metric, Pairs


def matches(where: Pairs, unless: Pairs, labels: dict[str, str]) -> bool:
    """The labels have all of `where` and none of `unless`."""
    return all(_fits(v, labels.get(name)) for name, v in where) and not any(
        _fits(v, labels.get(name)) for name, v in unless
    )


def check(metric: Metric) -> None:
    """Raise ValueError for a label filter that is no regular expression, before the first series asks for it."""
    operands = (metric.times, metric.over, metric.count)
    pairs = (*metric.where, *metric.unless, *(pair for operand in operands if operand for pair in operand.where))
    for name, wanted in pairs:
        try:
            re.compile(wanted[1:] if wanted.startswith("~") else "")
        except re.error as error:
            raise ValueError(f"{metric.metric}: label {name}: {wanted} is no regular expression: {error}") from None


def _fits(wanted: str, value: str | None) -> bool:
    """A label has the value, or one that the expression behind `~` matches as a whole; a missing label fits nothing."""
    if value is None or not wanted.startswith("~"):
        return value == wanted
    return re.fullmatch(wanted[1:], value) is not None
