"""One question about one GPU as a row of a table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from perfconsole.sources.nvml.device import Device
    from perfconsole.sources.nvml.reading import Reading

FAST_S, STATE_S, SLOW_S = 0.0, 5.0, 60.0


@dataclass(frozen=True, slots=True)
class Question:
    """One row."""

    call: str
    """NVML function, which names the row in remarks and when it hangs."""
    ask: Callable[[Device, float], Reading]
    """Gives a reading or raises NVMLError."""
    fills: tuple[str, ...]
    every_s: float = FAST_S
    """0: in each round."""
