"""Tests of the gpu layer: which faults are critical, and what is only worth knowing."""

from __future__ import annotations

import pytest

from perfconsole.model.dictionary.gpu import ENTRIES

BY_NAME = {entry.name: entry for entry in ENTRIES}


@pytest.mark.parametrize("name", ["xid_memory", "xid_lost", "xid_link", "ecc_uncorrected", "throttle_thermal_hw"])
def test_hardware_faults_are_critical(name: str) -> None:
    """One event of these classes is enough."""
    assert BY_NAME[f"gpu.{name}"].critical == "> 0"


@pytest.mark.parametrize("name", ["xid_application", "throttle_power_cap", "utilization", "clock_ratio", "xid"])
def test_ambiguous_figures_are_not_marked(name: str) -> None:
    """A figure that means trouble only beside another one has its mark in words."""
    entry = BY_NAME[f"gpu.{name}"]
    assert (entry.warn, entry.critical) == ("", "")
    assert entry.mark_note


def test_bandwidth_is_never_replaced_by_busy_time() -> None:
    """The definition of dram_active forbids the figure that looks like it."""
    assert "never replaced by mem_busy" in BY_NAME["gpu.dram_active"].definition
