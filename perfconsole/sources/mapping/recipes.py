"""Which values of a page make up each part, worked out once for a page that comes again every second. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from perfconsole.sources.mapping.gathered import BUCKET, Aim, Gathered, Place

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from perfconsole.sources.mapping.copies import Meanings


class Recipe(NamedTuple):
    """What one part is made of, as places on the page."""

    place: Place
    bounds: tuple[float, ...]
    """Of a histogram whose every bucket has a bound of its own, from the least to the greatest."""
    buckets: tuple[int, ...]
    """Where the bucket of each bound is."""
    others: tuple[tuple[Aim, int], ...]
    """All else, one by one."""


def recipes(meanings: Meanings) -> list[Recipe]:
    """Of the parts in the order in which they first come."""
    found: dict[Place, list[tuple[Aim, int]]] = {}
    for index, aims in enumerate(meanings):
        for aim in aims:
            found.setdefault(aim.place, []).append((aim, index))
    return [_recipe(place, cells) for place, cells in found.items()]


def _recipe(place: Place, cells: list[tuple[Aim, int]]) -> Recipe:
    buckets = sorted((aim.bound, index) for aim, index in cells if aim.cell == BUCKET)
    bounds = tuple(bound for bound, _ in buckets)
    if len(set(bounds)) < len(bounds):  # several series add up to one bucket
        return Recipe(place, (), (), tuple(cells))
    others = tuple((aim, index) for aim, index in cells if aim.cell != BUCKET)
    return Recipe(place, bounds, tuple(index for _, index in buckets), others)


def gather(parts: Iterable[Recipe], values: Sequence[float]) -> dict[Place, Gathered]:
    """What a page with these values has for each part."""
    gathered: dict[Place, Gathered] = {}
    for place, bounds, buckets, others in parts:
        found = gathered[place] = Gathered()
        if bounds:
            found.bounds, found.counts, found.own = bounds, tuple([values[index] for index in buckets]), True
        for aim, index in others:
            found.add(aim, values[index])
    return gathered
