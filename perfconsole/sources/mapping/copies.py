"""Copies of one count on a page: every tensor or pipeline rank may report the same requests. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from perfconsole.sources.exposition import RawSeries
    from perfconsole.sources.mapping.gathered import Aim

Meanings = list[tuple["Aim", ...]]
"""Of each series of a page in its order: where its value goes."""


def counted_once(series: Sequence[RawSeries], meanings: Meanings, copy_labels: tuple[str, ...]) -> Meanings:
    """The meanings without those of series that differ from an earlier rank's in nothing but the `copy_labels`."""
    if not copy_labels:
        return meanings
    least: dict[object, tuple[tuple[int, str], ...]] = {}
    kinds = [(_kind(s, copy_labels), _rank(s, copy_labels)) for s in series]
    for kind, rank in kinds:
        if kind not in least or rank < least[kind]:
            least[kind] = rank
    return [aims if rank == least[kind] else () for (kind, rank), aims in zip(kinds, meanings, strict=True)]


def _kind(series: RawSeries, copy_labels: tuple[str, ...]) -> object:
    return series.name, tuple(pair for pair in series.labels if pair[0] not in copy_labels)


def _rank(series: RawSeries, copy_labels: tuple[str, ...]) -> tuple[tuple[int, str], ...]:
    """In the order of numbers, where these are numbers."""
    labels = dict(series.labels)
    texts = [labels.get(name, "") for name in copy_labels]
    return tuple((int(text) if text.isascii() and text.isdigit() else -1, text) for text in texts)
