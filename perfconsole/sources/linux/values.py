"""What a reader found, by indicator name, and its split into samples and absences. Never turns a gap into a number."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfconsole.model.sample import Absence, Missing, Sample, SeriesKey

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from perfconsole.model.entity import Entity

Values = dict[str, float | Missing]
"""Value in base units, or why there is none, by indicator name."""


def every(names: Iterable[str], reason: Missing) -> Values:
    """Give each name the same reason."""
    return dict.fromkeys(names, reason)


def split(entity: Entity, values: Values) -> tuple[tuple[Sample, ...], tuple[Absence, ...]]:
    """Split into samples and absences of one entity, in the order of the names given."""
    there = tuple(
        Sample(SeriesKey(name, entity), float(value))
        for name, value in values.items()
        if not isinstance(value, Missing)
    )
    gaps = tuple(Absence(name, entity, value) for name, value in values.items() if isinstance(value, Missing))
    return there, gaps


def ratio(part: float | Missing, whole: float | Missing) -> float | Missing:
    """`part` / `whole`; the reason of whichever is missing, NEVER when the whole is 0."""
    if isinstance(part, Missing):
        return part
    if isinstance(whole, Missing):
        return whole
    return part / whole if whole > 0 else Missing.NEVER


def highest(values: Sequence[float | Missing], none: Missing) -> float | Missing:
    """Largest of those there are; the first reason when none has a value, `none` when there are none at all."""
    there = [value for value in values if not isinstance(value, Missing)]
    if there:
        return max(there)
    return values[0] if values else none


def total(values: Sequence[float | Missing], none: Missing) -> float | Missing:
    """Sum of those there are; the reasons as for `highest`."""
    there = [value for value in values if not isinstance(value, Missing)]
    if there:
        return sum(there)
    return values[0] if values else none
