"""What is kept of one GPU from poll to poll: its handle, its best link, its counters and windows.

Written by whichever worker asks; a question that hangs is not asked again meanwhile, so each part has one writer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from perfconsole.model.sample import Missing
from perfconsole.sources.nvml.gpm import Gpm
from perfconsole.sources.nvml.native import FieldCall, ProcessList, ProcessShares
from perfconsole.sources.nvml.nvlink import NvLink
from perfconsole.sources.nvml.windows import BitShares, CounterShare, Rate
from perfconsole.sources.throttles import THROTTLES

if TYPE_CHECKING:
    from perfconsole.sources.nvml.slot import Slot
    from perfconsole.sources.nvml.xid import Xids


class Device:
    """One GPU."""

    def __init__(self, index: int) -> None:
        self.index = index
        """Number it is shown by: NVML's when it was first seen."""
        self.uuid = ""
        self.name = ""
        self.handle: Any = None
        self.place = index
        """NVML's number now."""
        self.trouble: tuple[Slot, str] | None = None
        """The question that was last answered that it is lost or needs a reset, and which; None when it was answered
        well since. Others may still be answered from what the library remembers."""
        self.skipped = False
        """The rest of the round is not asked: the GPU is lost, and each call could take its time to say so."""
        self.round_t = 0.0
        """When the round began."""
        self.gone = ""
        """Why it cannot be asked at all, in words; empty for one that can."""
        self.vanished = False
        """That is because the driver does not count it any more."""
        self.forbidden = False
        """That is because this process has no permission."""
        self.max_sm_clock_hz: float | None = None
        self.no_max_clock = Missing.SOURCE_DOWN
        """Why the highest clock is not known, where it is not."""
        self.temperature: float | None = None
        self.slowdown: float | None = None
        self.gives_margin = False
        self.best_gen = 0.0
        self.best_width = 0.0
        self.gpm = Gpm()
        self.nvlink = NvLink()
        self.xids: Xids | None = None
        self.ways: dict[str, int] = {}
        """Of several calls for one thing, the number of the one that works here."""
        self.fields: FieldCall | None = None
        self.rates: dict[str, Rate] = {}
        self.bits = BitShares(tuple(THROTTLES.values()))
        self.counters: dict[str, CounterShare] = {}
        self.compute = ProcessList("nvmlDeviceGetComputeRunningProcesses")
        self.mps = ProcessList("nvmlDeviceGetMPSComputeRunningProcesses")
        self.pids: frozenset[int] | None = None
        self.shares = ProcessShares()

    def rate(self, name: str, t: float, total: float) -> float | None:
        """Growth of a counter since the reading before."""
        return self.rates.setdefault(name, Rate())(t, total)
