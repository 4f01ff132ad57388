"""Prometheus text as the client library of Python writes it: families with HELP, TYPE, samples and their birth."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from perfconsole.demo.model.histogram import Histogram

Labels = tuple[tuple[str, str], ...]
MARK = "SIMULATED by perfconsole demo."
"""Stands in every HELP line, so that nobody takes the page for that of a real server."""


class PageText:
    """Collects families; `text` is the page so far. `born` is the epoch second of all `_created` samples."""

    def __init__(self, born: float) -> None:
        self._born = born
        self._lines: list[str] = []

    @property
    def text(self) -> str:
        """The page."""
        return "\n".join(self._lines) + "\n" if self._lines else ""

    def gauge(self, name: str, samples: Iterable[tuple[Labels, float]]) -> None:
        """A value that goes up and down."""
        self._head(name, "gauge")
        self._lines += [f"{name}{braces(labels)} {float(value)!r}" for labels, value in samples]

    def counter(self, name: str, samples: Iterable[tuple[Labels, float]]) -> None:
        """A counter; `name` without `_total`."""
        samples = tuple(samples)
        self._head(f"{name}_total", "counter")
        self._lines += [f"{name}_total{braces(labels)} {float(value)!r}" for labels, value in samples]
        self._created(name, [labels for labels, _ in samples])

    def histogram(self, name: str, series: Iterable[tuple[Labels, Histogram]]) -> None:
        """Buckets, count and sum of each set of labels."""
        series = tuple(series)
        self._head(name, "histogram")
        for labels, histogram in series:
            bounds = (*(repr(bound) for bound in histogram.bounds), "+Inf")
            for bound, count in zip(bounds, histogram.cumulative(), strict=True):
                self._lines.append(f"{name}_bucket{braces((*labels, ('le', bound)))} {count}.0")
            self._lines.append(f"{name}_count{braces(labels)} {histogram.count}.0")
            self._lines.append(f"{name}_sum{braces(labels)} {histogram.total!r}")
        self._created(name, [labels for labels, _ in series])

    def summary(self, name: str, series: Iterable[tuple[Labels, int, float]]) -> None:
        """Count and sum of each set of labels."""
        series = tuple(series)
        self._head(name, "summary")
        for labels, count, total in series:
            self._lines.append(f"{name}_count{braces(labels)} {count}.0")
            self._lines.append(f"{name}_sum{braces(labels)} {float(total)!r}")
        self._created(name, [labels for labels, _, _ in series])

    def _head(self, name: str, kind: str) -> None:
        self._lines += [f"# HELP {name} {MARK}", f"# TYPE {name} {kind}"]

    def _created(self, name: str, series: list[Labels]) -> None:
        self._head(f"{name}_created", "gauge")
        self._lines += [f"{name}_created{braces(labels)} {self._born!r}" for labels in series]


def braces(labels: Labels) -> str:
    """Labels in order of their names; values of the simulator need no escapes."""
    return "{" + ",".join(f'{name}="{value}"' for name, value in sorted(labels)) + "}" if labels else ""
