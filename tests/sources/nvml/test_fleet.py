"""Tests of starting NVML and of losing it, through pynvml and a stand-in for the driver."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pynvml  # type: ignore[import-untyped]  # NVIDIA ships no types
import pytest

from perfconsole.clock import ManualClock
from perfconsole.sources.nvml.device import Device
from perfconsole.sources.nvml.fleet import Fleet
from perfconsole.sources.nvml.question import Question
from perfconsole.sources.nvml.reading import Reading
from perfconsole.sources.nvml.slot import Slot
from tests.sources.nvml.fakenvml import FakeNvml, Helper, gpu, helper_of, needs_compiler

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = needs_compiler


@pytest.mark.parametrize(("code", "part"), [(4, "no permission"), (18, "reload its modules or reboot"), (999, "999")])
def test_a_driver_that_does_not_start_is_an_error(code: int, part: str, tmp_path: Path) -> None:
    """In words of what to do."""
    with helper_of(FakeNvml(tmp_path, f"init {code}")) as helper:
        answer = helper.until(lambda a: "NVML is starting" not in (a["error"] or ""))
    assert part in answer["error"]
    assert answer["gpus"] == []


@pytest.mark.parametrize(("line", "part"), [("init 9", "not loaded"), ("count 0", "has no GPU")])
def test_a_host_without_gpus_has_no_fault(line: str, part: str, tmp_path: Path) -> None:
    """Only a remark; this holds where the test's own host has no NVIDIA card without a driver."""
    with helper_of(FakeNvml(tmp_path, line)) as helper:
        answer = helper.until(lambda a: a["notes"])
    assert part in answer["notes"][0]
    assert (answer["error"], answer["gpus"]) == (None, [])


def test_a_host_without_the_library_has_no_fault(tmp_path: Path) -> None:
    """What was looked for is named."""
    helper = Helper({"LD_LIBRARY_PATH": str(tmp_path)})
    try:
        answer = helper.until(lambda a: a["notes"] or a["gpus"])
    finally:
        helper.kill()
    if not answer["gpus"]:  # the test's own host may have a driver
        assert "libnvidia-ml.so.1 is not found" in answer["notes"][0]
        assert answer["error"] is None


def test_a_slow_start_does_not_keep_the_answer(tmp_path: Path) -> None:
    """It is said, until the GPUs are there."""
    with helper_of(FakeNvml(tmp_path, "count 1", "init_ms 1500")) as helper:
        assert helper.ask()["error"].startswith("NVML is starting: nvmlInit has not returned for ")
        assert helper.until(lambda a: a["gpus"])["error"] is None


def test_a_library_from_before_flags_of_the_start_is_started(tmp_path: Path) -> None:
    """By the function before that."""
    with helper_of(FakeNvml(tmp_path, "count 1", "error * nvmlInitWithFlags 13")) as helper:
        assert helper.until(lambda a: a["gpus"])["error"] is None


def test_a_loss_holds_until_the_question_that_found_it_is_answered(tmp_path: Path) -> None:
    """Also one that is asked every 5 s: the library may answer others from what it remembers."""
    loss = "error 1 nvmlDeviceGetTotalEccErrors 15"
    nvml = FakeNvml(tmp_path, "count 2", loss)
    with helper_of(nvml) as helper:
        helper.until(lambda a: len(a["gpus"]) == 2 and gpu(a, 1)["values"].get("gpu.up") == 0)
        later = [helper.ask() for _ in range(3)]
        nvml.unsay(loss)
        back = helper.until(lambda a: gpu(a, 1)["values"]["gpu.up"] == 1)
    assert [gpu(answer, 1)["values"]["gpu.up"] for answer in later] == [0, 0, 0]
    assert "gpu.power" in gpu(later[-1], 1)["values"]
    assert gpu(back, 1)["values"]["gpu.xid_lost"] == 0


def test_another_answer_does_not_take_a_loss_back() -> None:
    """While the question that found it waits for its turn behind slow ones."""
    bad = [pynvml.NVMLError(15)]

    def lose(_device: Device, _t: float) -> Reading:
        if bad:
            raise bad.pop()
        return Reading()

    clock = ManualClock(100.0)
    fleet, device = Fleet(clock), Device(0)
    fleet.running = True
    slots = (Slot(Question("well", lambda _device, _t: Reading(), ())), Slot(Question("lost", lose, ())))
    fleet.roster.devices[0], fleet.roster.slots[0] = device, slots

    def lost_after(call: str) -> bool:
        clock.sleep(1.0)
        for step in fleet.steps(clock.now()):
            if step.call == call:
                step.run()
        return device.trouble is not None

    assert [lost_after(call) for call in ("lost", "well", "lost")] == [True, True, False]


def test_a_driver_that_went_away_ends_the_helper(tmp_path: Path) -> None:
    """Only a new process gets it back; the last words say why."""
    nvml = FakeNvml(tmp_path, "count 1")
    with helper_of(nvml) as helper:
        helper.until(lambda a: a["gpus"])
        nvml.say("error * nvmlDeviceGetCount_v2 18")
        asked = [answer["error"] for answer in (helper.until(lambda a: a["error"]), helper.ask(), helper.ask())]
        assert helper.process.wait(20.0) == 3
        assert helper.process.stderr is not None
        assert b"library and kernel module differ in version" in helper.process.stderr.read()
    assert all(error.startswith("nvmlDeviceGetCount failed: library and kernel module") for error in asked)
