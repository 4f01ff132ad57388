"""Pressure stall information of the kernel. Never reads 0 where the kernel was built or booted without it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from perfconsole.model.sample import Missing
from perfconsole.sources.linux import procfs

if TYPE_CHECKING:
    from perfconsole.sources.linux.values import Values

_LINES = (("host.psi_cpu", "cpu", "some"), ("host.psi_memory", "memory", "full"), ("host.psi_io", "io", "some"))
"""Indicator, file and line. Memory counts `full`: some tasks always wait a little when the page cache turns over."""


def parse_pressure(text: str, line: str) -> float | Missing:
    """Read the 10 s average of the line `some` or `full` as a ratio; UNSUPPORTED when there is no such line."""
    found = re.search(rf"^{line} avg10=([0-9.]+)", text, re.MULTILINE)
    percent = procfs.number(found[1]) if found else Missing.UNSUPPORTED
    return percent if isinstance(percent, Missing) else percent / 100


def read_pressure(base: str) -> Values:
    """Read the three pressures of this host, each a ratio or its reason."""
    values: Values = {}
    for indicator, name, line in _LINES:
        text = procfs.read_text(f"{base}/proc/pressure/{name}")
        values[indicator] = text if isinstance(text, Missing) else parse_pressure(text, line)
    return values
