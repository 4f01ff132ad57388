"""What one page of an exporter fills: the indicators that a session of one or two polls has of its GPUs or its host."""

from __future__ import annotations

from math import nan
from typing import TYPE_CHECKING

from perfconsole.commands.pageprobe import unmapped
from perfconsole.core.session import Session
from perfconsole.model.sample import Batch
from perfconsole.sources import dcgmpage
from perfconsole.sources.exporters import nodepage
from perfconsole.sources.exporters.cards import CardReader
from perfconsole.sources.exporters.node import NodeReader
from perfconsole.sources.exporters.nodepage import NodePage
from perfconsole.sources.exporters.told import Told, told_batch
from perfconsole.sources.exposition import PageError, PageParser
from perfconsole.view.pagereport import PageReport
from perfconsole.view.pagereport_guess import useful_first

if TYPE_CHECKING:
    from perfconsole.model.dictionary import Dictionary
    from perfconsole.sources.exposition import Page
    from perfconsole.sources.onepage import OnePage

LAYER = "hardware"
_TITLES = {"dcgm": "DCGM exporter", "node": "node_exporter"}
_VERSIONS = "node_exporter_build_info"


def exporter_of(page: OnePage) -> str:
    """Whose page it is, `dcgm` or `node`; empty for neither."""
    try:
        parsed = PageParser().parse(page.body, openmetrics=page.openmetrics)
    except PageError:
        return ""
    if any(series.name.startswith(dcgmpage.PREFIXES) for series in parsed.series):
        return "dcgm"
    return "node" if NodePage(parsed) else ""


def exporter_report(
    page: OnePage, exporter: str, dictionary: Dictionary, *, previous: OnePage | None = None, seconds: float = 0.0
) -> PageReport:
    """All that is to be said of the page of that exporter; PageError when an earlier page is no page of metrics."""
    polls = [(0.0, page)] if previous is None else [(0.0, previous), (seconds, page)]
    session, read = Session([], dictionary), _Reader(exporter)
    notes: tuple[str, ...] = ()
    for t, each in polls:
        parsed = PageParser().parse(each.body, openmetrics=each.openmetrics)
        batch = told_batch(read(parsed, t), Batch("page", f"{LAYER} page", t, nan, max(1.0, seconds), took_s=0.0))
        session.apply(batch)
        notes = batch.notes
    snapshot = session.tick(polls[-1][0], nan)
    known = dcgmpage.wanted if exporter == "dcgm" else nodepage.wanted
    return PageReport(
        where=page.where,
        size=len(page.body),
        series=len(parsed.series),
        adapter=exporter,
        title=_TITLES[exporter],
        layer=LAYER,
        version=_version(parsed),
        indicators=snapshot.indicators,
        unmapped=useful_first(unmapped(parsed, known), LAYER),
        notes=notes,
        window_s=seconds if previous else None,
    )


def exporter_stub(url: str) -> list[str]:
    """Lines for a configuration that watch the exporter at a URL."""
    place = f'url = "{url}"' if url else 'url = "http://127.0.0.1:9100/metrics"  # change this: where it is'
    return ["[[target]]", f'layer = "{LAYER}"', place]


class _Reader:
    """Reads the pages of one exporter of a host whose name is its own, or `page`."""

    def __init__(self, exporter: str) -> None:
        self._cards = CardReader() if exporter == "dcgm" else None
        self._node = NodeReader()

    def __call__(self, page: Page, t: float) -> Told:
        """What a page tells at a moment."""
        if self._cards is not None:
            return self._cards.read(page, t, None)
        return self._node.read(page, t, NodePage(page).nodename or "page")


def _version(page: Page) -> str | None:
    return next((dict(s.labels).get("version") for s in page.series if s.name == _VERSIONS), None)
