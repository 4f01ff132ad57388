"""The numbers of a result that are compared, by the name under which `--fail-on` knows them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from perfconsole.model.proberesult import Spread, StepResult

LATENCIES = ("ttft", "itl", "tpot", "e2e")
_QUANTILES = ("p50", "p90", "p95", "p99")


@dataclass(frozen=True, slots=True)
class Metric:
    """One number."""

    name: str
    rises: bool
    """It gets worse when it rises."""
    share: bool = False
    """It is a share: differences are in points of it, as 0% has no ratio to anything."""
    whole: bool = False
    """Of the whole probe, not of a step."""

    def of_step(self, s: StepResult) -> float | None:
        """Its value in a step."""
        spread = self.spread(s)
        value: float | None = getattr(s, self.name) if spread is None else getattr(spread, self.quantile)
        return value

    def spread(self, s: StepResult) -> Spread | None:
        """The distribution that it is a quantile of; None for other numbers."""
        latency, _, quantile = self.name.rpartition("_")
        found: Spread | None = getattr(s, latency) if latency in LATENCIES and quantile in _QUANTILES else None
        return found

    @property
    def quantile(self) -> str:
        """`p95` of `ttft_p95`."""
        return self.name.rpartition("_")[2]


METRICS: dict[str, Metric] = {
    metric.name: metric
    for metric in (
        *(Metric(f"{name}_{quantile}", rises=True) for name in LATENCIES for quantile in _QUANTILES),
        Metric("output_tokens_per_s", rises=False),
        Metric("requests_per_s", rises=False),
        Metric("goodput_per_s", rises=False),
        Metric("error_ratio", rises=True, share=True),
        Metric("knee", rises=False, whole=True),
        Metric("goodput", rises=False, whole=True),
    )
}
