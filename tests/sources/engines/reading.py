"""What a table makes of a page in the folders of captures, for the tests of tables of engines."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfconsole.model.dictionary import DEFAULT
from perfconsole.sources.catalogue import adapters_of
from perfconsole.sources.exposition import PageParser
from perfconsole.sources.layer import ENGINE as LAYER
from perfconsole.sources.mapping.mapper import Mapped, PageMapper
from perfconsole.sources.targetpage import TargetPage
from perfconsole.sources.whosepage import recognise
from tests.sources.adapterpages import CAPTURES, read
from tests.sources.enginepages import ENGINE, by_part, folded

if TYPE_CHECKING:
    from perfconsole.model.sample import Histogram
    from perfconsole.sources.adapter import Adapter
    from tests.sources.enginepages import Labels


def mapped(adapter: Adapter, name: str, version: str = "") -> Mapped:
    """The page as the table reads it."""
    page = read(CAPTURES / name, adapter)
    assert page is not None
    return PageMapper(adapter, DEFAULT).map(page, ENGINE, version)


def values(adapter: Adapter, name: str, indicator: str) -> dict[Labels, float]:
    """Plain values of one indicator by rank and tag, folded as the dictionary says."""
    return folded(mapped(adapter, name).samples, indicator)


def counted(adapter: Adapter, name: str, indicator: str) -> float:
    """Sum of all its parts."""
    return sum(values(adapter, name, indicator).values())


def means(adapter: Adapter, name: str, indicator: str) -> list[float]:
    """Mean of each part of a histogram, smallest first."""
    found = [v for (n, _), v in by_part(mapped(adapter, name).samples).items() if n == indicator]
    histograms: list[Histogram] = [v for v in found if not isinstance(v, float)]
    return sorted(h.total / h.counts[-1] for h in histograms)


def taker(body: bytes) -> str:
    """Name of the engine's table that takes a page of Prometheus text, empty for none."""
    target = TargetPage("x", adapters_of("engine"), DEFAULT, layer=LAYER)
    found = recognise(PageParser().parse(body), target.adapters)
    return found.name if found else ""
