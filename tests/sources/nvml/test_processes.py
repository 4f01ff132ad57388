"""Tests of the processes on a GPU and their shares, through a stand-in for the driver."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.sources.nvml.fakenvml import needs_compiler, one_gpu

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = needs_compiler


def test_a_gpu_without_processes_counts_none(tmp_path: Path) -> None:
    """What they would take is not known, not zero."""
    entry = one_gpu(tmp_path)
    assert (entry["values"]["gpu.process_count"], entry["processes"]) == (0, [])
    assert {entry["missing"][f"gpu.{name}"] for name in ("process_memory", "process_utilization")} == {"never"}


def test_many_processes_are_all_listed(tmp_path: Path) -> None:
    """More than the list has room for at first; shares of those that are no compute processes do not count."""
    entry = one_gpu(tmp_path, *(f"process 0 {5000 + i} 100 1" for i in range(200)))
    assert entry["values"]["gpu.process_count"] == 200
    assert entry["values"]["gpu.foreign_utilization"] == pytest.approx(1.99)
    assert entry["processes"][199] == {"pid": 5199, "memory": 100}
