"""What one question to the driver gave: values, reasons for what is missing, words.

Must never hold anything of ctypes: a reading outlives the call.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from perfconsole.model.sample import Missing

if TYPE_CHECKING:
    from collections.abc import Mapping

WEIGHT = (Missing.SOURCE_DOWN, Missing.WARMING_UP, Missing.NO_PERMISSION, Missing.NEVER, Missing.UNSUPPORTED)
"""Of several reasons for one value the first of these counts: what may end comes before what stays."""


@dataclass(frozen=True, slots=True)
class Process:
    """A compute process on a GPU, as NVML numbers it: by the PID namespace of the host."""

    pid: int
    memory: int | None
    """Bytes of the GPU's memory; None where NVML does not say."""


@dataclass(frozen=True, slots=True)
class Reading:
    """Answer to one question about one GPU; the names are those of the dictionary."""

    values: Mapping[str, float] = field(default_factory=dict)
    missing: Mapping[str, Missing] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    facts: Mapping[str, str] = field(default_factory=dict)
    processes: tuple[Process, ...] | None = None
    peers: Mapping[int, tuple[int, int]] = field(default_factory=dict)
    """Other GPU -> status of peer reads and of NVLink between the two, as NVML numbers it (0 is fine)."""


def weightier(one: Missing | None, other: Missing) -> Missing:
    """The reason that says more."""
    return other if one is None else min(one, other, key=WEIGHT.index)
