"""Tests of the performance metrics that Hopper and later cards have, through a stand-in for the driver."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.sources.nvml.fakenvml import needs_compiler, one_gpu

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = needs_compiler


def test_a_mig_parent_has_its_utilization_from_the_performance_metrics(tmp_path: Path) -> None:
    """The usual call is not supported there."""
    entry = one_gpu(tmp_path, "set 0 mig 1", "error 0 nvmlDeviceGetUtilizationRates 3")
    assert (entry["values"]["gpu.mig"], entry["values"]["gpu.utilization"]) == (1, 0.01)
    assert entry["missing"]["gpu.mem_busy"] == "unsupported"


def test_a_card_without_performance_metrics_lacks_them(tmp_path: Path) -> None:
    """The memory bandwidth is never replaced by the time that memory was busy."""
    entry = one_gpu(tmp_path, "set 0 gpm 0")
    assert entry["missing"]["gpu.dram_active"] == "unsupported"
    assert "gpu.dram_active" not in entry["values"]
    assert entry["values"]["gpu.utilization"] == 0.5


def test_traffic_comes_from_the_performance_metrics_where_there_are_no_counters(tmp_path: Path) -> None:
    """In bytes, from MiB."""
    values = one_gpu(tmp_path)["values"]
    assert values["gpu.pcie_tx"] == 20 * 2**20
    assert values["gpu.nvlink_rx"] == 60 * 2**20
