"""What the table of a gateway makes of one of its pages, as numbers that a test can compare."""

from __future__ import annotations

from math import fsum
from typing import TYPE_CHECKING

from perfconsole.model.entity import Entity, Kind
from perfconsole.model.sample import Histogram
from tests.sources.enginepages import capture
from tests.sources.exposed import Exposed, mapped, parts

if TYPE_CHECKING:
    from perfconsole.sources.adapter import Adapter
    from perfconsole.sources.mapping.mapper import Mapped


class Reading:
    """One page of a gateway, read by its table and by another parser, which adds `_total` to counters without it."""

    def __init__(self, adapter: Adapter, page: str | bytes) -> None:
        body = page if isinstance(page, bytes) else capture(page)
        self.mapped: Mapped = mapped(adapter, body, Entity(Kind.GATEWAY, adapter.name))
        self.there = Exposed(body)

    def total(self, noun: str) -> float | None:
        """Sum of the parts of an indicator; None without one."""
        found = parts(self.mapped, f"gateway.{noun}")
        return fsum(found) if found else None

    def times(self, noun: str) -> tuple[float, float] | None:
        """Count and sum of a histogram over all its parts; None without one."""
        name = f"gateway.{noun}"
        found = [s.value for s in self.mapped.samples if s.key.indicator == name and isinstance(s.value, Histogram)]
        return (fsum(h.count for h in found), fsum(h.total for h in found)) if found else None

    def shares(self, noun: str) -> dict[str, float]:
        """Sum of the parts of an indicator by the upstream that they name."""
        found: dict[str, float] = {}
        for sample in self.mapped.samples:
            if sample.key.indicator == f"gateway.{noun}" and isinstance(sample.value, float):
                upstream = dict(sample.key.labels).get("upstream", "")
                found[upstream] = found.get(upstream, 0.0) + sample.value
        return found

    def told(self) -> set[str]:
        """Nouns of what the page filled."""
        return {sample.key.indicator.partition(".")[2] for sample in self.mapped.samples}


def total(adapter: Adapter, page: str | bytes, indicator: str) -> float:
    """Sum of the parts of an indicator that a page has."""
    found = Reading(adapter, page).total(indicator.removeprefix("gateway."))
    assert found is not None, indicator
    return found


def by_upstream(adapter: Adapter, page: str | bytes, indicator: str) -> dict[str, float]:
    """Parts of an indicator by what is called."""
    return Reading(adapter, page).shares(indicator.removeprefix("gateway."))


def observed(adapter: Adapter, page: str | bytes, indicator: str) -> list[Histogram]:
    """Histograms of an indicator that a page has."""
    samples = Reading(adapter, page).mapped.samples
    return [s.value for s in samples if s.key.indicator == indicator and isinstance(s.value, Histogram)]
