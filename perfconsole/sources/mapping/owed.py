"""What a page owes: indicators of its table that it lacks, with the reason, and names that its release should have."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfconsole.model.sample import Absence, Missing
from perfconsole.sources.mapping.labelmatch import matches
from perfconsole.sources.version import within

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from perfconsole.model.dictionary import Dictionary
    from perfconsole.model.entity import Entity, Kind
    from perfconsole.sources.adapter import Adapter, Metric
    from perfconsole.sources.exposition import Page


class Owed:
    """Of one adapter; holds nothing that changes."""

    def __init__(self, adapter: Adapter, dictionary: Dictionary) -> None:
        self._adapter = adapter
        self._dictionary = dictionary
        self._named: dict[Kind, frozenset[str]] = {}

    def absences(self, filled: Collection[str], green: Collection[int], target: Entity) -> tuple[Absence, ...]:
        """Indicators that are not filled: nobody exports them, or what is there has still to fill (rows of `green`).

        What only a page can say is missing where this one does not, whether or not the table has a row for it; so is
        a histogram of which it has but the mean.
        """
        waiting = {self._adapter.metrics[row].indicator for row in green}
        waiting |= self._whole(waiting)
        return tuple(
            Absence(name, target, Missing.WARMING_UP if name in waiting else Missing.NOT_EXPORTED)
            for name in sorted(self._due(target.kind).difference(filled))
        )

    def _due(self, kind: Kind) -> frozenset[str]:
        """What a page of this program could say of a target, or is known never to say."""
        due = self._named.get(kind)
        if due is None:
            named = {*(m.indicator for m in self._adapter.metrics), *self._adapter.unexported}
            due = self._named[kind] = frozenset(named | self._whole(named)) | self._dictionary.of_pages(kind)
        return due

    def _whole(self, names: Iterable[str]) -> set[str]:
        """Histograms of which these names are a quantile or the mean."""
        entries = ((name, self._dictionary.find(name)) for name in names)
        return {entry.name for name, entry in entries if entry and entry.name != name}

    def remarks(self, filled: Collection[str], green: Collection[int], version: str) -> tuple[str, ...]:
        """A line for each name that this release should export and does not, and one for averages that still fill."""
        rows = [(row, m) for row, m in enumerate(self._adapter.metrics) if m.indicator not in filled]
        due = {
            m.metric: m.indicator
            for row, m in reversed(rows)
            if row not in green and version and not m.optional and within(version, m.since, m.until)
        }
        lacks = (
            f"{self._adapter.title} {version} should export {name} ({indicator}); its page does not have it"
            for name, indicator in sorted(due.items())
        )
        least = {f"{m.ripe_at:,.0f} of {m.ripe.metric}" for row, m in rows if row in green and m.ripe}
        fills = (f"its averages began at 0 and are left out until it has counted {each}" for each in sorted(least))
        return (*lacks, *fills)


def unripe(metrics: Sequence[Metric], page: Page) -> frozenset[int]:
    """Rows whose average has still to fill."""
    return frozenset(row for row, metric in enumerate(metrics) if metric.ripe and not _ripe(metric, page))


def _ripe(metric: Metric, page: Page) -> bool:
    assert metric.ripe is not None  # noqa: S101 - asked for by the caller
    name, where = metric.ripe.metric, metric.ripe.where
    series = page.series
    there = (page.values[i] for i in page.places(name) if matches(where, (), dict(series[i].labels)))
    return sum(there) >= metric.ripe_at
