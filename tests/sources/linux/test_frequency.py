"""Clock, governor and throttling of the cores."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfconsole.model.sample import Missing
from perfconsole.sources.linux.frequency import FrequencyReader
from tests.sources.fakeroot import FakeRoot

if TYPE_CHECKING:
    from pathlib import Path

CPUS = "sys/devices/system/cpu"


def _root(folder: Path, *clocks: int, governor: str = "performance") -> FakeRoot:
    root = FakeRoot(folder)
    root.folder(f"{CPUS}/cpufreq")
    for core, clock in enumerate(clocks):
        root.put(f"{CPUS}/cpu{core}/cpufreq/scaling_cur_freq", f"{clock}\n")
        root.put(f"{CPUS}/cpu{core}/cpufreq/cpuinfo_max_freq", "4000000\n")
        root.put(f"{CPUS}/cpu{core}/cpufreq/scaling_governor", f"{governor}\n")
        root.put(f"{CPUS}/cpu{core}/thermal_throttle/core_throttle_count", "3\n")
    return root


def test_only_busy_cores_count(tmp_path: Path) -> None:
    """An idle core at its lowest clock is no throttling."""
    reader = FrequencyReader(_root(tmp_path, 2_000_000, 800_000).base)
    assert reader.read(0.0, {"cpu0": 0.9, "cpu1": 0.1})["host.cpu_freq_ratio"] == 0.5


def test_no_busy_core_is_never(tmp_path: Path) -> None:
    """There is no clock to judge."""
    reader = FrequencyReader(_root(tmp_path, 2_000_000).base)
    assert reader.read(0.0, {"cpu0": 0.8})["host.cpu_freq_ratio"] is Missing.NEVER


def test_unknown_loads_pass_their_reason(tmp_path: Path) -> None:
    """At the first poll nobody knows which cores are busy."""
    reader = FrequencyReader(_root(tmp_path, 2_000_000).base)
    assert reader.read(0.0, Missing.WARMING_UP)["host.cpu_freq_ratio"] is Missing.WARMING_UP


def test_governor_is_1_when_all_cores_have_it(tmp_path: Path) -> None:
    """One core in another mode makes it 0."""
    root = _root(tmp_path, 1, 1)
    assert FrequencyReader(root.base).read(0.0, {})["host.performance_governor"] == 1.0
    root.put(f"{CPUS}/cpu1/cpufreq/scaling_governor", "powersave\n")
    assert FrequencyReader(root.base).read(0.0, {})["host.performance_governor"] == 0.0


def test_throttle_events_are_summed_over_the_cores(tmp_path: Path) -> None:
    """The counter is a total of the host."""
    assert FrequencyReader(_root(tmp_path, 1, 1).base).read(0.0, {})["host.cpu_throttle"] == 6.0


def test_a_virtual_machine_without_cpufreq_is_unsupported(tmp_path: Path) -> None:
    """No clock files: no clock, no governor, no throttling."""
    values = FrequencyReader(str(tmp_path)).read(0.0, {"cpu0": 1.0})
    assert set(values.values()) == {Missing.UNSUPPORTED}
