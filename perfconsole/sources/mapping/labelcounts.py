"""How many distinct names stand in a label of an info metric. Pure; the names themselves never leave this place."""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING

from perfconsole.model.sample import Sample, SeriesKey

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from perfconsole.model.entity import Entity
    from perfconsole.sources.adapter import LabelCount
    from perfconsole.sources.exposition import Page


def counted_names(page: Page, rows: Iterable[LabelCount], engine: Entity) -> Iterator[Sample]:
    """One sample of each row whose metric is on the page."""
    for row in rows:
        series = [(dict(page.series[i].labels), page.values[i]) for i in page.places(row.metric)]
        known = [(labels[row.label], at) for labels, at in series if row.label in labels and isfinite(at)]
        if known:
            newest = max(at for _, at in known)
            lists = (text for text, at in known if at >= newest - row.within_s)
            names = {name.strip() for text in lists for name in text.split(",")} - {""}
            yield Sample(SeriesKey(row.indicator, engine), float(len(names)))
