"""The numbers that are compared."""

from __future__ import annotations

import pytest

from perfconsole.probing.metrics import METRICS
from tests.probing.building import rung, spread


@pytest.mark.parametrize(
    ("name", "value"),
    [("ttft_p95", 0.12), ("tpot_p50", 0.005), ("e2e_p99", None), ("output_tokens_per_s", 2990.0), ("error_ratio", 0.1)],
)
def test_each_is_found_in_a_step(name: str, value: float | None) -> None:
    """A quantile in its distribution, any other number by its name."""
    s = rung(16, 2990.0, ttft=spread(0.1, 30), e2e=spread(1.0, 30), errors=10)
    assert METRICS[name].of_step(s) == value


def test_only_quantiles_have_a_distribution() -> None:
    """`requests_per_s` ends with a letter too."""
    s = rung(16, 2990.0)
    assert METRICS["ttft_p95"].spread(s) is s.ttft
    assert METRICS["requests_per_s"].spread(s) is None


def test_each_knows_which_way_is_worse() -> None:
    """Latencies and errors rise, rates fall."""
    worse = {name for name, metric in METRICS.items() if metric.rises}
    assert {"ttft_p50", "itl_p99", "error_ratio"} <= worse
    assert not {"output_tokens_per_s", "goodput_per_s", "knee", "goodput"} & worse
