"""Reasons that hold the clocks of a GPU down: bits of the driver's mask, by the indicator of their share of time."""

from __future__ import annotations

THROTTLES: dict[str, int] = {
    "gpu.throttle_power_cap": 0x4,
    "gpu.throttle_thermal_sw": 0x20,
    "gpu.throttle_thermal_hw": 0x40,
    "gpu.throttle_slowdown": 0x8,
    "gpu.throttle_power_brake": 0x80,
    "gpu.throttle_app_clocks": 0x2,
}
