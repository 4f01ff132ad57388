"""What came back from a port that was asked, and which program's page it is. Pure on what a fetcher gives."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from typing import TYPE_CHECKING

from perfconsole.model.dictionary import DEFAULT
from perfconsole.sources.catalogue import LAYERS, adapters_of
from perfconsole.sources.exposition import PageError, PageParser
from perfconsole.sources.targetpage import TargetPage
from perfconsole.sources.web.failure import FetchKind
from perfconsole.sources.whosepage import recognise

if TYPE_CHECKING:
    from perfconsole.sources.adapter import Adapter
    from perfconsole.sources.exposition import Page
    from perfconsole.sources.http import FetchError, Reply

_HTTP_FAULTS = frozenset({FetchKind.TOO_LARGE, FetchKind.REDIRECTS})
"""What goes wrong only after an answer in HTTP has begun."""
_SILENCE = frozenset({FetchKind.TIMEOUT, FetchKind.TIMEOUT_CONNECT})
_TLS_MARK = "speaks TLS"
_TLS_STATUSES = (b"plain HTTP request was sent to HTTPS", b"HTTP request to an HTTPS server")
_MONITORS = (
    "node_exporter_",
    "node_cpu_seconds_total",
    "prometheus_tsdb_",
    "prometheus_build_info",
    "alertmanager_",
    "pushgateway_",
    "push_time_seconds",
    "grafana_",
    "otelcol_",
    "container_cpu_usage",
    "kube_pod_",
    "nvidia_gpu_",
    "nvidia_smi_",
    "pg_up",
    "redis_up",
    "mysql_up",
    "nginxexporter_",
)
"""Series of programs that watch others: those of an engine on their pages are copies."""


class Shape(StrEnum):
    """Kind of an answer."""

    PAGE = "page"
    """A page of metrics."""
    HTTP = "http"
    """HTTP without such a page."""
    TLS = "tls"
    SILENT = "silent"
    """Takes the connection, or lets it wait, and says nothing in time."""
    OTHER = "other"
    """Not HTTP, or refused."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a port is, as far as one request tells."""

    shape: Shape
    layer: str = ""
    """gateway, orchestration or engine by the series of the page; empty when they tell none."""
    adapter: str = ""
    series: str = ""
    """Beginning of the names that decided."""
    python: bool = False
    """The page says that a Python process made it."""
    dcgm: bool = False
    monitor: bool = False
    """The page of a program that watches others."""
    copies: bool = False
    """It has an engine's names without the label that the engine itself sets."""
    locked: bool = False
    """It wants a key (401, 403)."""
    host: str = ""
    """Where it answered when that is not the host of its place."""

    @property
    def http(self) -> bool:
        """It speaks HTTP."""
        return self.shape in (Shape.PAGE, Shape.HTTP)

    @property
    def generic(self) -> bool:
        """Its series are on the page of nearly every Python program: a training job, an exporter."""
        return any(each.generic and each.name == self.adapter for each in adapters_of("orchestration"))


@cache
def _shelves() -> tuple[tuple[str, TargetPage], ...]:
    """A reader of pages for each layer; engines first, as every layer in front may export names of its own beside."""
    shelves = ((name, adapters_of(name), layer) for name, layer in LAYERS.items())
    return tuple((name, TargetPage("discovery", adapters, DEFAULT, layer=layer)) for name, adapters, layer in shelves)


def of_error(error: FetchError) -> Answer:
    """The answer that a failed request stands for."""
    if error.kind in _HTTP_FAULTS:
        return Answer(Shape.HTTP)
    if error.kind in _SILENCE:
        return Answer(Shape.SILENT)
    return Answer(Shape.TLS if _TLS_MARK in error.text else Shape.OTHER)


def of_reply(reply: Reply) -> Answer:
    """The answer in a whole reply."""
    if reply.status == 400 and any(mark in reply.body for mark in _TLS_STATUSES):
        return Answer(Shape.TLS)
    if reply.status != 200 or not reply.body.strip():
        return Answer(Shape.HTTP, locked=reply.status in (401, 403))
    try:
        page = PageParser().parse(reply.body, openmetrics="openmetrics" in reply.content_type)
    except PageError:
        return Answer(Shape.HTTP)
    return of_page(page) if page.series else Answer(Shape.HTTP)


def of_page(page: Page) -> Answer:
    """Whose page it is."""
    names = {series.name for series in page.series}
    python = any(name.startswith("python_info") for name in names)
    if any(name.startswith("DCGM_FI_") for name in names):
        return Answer(Shape.PAGE, dcgm=True)
    if any(name.startswith(_MONITORS) for name in names):
        return Answer(Shape.PAGE, python=python, monitor=True)
    for layer, reader in _shelves():
        adapter = recognise(page, reader.adapters)
        if adapter is not None:
            series = _telling(adapter, names)
            return Answer(Shape.PAGE, layer, adapter.name, series, python, copies=_copies(names) and layer != "engine")
    return Answer(Shape.PAGE, python=python, copies=_copies(names))


def _telling(adapter: Adapter, names: set[str]) -> str:
    """Beginning of the names that decided, or the first one of those that had to be there."""
    found = (prefix for prefix in adapter.prefixes if any(name.startswith(prefix) for name in names))
    return next(found, next(iter(adapter.requires_series), adapter.title))


def _copies(names: set[str]) -> bool:
    prefixes = tuple(prefix for adapter in adapters_of("engine") for prefix in adapter.prefixes)
    return any(name.startswith(prefixes) for name in names)
