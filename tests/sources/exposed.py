"""Numbers of a page read by prometheus_client and not by the product, for tests that compare the two."""

from __future__ import annotations

from math import fsum
from typing import TYPE_CHECKING

from prometheus_client.parser import text_string_to_metric_families

from perfconsole.model.dictionary import DEFAULT
from perfconsole.model.sample import Histogram
from perfconsole.sources.mapping.mapper import PageMapper
from perfconsole.sources.targetpage import Poll, TargetPage

if TYPE_CHECKING:
    from perfconsole.model.entity import Entity
    from perfconsole.sources.adapter import Adapter
    from perfconsole.sources.layer import Layer
    from perfconsole.sources.mapping.mapper import Mapped

from perfconsole.sources.exposition import PageParser


class Exposed:
    """Samples of one page."""

    def __init__(self, body: bytes) -> None:
        families = text_string_to_metric_families(body.decode())
        self._samples = [(s.name, s.labels, float(s.value)) for family in families for s in family.samples]

    def values(self, name: str, **labels: str) -> list[float]:
        """Values of all series of this name with these labels."""
        return [value for n, own, value in self._samples if n == name and labels.items() <= own.items()]

    def total(self, name: str, **labels: str) -> float:
        """Their sum, 0 where there is none."""
        return fsum(self.values(name, **labels))

    def has(self, name: str) -> bool:
        """The name is on the page."""
        return bool(self.values(name))


def mapped(adapter: Adapter, body: bytes, entity: Entity) -> Mapped:
    """What a table makes of a page of Prometheus text."""
    return PageMapper(adapter, DEFAULT).map(PageParser().parse(body), entity)


def parts(page: Mapped, indicator: str) -> list[float]:
    """Values of the parts of a plain indicator."""
    return [s.value for s in page.samples if s.key.indicator == indicator and not isinstance(s.value, Histogram)]


def target(layer: Layer, adapters: tuple[Adapter, ...]) -> TargetPage:
    """A target of which nothing is known yet."""
    return TargetPage("127.0.0.1:80", adapters, DEFAULT, layer=layer)


def poll(body: bytes, t: float = 0.0) -> Poll:
    """One fetched page."""
    return Poll(body, openmetrics=False, t=t, wall=1.7e9 + t, took_s=0.01, cadence_s=1.0)
