"""Tests of Xids: counted by class for an hour, named in words, and waited for in a thread of their own."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from perfconsole.sources.nvml.xid import Xids, meaning
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
    """A window of events is an hour long."""
    xids = Xids()
    xids.add(0.0, 79)
    assert xids.reading(3600.0).values["gpu.xid"] == 1.0
    assert xids.reading(3601.0).values["gpu.xid"] == 0.0


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
