"""Clock, governor and thermal throttling of the CPU cores. Never asks more than a few cores for their clock."""

from __future__ import annotations

import re

from perfconsole.model.sample import Missing
from perfconsole.sources.linux import procfs
from perfconsole.sources.linux.refreshed import Refreshed
from perfconsole.sources.linux.values import Values, ratio, total

BUSY = 0.8
"""Share from which a core counts as busy: the clock of an idle core is low on purpose."""
_ASKED = 8
"""Cores asked for their clock in one poll; on some kernels each question interrupts that core."""
_FACT_S = 60.0
_THROTTLE_S = 15.0
_CORE = re.compile(r"cpu\d+")


class FrequencyReader:
    """Reads cpufreq and thermal_throttle below /sys/devices/system/cpu."""

    def __init__(self, base: str) -> None:
        self._cpus = f"{base}/sys/devices/system/cpu"
        self._governor = Refreshed(_FACT_S, self._read_governor)
        self._throttle = Refreshed(_THROTTLE_S, self._read_throttle)

    def read(self, now: float, loads: dict[str, float] | Missing) -> Values:
        """Governor 0/1, throttle events, and the mean clock ratio of the cores that `loads` calls busy."""
        return {
            "host.performance_governor": self._governor.get(now),
            "host.cpu_throttle": self._throttle.get(now),
            "host.cpu_freq_ratio": self._clock(loads),
        }

    def _clock(self, loads: dict[str, float] | Missing) -> float | Missing:
        if isinstance(loads, Missing):
            return loads
        busy = sorted((core for core in loads if loads[core] > BUSY), key=loads.__getitem__, reverse=True)[:_ASKED]
        if not busy:
            return Missing.NEVER
        ratios = [self._clock_of(core) for core in busy]
        known = [value for value in ratios if not isinstance(value, Missing)]
        return sum(known) / len(known) if known else ratios[0]

    def _clock_of(self, core: str) -> float | Missing:
        now = self._number(core, "cpufreq/scaling_cur_freq")
        return ratio(now, self._number(core, "cpufreq/cpuinfo_max_freq"))

    def _read_governor(self) -> float | Missing:
        texts = [procfs.read_text(f"{self._cpus}/{core}/cpufreq/scaling_governor") for core in self._cores()]
        names = [text.strip() for text in texts if not isinstance(text, Missing)]
        return float(all(name == "performance" for name in names)) if names else Missing.UNSUPPORTED

    def _read_throttle(self) -> float | Missing:
        counts = [self._number(core, "thermal_throttle/core_throttle_count") for core in self._cores()]
        return total(counts, Missing.UNSUPPORTED)

    def _number(self, core: str, name: str) -> float | Missing:
        return procfs.number(procfs.read_text(f"{self._cpus}/{core}/{name}"))

    def _cores(self) -> list[str]:
        names = procfs.list_names(self._cpus)
        return [] if isinstance(names, Missing) else sorted(name for name in names if _CORE.fullmatch(name))
