"""Tests of the questions where a card or a driver lacks the usual way, through pynvml and a stand-in for the driver."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.sources.nvml.fakenvml import FakeNvml, gpu, helper_of, needs_compiler, one_gpu

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = needs_compiler


@pytest.mark.parametrize("code", [13, 25, 3])
def test_memory_comes_from_the_older_call_where_the_newer_is_not_there(code: int, tmp_path: Path) -> None:
    """It counts what the driver reserves as used."""
    entry = one_gpu(tmp_path, f"error 0 nvmlDeviceGetMemoryInfo_v2 {code}", "field * 197 3 0 1", "field * 198 3 0 1")
    assert entry["values"]["gpu.mem_used"] == 1e9 + 2**20
    assert entry["values"]["gpu.mem_total"] == 80 * 2**30


def test_a_card_that_gives_no_margin_has_one_by_its_slowdown_temperature(tmp_path: Path) -> None:
    """90 less 40 degrees; below the slowdown it is negative where the card says so."""
    assert one_gpu(tmp_path, "error 0 nvmlDeviceGetMarginTemperature 3")["values"]["gpu.temp_margin"] == 50
    assert one_gpu(tmp_path, "set 0 margin -3")["values"]["gpu.temp_margin"] == -3


def test_a_card_without_a_fan_has_none(tmp_path: Path) -> None:
    """Unsupported, not zero."""
    assert one_gpu(tmp_path, "error 0 nvmlDeviceGetFanSpeed 3")["missing"]["gpu.fan"] == "unsupported"


def test_a_driver_without_event_reasons_has_no_shares(tmp_path: Path) -> None:
    """Nor words of what holds the clocks."""
    entry = one_gpu(tmp_path, "error 0 nvmlDeviceGetCurrentClocksEventReasons 13")
    assert entry["missing"]["gpu.throttle_thermal_hw"] == "unsupported"
    assert "gpu.held_by" not in entry["facts"]


def test_a_card_without_a_highest_clock_has_no_ratio(tmp_path: Path) -> None:
    """Its clock is there."""
    entry = one_gpu(tmp_path, "error 0 nvmlDeviceGetMaxClockInfo 3")
    assert entry["values"]["gpu.sm_clock"] == 990e6
    assert entry["missing"]["gpu.clock_ratio"] == "unsupported"


@pytest.mark.parametrize(("code", "reason"), [(4, "no-permission"), (999, "source-down")])
def test_what_needs_another_answer_has_the_reason_of_that(code: int, reason: str, tmp_path: Path) -> None:
    """The highest clock, and which links there are."""
    calls = ("nvmlDeviceGetMaxClockInfo", "nvmlDeviceGetNvLinkState")
    entry = one_gpu(tmp_path, *(f"error 0 {call} {code}" for call in calls))
    names = ("gpu.clock_ratio", "gpu.nvlink_active", "gpu.nvlink_crc", "gpu.nvlink_recoveries")
    assert [entry["missing"][name] for name in names] == [reason] * 4


def test_a_card_without_a_fabric_has_no_state_of_it(tmp_path: Path) -> None:
    """State 0 is the driver's word for that."""
    assert one_gpu(tmp_path, "set 0 fabric 0")["missing"]["gpu.fabric_state"] == "unsupported"


def test_a_card_without_nvlink_expects_none(tmp_path: Path) -> None:
    """Zero links to expect, and no number of links that are up."""
    entry = one_gpu(tmp_path, "error 0 nvmlDeviceGetNvLinkState 3")
    assert entry["values"]["gpu.nvlink_expected"] == 0
    assert {entry["missing"][f"gpu.nvlink_{what}"] for what in ("active", "crc", "recoveries")} == {"unsupported"}


def test_the_best_link_is_remembered(tmp_path: Path) -> None:
    """Links sleep when the card is idle, and come back narrower when they are bad."""
    nvml = FakeNvml(tmp_path, "count 1", "set 0 links 18")
    with helper_of(nvml) as helper:
        helper.until(lambda a: a["gpus"])
        nvml.say("set 0 width 4", "set 0 gen 1")
        # The two are asked one after the other, and the card may change in between.
        narrow = {"gpu.pcie_width": 4, "gpu.pcie_gen": 1}
        values = gpu(helper.until(lambda a: narrow.items() <= gpu(a, 0)["values"].items()), 0)["values"]
    assert (values["gpu.pcie_width_best"], values["gpu.pcie_gen_best"]) == (16, 5)
