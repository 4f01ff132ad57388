"""Pages of engines, captured or written by hand, and what the product makes of them, for the tests of it."""

from __future__ import annotations

from math import fsum
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING

from perfconsole.model.dictionary import DEFAULT, Fold
from perfconsole.model.entity import Entity, Kind
from perfconsole.model.sample import Histogram
from perfconsole.sources.engines.vllm import ADAPTER
from perfconsole.sources.exposition import PageParser
from perfconsole.sources.mapping.mapper import Mapped, PageMapper
from perfconsole.sources.targetpage import Poll, TargetPage

if TYPE_CHECKING:
    from collections.abc import Callable

    from perfconsole.model.sample import Batch, Sample

CAPTURES = Path(__file__).parents[1] / "captures"
ENGINE = Entity(Kind.ENGINE, "vllm:8000")
Labels = tuple[tuple[str, str], ...]
START = 1_700_000_000.0

LITTLE = b"""\
process_start_time_seconds 1.7e9
process_cpu_seconds_total 12.5
vllm:num_requests_running{engine="0",model_name="m"} 3.0
vllm:request_success_total{engine="0",finished_reason="length",model_name="m"} 8.0
"""
"""A page of vLLM with very little on it."""
MULTIPROCESS = b"".join(LITTLE.splitlines(keepends=True)[2:])
"""The same without figures of a process: no start and nothing that moves."""
A, B = "1.7e9", "1.7000005e9"
"""Starts of two processes, A that of the little page."""


def little(started: str = "1.7e9", cpu: str = "12.5") -> bytes:
    """The little page with another start or another CPU time."""
    return LITTLE.replace(b"1.7e9", started.encode()).replace(b"12.5", cpu.encode())


def counting(*tokens: float) -> bytes:
    """Make a page without a start time: tokens of rank after rank."""
    lines = (f'vllm:generation_tokens_total{{engine="{i}",model_name="m"}} {n}\n' for i, n in enumerate(tokens))
    return MULTIPROCESS + "".join(lines).encode()


def capture(name: str) -> bytes:
    """Bytes of a page under tests/captures."""
    return (CAPTURES / name).read_bytes()


def mapped(body: bytes, version: str = "") -> Mapped:
    """What the adapter of vLLM makes of a page."""
    return PageMapper(ADAPTER, DEFAULT).map(PageParser().parse(body), ENGINE, version)


def by_part(samples: tuple[Sample, ...], entity: Entity = ENGINE) -> dict[tuple[str, Labels], float | Histogram]:
    """Values by indicator and labels; no series may stand there twice."""
    found = {(s.key.indicator, s.key.labels): s.value for s in samples if s.key.entity == entity}
    assert len(found) == sum(s.key.entity == entity for s in samples), "a series twice in one batch"
    return found


def numbers(samples: tuple[Sample, ...], indicator: str) -> dict[Labels, float]:
    """Plain values of one indicator of the engine, by the labels of its parts."""
    pairs = by_part(samples).items()
    return {labels: v for (name, labels), v in pairs if name == indicator and not isinstance(v, Histogram)}


def folded(samples: tuple[Sample, ...], indicator: str) -> dict[Labels, float]:
    """Numbers of one indicator by rank and tag, its series folded as the dictionary folds parts."""
    series: dict[Labels, list[float]] = {}
    for labels, number in numbers(samples, indicator).items():
        series.setdefault(tuple(pair for pair in labels if pair[0] != "series"), []).append(number)
    entry = DEFAULT.find(indicator)
    assert entry is not None
    folds: dict[Fold, Callable[[list[float]], float]] = {
        Fold.SUM: fsum,
        Fold.MEAN: fmean,
        Fold.MAX: max,
        Fold.MIN: min,
    }
    return {labels: folds[entry.fold](values) for labels, values in series.items()}


def histogram(samples: tuple[Sample, ...], indicator: str) -> Histogram | None:
    """The one histogram of an indicator of the engine."""
    found = [v for (name, _), v in by_part(samples).items() if name == indicator and isinstance(v, Histogram)]
    assert len(found) <= 1
    return found[0] if found else None


def page(address: str = "127.0.0.1:8000", name: str = "", url: str = "") -> TargetPage:
    """One engine of which nothing is known yet."""
    return TargetPage(address, (ADAPTER,), DEFAULT, name, url)


def poll(body: bytes, t: float = 0.0, took_s: float = 0.02) -> Poll:
    """One fetched page at t seconds after START + 1000."""
    return Poll(body, openmetrics=False, t=t, wall=START + 1000 + t, took_s=took_s, cadence_s=1.0)


def value(batch: Batch, indicator: str) -> float | None:
    """The one plain value of an indicator in a batch, None when it is not there."""
    found = [s.value for s in batch.samples if s.key.indicator == indicator]
    assert len(found) <= 1, f"{indicator} has {len(found)} parts"
    return found[0] if found and isinstance(found[0], float) else None
