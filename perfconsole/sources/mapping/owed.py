"""What a page owes: indicators of its table that it lacks, with the reason, and names that its release should have."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfconsole.model.sample import Absence, Missing
from perfconsole.sources.mapping.labelmatch import matches
from perfconsole.sources.version import within

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from perfconsole.model.dictionary import Dictionary
    from perfconsole.model.entity import Entity
    from perfconsole.sources.adapter import Adapter, Metric
    from perfconsole.sources.exposition import Page


class Owed:
    """Of one adapter; holds nothing that changes."""

    def __init__(self, adapter: Adapter, dictionary: Dictionary) -> None:
        self._adapter = adapter
        names = {*(m.indicator for m in adapter.metrics), *adapter.unexported}
        self._whole = {name: entry.name for name in names if (entry := dictionary.find(name)) and entry.name != name}
        """Name of the histogram by that of a quantile or mean of it."""

    def absences(self, filled: Collection[str], green: Collection[int], target: Entity) -> tuple[Absence, ...]:
        """Indicators that are not filled: nobody exports them, or what is there has still to fill (rows of `green`)."""
        named = {m.indicator for m in self._adapter.metrics if m.indicator not in filled} | set(
            self._adapter.unexported
        )
        waiting = {self._adapter.metrics[row].indicator for row in green} - set(filled)
        waiting |= {self._whole[name] for name in waiting if name in self._whole}
        whole = {self._whole[name] for name in named if name in self._whole} - set(filled)
        return tuple(
            Absence(name, target, Missing.WARMING_UP if name in waiting else Missing.NOT_EXPORTED)
            for name in sorted(named | whole)
        )

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
