"""Tests of starting NVML and of losing it, through pynvml and a stand-in for the driver."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.sources.nvml.fakenvml import FakeNvml, Helper, helper_of, needs_compiler

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = needs_compiler


@pytest.mark.parametrize(("code", "part"), [(4, "no permission"), (18, "reload its modules or reboot"), (999, "999")])
def test_a_driver_that_does_not_start_is_an_error(code: int, part: str, tmp_path: Path) -> None:
    """In words of what to do."""
    with helper_of(FakeNvml(tmp_path, f"init {code}")) as helper:
        answer = helper.ask()
    assert part in answer["error"]
    assert answer["gpus"] == []


@pytest.mark.parametrize(("line", "part"), [("init 9", "not loaded"), ("count 0", "has no GPU")])
def test_a_host_without_gpus_has_no_fault(line: str, part: str, tmp_path: Path) -> None:
    """Only a remark; this holds where the test's own host has no NVIDIA card without a driver."""
    with helper_of(FakeNvml(tmp_path, line)) as helper:
        answer = helper.ask()
    assert part in answer["notes"][0]
    assert (answer["error"], answer["gpus"]) == (None, [])


def test_a_host_without_the_library_has_no_fault(tmp_path: Path) -> None:
    """What was looked for is named."""
    helper = Helper({"LD_LIBRARY_PATH": str(tmp_path)})
    try:
        answer = helper.ask()
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
