"""Tests of GPUs that come and go, through pynvml and a stand-in for the driver."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.sources.nvml.fakenvml import FakeNvml, gpu, helper_of, needs_compiler, notes

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = needs_compiler


def test_a_gpu_that_cannot_be_opened_costs_no_other(tmp_path: Path) -> None:
    """Without permission nothing is known of it; lost, it is not up."""
    call = "nvmlDeviceGetHandleByIndex_v2"
    with helper_of(FakeNvml(tmp_path, "count 3", f"error 1 {call} 4", f"error 2 {call} 15")) as helper:
        answer = helper.until(lambda a: len(a["gpus"]) == 3)
    assert gpu(answer, 0)["values"]["gpu.up"] == 1
    assert gpu(answer, 1)["missing"]["gpu.up"] == "no-permission"
    assert set(gpu(answer, 1)["missing"].values()) == {"no-permission"}
    assert gpu(answer, 2)["values"] == {"gpu.up": 0, "gpu.xid_lost": 1}
    assert "GPU 1 cannot be opened: no permission (NVML code 4)" in notes(answer)


def test_a_gpu_that_is_no_longer_counted_is_not_up(tmp_path: Path) -> None:
    """The others keep their numbers although the driver numbers them anew; it may come back."""
    nvml = FakeNvml(tmp_path, "count 3")
    with helper_of(nvml) as helper:
        helper.until(lambda a: len(a["gpus"]) == 3)
        nvml.say("gone 1")
        answer = helper.until(lambda a: gpu(a, 1)["values"].get("gpu.up") == 0)
        assert "GPU 1 is no longer among the 2 GPUs that the driver counts" in notes(answer)
        assert gpu(answer, 1)["values"]["gpu.xid_lost"] == 1
        assert [(gpu(answer, i)["uuid"], gpu(answer, i)["values"]["gpu.power"]) for i in (0, 2)] == [
            ("GPU-0000", 300),
            ("GPU-0002", 302),
        ]
        nvml.unsay("gone 1")
        answer = helper.until(lambda a: gpu(a, 1)["values"].get("gpu.up") == 1)
        assert gpu(answer, 1)["values"]["gpu.power"] == 301


def test_a_gpu_that_is_new_joins(tmp_path: Path) -> None:
    """With its pairs."""
    nvml = FakeNvml(tmp_path, "count 1")
    with helper_of(nvml) as helper:
        assert len(helper.until(lambda a: a["gpus"])["gpus"]) == 1
        nvml.lines = ["count 2"]
        nvml.say()
        answer = helper.until(lambda a: len(a["gpus"]) == 2 and gpu(a, 0)["peers"])
    assert gpu(answer, 1)["values"]["gpu.power"] == 301


@pytest.mark.parametrize("call", ["nvmlDeviceGetUUID", "nvmlDeviceGetName"])
def test_a_gpu_whose_name_hangs_is_shown_by_its_number(call: str, tmp_path: Path) -> None:
    """And everything else of it; it gets its name when the call returns."""
    nvml = FakeNvml(tmp_path, "count 3", f"hang 1 {call}")
    with helper_of(nvml) as helper:
        answer = helper.until(lambda a: len(a["gpus"]) == 3 and "gpu.power" in gpu(a, 1)["values"])
        assert f"GPU 1: {call} has not returned for " in notes(answer)
        assert (gpu(answer, 1)["values"]["gpu.power"], gpu(answer, 1)["values"]["gpu.up"]) == (301, 1)
        assert gpu(answer, 2)["name"] == "Fake H100 no 2"
        nvml.unsay(f"hang 1 {call}")
        helper.until(lambda a: gpu(a, 1)["uuid"] == "GPU-0001" and gpu(a, 1)["name"] == "Fake H100 no 1")


def test_a_gpu_whose_opening_hangs_is_not_up(tmp_path: Path) -> None:
    """Until the call returns; the others are asked meanwhile."""
    nvml = FakeNvml(tmp_path, "count 3", "hang 0 nvmlDeviceGetHandleByIndex_v2")
    with helper_of(nvml) as helper:
        answer = helper.until(lambda a: len(a["gpus"]) == 3 and "gpu.power" in gpu(a, 2)["values"])
        assert gpu(answer, 0)["values"]["gpu.up"] == 0
        assert "GPU 0 cannot be opened: nvmlDeviceGetHandleByIndex has not returned" in notes(answer)
        nvml.unsay("hang 0 nvmlDeviceGetHandleByIndex_v2")
        answer = helper.until(lambda a: gpu(a, 0)["values"].get("gpu.up") == 1)
    assert (gpu(answer, 0)["uuid"], gpu(answer, 0)["values"]["gpu.power"]) == ("GPU-0000", 300)


def test_gpus_with_one_uuid_are_several(tmp_path: Path) -> None:
    """A driver that gives none, as some virtual ones, has its GPUs all the same."""
    with helper_of(FakeNvml(tmp_path, "count 3", "error * nvmlDeviceGetUUID 3")) as helper:
        answer = helper.until(lambda a: len(a["gpus"]) == 3)
    assert [entry["uuid"] for entry in answer["gpus"]] == ["", "", ""]
    assert [entry["values"]["gpu.power"] for entry in answer["gpus"]] == [300, 301, 302]
