"""Families and indicators made up for tests of what is said of a page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfconsole.model.entity import Entity, Kind
from perfconsole.model.sample import Missing
from perfconsole.model.snapshot import Indicator
from perfconsole.view.pagereport import Family, PageReport

if TYPE_CHECKING:
    from collections.abc import Mapping

AGENTS = Entity(Kind.ORCHESTRATOR, "agents")


def family(name: str, kind: str, *, labels: Mapping[str, tuple[str, ...]] | None = None) -> Family:
    """One family of one series."""
    return Family(name, name, kind, 1, 4.0, tuple((labels or {}).items()))


def report(
    *, indicators: tuple[Indicator, ...] = (), unmapped: tuple[Family, ...] = (), two: bool = False
) -> PageReport:
    """A report of an orchestrator's page."""
    return PageReport(
        where="page.prom",
        size=300,
        series=9,
        adapter="agents",
        title="agents",
        layer="orchestration",
        version=None,
        indicators=indicators,
        unmapped=unmapped,
        notes=(),
        window_s=60.0 if two else None,
    )


REQUESTS = Indicator("orchestration.requests", AGENTS, 127.0, "requests")
WORKERS = Indicator("orchestration.workers", AGENTS, 0.37, "ratio")
ERRORS = Indicator("orchestration.errors", AGENTS, Missing.NOT_EXPORTED, "requests")
P50 = Indicator("orchestration.latency.p50", AGENTS, Missing.WARMING_UP, "s", lifetime=0.2)
P95 = Indicator("orchestration.latency.p95", AGENTS, Missing.WARMING_UP, "s", lifetime=0.4)
