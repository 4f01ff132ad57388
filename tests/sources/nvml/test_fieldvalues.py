"""Tests of numbered fields: rates and shares from counters, through a stand-in for the driver."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.sources.nvml.fakenvml import FakeNvml, gpu, helper_of, needs_compiler

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = needs_compiler


def test_counters_become_rates(tmp_path: Path) -> None:
    """By the time between two questions; NVLink counts in KiB."""
    nvml = FakeNvml(tmp_path, "count 1", *(f"field 0 {number} 3 0 1000" for number in (197, 198, 138, 139)))
    with helper_of(nvml) as helper:
        helper.until(lambda a: a["gpus"])
        nvml.say("field 0 197 3 0 900000001000", "field 0 139 3 0 900000001000")
        values = gpu(helper.until(lambda a: gpu(a, 0)["values"].get("gpu.pcie_tx", 0) > 0), 0)["values"]
    assert values["gpu.nvlink_rx"] == pytest.approx(values["gpu.pcie_tx"] * 1024, rel=0.5)
    assert (values["gpu.pcie_rx"], values["gpu.nvlink_tx"]) == (0, 0)


def test_a_counter_of_the_driver_tells_what_samples_miss(tmp_path: Path) -> None:
    """Nanoseconds slowed for heat while no sample had the bit."""
    nvml = FakeNvml(tmp_path, "count 1", "field 0 270 3 0 0")
    with helper_of(nvml) as helper:
        helper.until(lambda a: a["gpus"])
        nvml.say("field 0 270 3 0 1000000")
        values = gpu(helper.until(lambda a: gpu(a, 0)["values"]["gpu.throttle_thermal_hw"] > 0), 0)["values"]
    assert values["gpu.throttle_thermal_hw"] <= 1
    assert values["gpu.throttle_thermal_sw"] == 0
