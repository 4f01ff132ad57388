"""A simulated GPU: heat from work, cooling from air flow, and clocks that fall when it gets too hot.

Heat moves about ten times as fast as in a real card, so that an incident fits into a minute.
"""

from __future__ import annotations

from collections import deque

IDLE_W = 90.0
WORK_W = 520.0
LIMIT_W = 700.0
AMBIENT_C = 30.0
SLOWDOWN_C = 87.0
_COOL_AGAIN_C = 84.0
_CELSIUS_PER_W = 0.085
_TAU_S = 4.0
_SLOWEST = 0.45
_CLOCK_PER_S = 0.12
_STEP_S = 0.25
_SHARE_WINDOW_S = 60.0
MAX_CLOCK_HZ = 1.98e9
MEMORY_BYTES = 80 * 2.0**30


class GpuModel:
    """One card; `advance` with times that never fall is the only way in."""

    def __init__(self, start: float) -> None:
        self.temperature = 58.0
        self.clock_ratio = 1.0
        self.power = IDLE_W
        self.load = 0.0
        self._t = start
        self._start = start
        self._slowed: deque[float] = deque()
        """Ends of the steps in which heat held the clocks down, of the last minute."""

    def advance(self, now: float, load: float, air_flow: float) -> None:
        """Work at `load` (0 to 1) with `air_flow` (1 is all that the fans give) until now."""
        self.load = load
        while self._t + _STEP_S <= now:
            self._t += _STEP_S
            self._step(load, air_flow)

    def _step(self, load: float, air_flow: float) -> None:
        self.power = IDLE_W + WORK_W * load * self.clock_ratio**2
        rest = AMBIENT_C + self.power * _CELSIUS_PER_W / air_flow
        self.temperature += (rest - self.temperature) * _STEP_S / _TAU_S
        if self.temperature >= SLOWDOWN_C:
            self.clock_ratio = max(_SLOWEST, self.clock_ratio - _CLOCK_PER_S * _STEP_S)
        elif self.temperature < _COOL_AGAIN_C:
            self.clock_ratio = min(1.0, self.clock_ratio + _CLOCK_PER_S * _STEP_S)
        if self.clock_ratio < 1.0:
            self._slowed.append(self._t)
        while self._slowed and self._slowed[0] <= self._t - _SHARE_WINDOW_S:
            self._slowed.popleft()

    @property
    def thermal_share(self) -> float:
        """Share of the last minute, or of what there is of it, in which heat held the clocks down."""
        window = min(_SHARE_WINDOW_S, max(_STEP_S, self._t - self._start))
        return min(1.0, len(self._slowed) * _STEP_S / window)

    def values(self) -> dict[str, float]:
        """Canonical indicators, in base units."""
        return {
            "gpu.up": 1,
            "gpu.utilization": round(min(1.0, self.load * 1.4), 2),
            "gpu.mem_used": 0.92 * MEMORY_BYTES,
            "gpu.mem_total": MEMORY_BYTES,
            "gpu.power": round(self.power, 1),
            "gpu.power_limit": LIMIT_W,
            "gpu.temperature": round(self.temperature),
            "gpu.temp_margin": round(SLOWDOWN_C + 5 - self.temperature),
            "gpu.sm_clock": round(MAX_CLOCK_HZ * self.clock_ratio / 1e6) * 1e6,
            "gpu.clock_ratio": round(self.clock_ratio, 3),
            "gpu.throttle_thermal_sw": round(self.thermal_share, 3),
            **dict.fromkeys(_NEVER_HERE, 0.0),
        }


_NEVER_HERE = (
    *("gpu.throttle_thermal_hw", "gpu.throttle_slowdown", "gpu.throttle_power_brake", "gpu.throttle_power_cap"),
    *("gpu.throttle_app_clocks", "gpu.ecc_uncorrected", "gpu.remap_pending", "gpu.remap_failed", "gpu.mig"),
)
