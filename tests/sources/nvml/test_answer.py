"""Tests of the helper's answers, through pynvml and a stand-in for the driver: values, and what one bad call costs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from perfconsole.clock import ManualClock
from perfconsole.model.dictionary import DEFAULT
from perfconsole.model.entity import Kind
from perfconsole.model.sample import Missing
from perfconsole.sources.nvml.answer import compose
from perfconsole.sources.nvml.device import Device
from perfconsole.sources.nvml.fleet import Fleet
from perfconsole.sources.nvml.question import Question
from perfconsole.sources.nvml.reading import Reading
from perfconsole.sources.nvml.rounds import Rounds
from perfconsole.sources.nvml.slot import Slot
from tests.sources.nvml.fakenvml import FakeNvml, gpu, helper_of, needs_compiler, notes

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = needs_compiler
FIELDS = ("82 1 0 61", "230 1 0 2", "197 3 0 1000", "198 3 0 1000", "138 3 0 5", "139 3 0 5", "161 3 0 2", "163 3 0 3")
GPUS = 16


def lines(count: int) -> list[str]:
    """GPUs with all fields and two processes on each."""
    processes = [
        f"process {i} {4000 + 10 * i + k} {(k + 1) * 1000} {40 - 30 * k}" for i in range(count) for k in (0, 1)
    ]
    return [f"count {count}", *(f"field * {field}" for field in FIELDS), *processes]


@pytest.fixture(scope="module")
def sixteen(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Any]]:
    """The answer about sixteen healthy GPUs, when nothing warms up any more."""
    nvml = FakeNvml(tmp_path_factory.mktemp("nvml"), *lines(GPUS), "set 5 reasons 68", "set 5 mps 2")
    with helper_of(nvml) as helper:
        yield helper.until(lambda a: all("warming-up" not in g["missing"].values() for g in a["gpus"]) and a["gpus"])


def expected(i: int) -> dict[str, float]:
    """What the stand-in is built to answer of GPU i, in base units."""
    held = float(i == 5)
    return {
        "gpu.up": 1,
        "gpu.utilization": (50 + i) / 100,
        "gpu.mem_busy": (20 + i) / 100,
        "gpu.mem_used": 1e9 * (i + 1),
        "gpu.mem_total": 80 * 2**30,
        "gpu.power": 300 + i,
        "gpu.power_limit": 700,
        "gpu.temperature": 40 + i,
        "gpu.mem_temperature": 61,
        "gpu.temp_margin": 47 - i,
        "gpu.fan": (40 + i) / 100,
        "gpu.sm_clock": 990e6,
        "gpu.clock_ratio": 0.5,
        "gpu.throttle_power_cap": held,
        "gpu.throttle_thermal_hw": held,
        "gpu.throttle_thermal_sw": 0,
        "gpu.throttle_slowdown": 0,
        "gpu.throttle_power_brake": 0,
        "gpu.throttle_app_clocks": 0,
        "gpu.xid": 0,
        "gpu.xid_memory": 0,
        "gpu.xid_lost": 0,
        "gpu.xid_link": 0,
        "gpu.xid_application": 0,
        "gpu.ecc_uncorrected": 0,
        "gpu.remapped_rows": 1,
        "gpu.remap_pending": 0,
        "gpu.remap_failed": 0,
        "gpu.pcie_rx": 0,
        "gpu.pcie_tx": 0,
        "gpu.pcie_replays": i,
        "gpu.pcie_width": 16,
        "gpu.pcie_width_max": 16,
        "gpu.pcie_width_best": 16,
        "gpu.pcie_gen": 5,
        "gpu.pcie_gen_best": 5,
        "gpu.nvlink_rx": 0,
        "gpu.nvlink_tx": 0,
        "gpu.nvlink_crc": 5,
        "gpu.nvlink_active": 18,
        "gpu.nvlink_expected": 18,
        "gpu.fabric_state": 3,
        "gpu.recovery_action": 2,
        "gpu.energy": (5e6 + i) / 1000,
        "gpu.mig": 0,
        "gpu.mps_active": held,
        "gpu.process_count": 2,
        "gpu.process_memory": 2000,
        "gpu.process_utilization": 0.4,
        "gpu.foreign_utilization": 0.1,
        "gpu.engine_active": (1 + i) / 100,
        "gpu.sm_active": (2 + i) / 100,
        "gpu.sm_occupancy": (3 + i) / 100,
        "gpu.tensor_active": (5 + i) / 100,
        "gpu.dram_active": (10 + i) / 100,
    }


@pytest.mark.parametrize("index", range(GPUS))
def test_every_value_is_that_of_the_driver_in_base_units(index: int, sixteen: dict[str, Any]) -> None:
    """For each of sixteen GPUs, and only what this card has not is missing."""
    entry = gpu(sixteen, index)
    assert entry["values"] == pytest.approx(expected(index))
    assert entry["missing"] == {"gpu.nvlink_recoveries": "unsupported"}
    assert (entry["name"], entry["uuid"]) == (f"Fake H100 no {index}", f"GPU-{index:04}")


def test_every_name_is_an_indicator_of_a_gpu(sixteen: dict[str, Any]) -> None:
    """As the dictionary has them, and every reason one of the model's."""
    for entry in sixteen["gpus"]:
        for name in (*entry["values"], *entry["missing"]):
            known = DEFAULT.find(name)
            assert known is not None
            assert (known.name, known.scope) == (name, Kind.GPU)
        assert set(entry["missing"].values()) <= {str(reason) for reason in Missing}


def test_what_holds_the_clocks_is_a_fact(sixteen: dict[str, Any]) -> None:
    """In words, of each GPU."""
    assert gpu(sixteen, 5)["facts"]["gpu.held_by"] == "heat (hardware), power cap"
    assert gpu(sixteen, 4)["facts"]["gpu.held_by"] == "nothing"


def test_pairs_are_told_once(sixteen: dict[str, Any]) -> None:
    """By the GPU of the lower number."""
    assert gpu(sixteen, 14)["peers"] == {"15": [0, 0]}
    assert len(gpu(sixteen, 0)["peers"]) == 15


def test_a_healthy_host_needs_no_words(sixteen: dict[str, Any]) -> None:
    """No remarks and no error."""
    assert (notes(sixteen), sixteen["error"]) == ("", None)


def pair(tmp_path: Path, *more: str) -> FakeNvml:
    """Two GPUs and what else is said."""
    return FakeNvml(tmp_path, *more, *lines(2))


def settled(answer: dict[str, Any]) -> bool:
    """Both GPUs have been asked everything."""
    return len(answer["gpus"]) == 2 and not any("warming-up" in g["missing"].values() for g in answer["gpus"])


@pytest.mark.parametrize(
    ("code", "reason", "words"),
    [
        (3, "unsupported", ""),
        (13, "unsupported", ""),
        (4, "no-permission", ""),
        (999, "source-down", "GPU 1: nvmlDeviceGetPowerUsage failed: unknown error inside the driver (NVML code 999)"),
    ],
)
def test_a_call_that_fails_costs_its_own_value(code: int, reason: str, words: str, tmp_path: Path) -> None:
    """On its own GPU; a word is said only where something is wrong."""
    with helper_of(pair(tmp_path, f"error 1 nvmlDeviceGetPowerUsage {code}")) as helper:
        answer = helper.until(settled)
    assert gpu(answer, 1)["missing"].pop("gpu.power") == reason
    assert gpu(answer, 0)["missing"] == gpu(answer, 1)["missing"]
    assert gpu(answer, 0)["values"].keys() - gpu(answer, 1)["values"].keys() == {"gpu.power"}
    assert (notes(answer), answer["error"]) == (words, None)


def test_a_field_that_fails_costs_its_own_value(tmp_path: Path) -> None:
    """The other fields of the same question are there."""
    with helper_of(pair(tmp_path, "field 1 82 1 999 0")) as helper:
        answer = helper.until(settled)
    assert gpu(answer, 1)["missing"]["gpu.mem_temperature"] == "source-down"
    assert gpu(answer, 1)["values"]["gpu.recovery_action"] == 2
    assert "GPU 1: field 82 of nvmlDeviceGetFieldValues failed" in notes(answer)


def test_a_call_that_hangs_costs_its_own_value(tmp_path: Path) -> None:
    """The rest goes on; the remark names GPU, call and time; when it returns it is used again."""
    nvml = pair(tmp_path)
    hang = "hang 1 nvmlDeviceGetPowerUsage"
    with helper_of(nvml) as helper:
        before = helper.until(settled)
        nvml.say(hang, "set * gpu 77")
        answer = helper.until(lambda a: "has not returned" in notes(a) and settled(a))
        assert "GPU 1: nvmlDeviceGetPowerUsage has not returned for " in notes(answer)
        assert gpu(answer, 1)["missing"]["gpu.power"] == "source-down"
        assert gpu(answer, 0)["values"].keys() == gpu(before, 0)["values"].keys()
        assert gpu(answer, 1)["values"].keys() == gpu(before, 1)["values"].keys() - {"gpu.power"}
        helper.until(lambda a: [gpu(a, i)["values"]["gpu.utilization"] for i in (0, 1)] == [0.77, 0.77])
        nvml.unsay(hang)
        helper.until(lambda a: "gpu.power" in gpu(a, 1)["values"] and not notes(a))


def test_a_driver_that_hangs_in_many_calls_is_said_as_a_whole(tmp_path: Path) -> None:
    """With the calls; the GPUs stay known, and the helper still answers and ends."""
    nvml = pair(tmp_path)
    calls = ("PowerUsage", "PcieReplayCounter", "UtilizationRates", "ClockInfo")
    with helper_of(nvml) as helper:
        helper.until(settled)
        nvml.say(*(f"hang {i % 2} nvmlDeviceGet{call}" for i, call in enumerate(calls)))
        answer = helper.until(lambda a: a["error"])
        assert answer["error"].startswith("the NVIDIA driver hangs as a whole: ")
        assert all(f"nvmlDeviceGet{call} has not returned" in answer["error"] for call in calls)
        assert [entry["index"] for entry in answer["gpus"]] == [0, 1]
        assert helper.end() == 0


@pytest.mark.parametrize(("code", "words"), [(15, "GPU 1 is lost"), (16, "GPU 1 needs a reset")])
def test_a_lost_gpu_is_not_up(code: int, words: str, tmp_path: Path) -> None:
    """Nothing old is said of it, the other one is untouched; when it is back it is up."""
    nvml = pair(tmp_path)
    loss = f"error 1 all {code}"
    with helper_of(nvml) as helper:
        before = helper.until(settled)
        nvml.say(loss)
        answer = helper.until(lambda a: gpu(a, 1)["values"]["gpu.up"] == 0)
        values = gpu(answer, 1)["values"]
        assert {name for name in values if not name.startswith("gpu.xid")} == {"gpu.up"}
        assert values["gpu.xid_lost"] == (1 if code == 15 else 0)
        assert set(gpu(answer, 1)["missing"].values()) <= {"source-down", "unsupported"}
        assert words in notes(answer)
        assert gpu(answer, 0)["values"].keys() == gpu(before, 0)["values"].keys()
        nvml.unsay(loss)
        helper.until(lambda a: gpu(a, 1)["values"]["gpu.up"] == 1)


@pytest.mark.parametrize(("asked", "reason"), [(False, Missing.WARMING_UP), (True, Missing.SOURCE_DOWN)])
def test_a_gpu_that_is_not_asked_any_more_does_not_warm_up(reason: Missing, *, asked: bool) -> None:
    """Nobody knows whether it is up: calls before its own hang, or take long."""
    clock = ManualClock(100.0)
    fleet = Fleet(clock)
    fleet.running, fleet.roster.count = True, 1
    slot = Slot(Question("call", lambda _device, _t: Reading(), ()))
    fleet.roster.devices[0], fleet.roster.slots[0] = Device(0), (slot,)
    if asked:
        slot.store(90.0, Reading())
    answer = compose(fleet, Rounds(lambda _: [], clock, frozenset()), clock)
    assert gpu(answer, 0)["missing"]["gpu.up"] is reason


def test_a_gpu_of_which_nothing_can_be_read_is_not_up(tmp_path: Path) -> None:
    """NVML does not answer for it."""
    with helper_of(pair(tmp_path, "error 1 all 999", "set * gpm 0")) as helper:
        answer = helper.until(lambda a: len(a["gpus"]) == 2 and "gpu.up" in gpu(a, 1)["values"])
    assert gpu(answer, 1)["values"]["gpu.up"] == 0
    assert gpu(answer, 0)["values"]["gpu.up"] == 1
