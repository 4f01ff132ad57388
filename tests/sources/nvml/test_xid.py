"""Tests of Xids: counted by class for an hour, named in words, and waited for in a thread of their own."""

from __future__ import annotations

import ctypes
from queue import SimpleQueue
from threading import Semaphore
from typing import TYPE_CHECKING

import pynvml  # type: ignore[import-untyped]  # NVIDIA ships no types
import pytest

from perfconsole.clock import ManualClock
from perfconsole.sources.nvml.xid import Xids, XidWatch, meaning
from tests.sources.nvml.fakenvml import FakeNvml, gpu, helper_of, needs_compiler, notes

if TYPE_CHECKING:
    from pathlib import Path


def test_an_xid_is_named() -> None:
    """By what it means, where that is known."""
    assert meaning(79) == "Xid 79: GPU has fallen off the bus"
    assert meaning(9999) == "Xid 9999"


def test_without_events_all_classes_are_zero() -> None:
    """The GPU was listened to."""
    reading = Xids().reading(0.0)
    assert set(reading.values.values()) == {0.0}
    assert (reading.notes, reading.facts) == ((), {"gpu.xid_numbers": "none"})


@pytest.mark.parametrize(
    ("number", "name"),
    [(63, "memory"), (172, "memory"), (119, "lost"), (149, "link"), (31, "application")],
)
def test_an_xid_counts_in_its_class(number: int, name: str) -> None:
    """And among all."""
    xids = Xids()
    xids.add(0.0, number)
    values = xids.reading(1.0).values
    assert {key for key, count in values.items() if count} == {"gpu.xid", f"gpu.xid_{name}"}


def test_an_xid_of_no_class_counts_among_all() -> None:
    """With its number as a fact."""
    xids = Xids()
    for number in (154, 31, 154):
        xids.add(0.0, number)
    reading = xids.reading(1.0)
    assert (reading.values["gpu.xid"], reading.values["gpu.xid_application"]) == (3.0, 1.0)
    assert reading.facts["gpu.xid_numbers"] == "31, 154"


def test_an_xid_is_forgotten_after_an_hour() -> None:
    """The same hour as that of a DCGM page."""
    xids = Xids()
    xids.add(0.0, 79)
    assert xids.reading(3599.0).values["gpu.xid"] == 1.0
    assert xids.reading(3600.0).values["gpu.xid"] == 0.0


@needs_compiler
def test_an_event_of_the_driver_is_counted_for_its_gpu(tmp_path: Path) -> None:
    """Also of a GPU that is lost, which often comes with it."""
    nvml = FakeNvml(tmp_path, "count 2")
    with helper_of(nvml) as helper:
        helper.until(lambda a: len(a["gpus"]) == 2)
        nvml.say("xid 1 1 79", "xid 2 1 48", "error 1 all 15")
        answer = helper.until(lambda a: gpu(a, 1)["values"].get("gpu.xid") == 2)
    values = gpu(answer, 1)["values"]
    assert (values["gpu.xid_lost"], values["gpu.xid_memory"], values["gpu.up"]) == (1, 1, 0)
    assert gpu(answer, 1)["facts"]["gpu.xid_numbers"] == "48, 79"
    assert "GPU 1: Xid 79: GPU has fallen off the bus" in notes(answer)
    assert gpu(answer, 0)["values"]["gpu.xid"] == 0


@needs_compiler
@pytest.mark.parametrize(("code", "reason"), [(3, "unsupported"), (4, "no-permission")])
def test_events_that_cannot_be_had_are_missing(code: int, reason: str, tmp_path: Path) -> None:
    """Never zero."""
    with helper_of(FakeNvml(tmp_path, "count 1", f"error 0 nvmlDeviceRegisterEvents {code}")) as helper:
        answer = helper.until(lambda a: a["gpus"])
    assert gpu(answer, 0)["missing"]["gpu.xid_lost"] == reason
    assert "gpu.xid" not in gpu(answer, 0)["values"]


@needs_compiler
def test_a_driver_without_events_has_none(tmp_path: Path) -> None:
    """As in some virtual machines."""
    with helper_of(FakeNvml(tmp_path, "count 2", "error * nvmlEventSetCreate 3")) as helper:
        answer = helper.until(lambda a: len(a["gpus"]) == 2)
    assert [gpu(answer, i)["missing"]["gpu.xid"] for i in (0, 1)] == ["unsupported", "unsupported"]


def test_a_zero_is_only_said_where_events_are_heard_of() -> None:
    """What was heard before still counts."""
    xids = Xids()
    xids.add(0.0, 48)
    reading = xids.reading(1.0, heard=False)
    assert reading.values == {"gpu.xid": 1.0, "gpu.xid_memory": 1.0}
    assert set(reading.missing) == {"gpu.xid_lost", "gpu.xid_link", "gpu.xid_application"}


class Events:
    """The driver's events: a wait returns what it is given, when it is given it."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.given: SimpleQueue[pynvml.c_nvmlEventData_t] = SimpleQueue()
        self.waits = Semaphore(0)
        monkeypatch.setattr(pynvml, "nvmlEventSetCreate", lambda: 1)
        monkeypatch.setattr(pynvml, "nvmlDeviceRegisterEvents", lambda _handle, _types, _set: None)
        monkeypatch.setattr(pynvml, "nvmlEventSetWait_v2", self._wait)

    def _wait(self, _set: object, _ms: int) -> pynvml.c_nvmlEventData_t:
        self.waits.release()
        return self.given.get()

    def give(self, handle: ctypes.c_void_p, number: int) -> None:
        """An Xid; returns when it was taken."""
        event = pynvml.c_nvmlEventData_t()
        event.device = ctypes.cast(handle, pynvml.c_nvmlDevice_t)
        event.eventType, event.eventData = pynvml.nvmlEventTypeXidCriticalError, number
        self.given.put(event)
        assert self.waits.acquire(timeout=20.0)


def test_a_wait_for_events_that_hangs_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """Until it returns."""
    events, clock, handle = Events(monkeypatch), ManualClock(100.0), ctypes.c_void_p(64)
    watch = XidWatch(clock)
    assert watch.deafness(200.0) == ""
    watch.register(handle)
    assert events.waits.acquire(timeout=20.0)
    assert watch.deafness(102.0) == ""
    assert watch.deafness(109.0) == "nvmlEventSetWait has not returned for 9 s"
    clock.sleep(9.0)
    events.give(handle, 79)
    assert watch.deafness(109.0) == ""


def test_events_follow_a_gpu_to_another_handle(monkeypatch: pytest.MonkeyPatch) -> None:
    """The driver may give the old one to another GPU when it counts them anew."""
    events, old, new = Events(monkeypatch), ctypes.c_void_p(64), ctypes.c_void_p(128)
    watch = XidWatch(ManualClock(100.0))
    first = watch.register(old)
    assert events.waits.acquire(timeout=20.0)
    second = watch.register(new)
    assert watch.register(old, second) is second
    events.give(old, 48)
    assert (second.reading(100.0).values["gpu.xid"], first.reading(100.0).values["gpu.xid"]) == (1.0, 0.0)


@needs_compiler
def test_a_wait_for_events_that_fails_is_told(tmp_path: Path) -> None:
    """And no GPU has a zero meanwhile."""
    with helper_of(FakeNvml(tmp_path, "count 1", "error * nvmlEventSetWait_v2 999")) as helper:
        answer = helper.until(lambda a: "Xids are not heard of" in notes(a))
    assert "NVML: nvmlEventSetWait failed: unknown error inside the driver (NVML code 999)" in notes(answer)
    assert gpu(answer, 0)["missing"]["gpu.xid"] == "source-down"
    assert "gpu.xid" not in gpu(answer, 0)["values"]
