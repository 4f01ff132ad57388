"""What a measurement depends on and no indicator says: kernel, processor, memory, driver, limits of containers.

Read once, when a result is written. What cannot be read is left out.
"""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from perfconsole.model.sample import Missing
from perfconsole.sources.linux import procfs
from perfconsole.sources.linux.cgroup import read_group, read_memory_limit

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

_KIB, _GIB = 1024, 1 << 30


def read_machine(root: Path, pids: Mapping[str, int]) -> dict[str, str]:
    """Names and values in words: `host.kernel`, `host.memory` ..., and the limits of each process by its prefix.

    `pids` are process numbers by prefix: `{"client": 4312}` gives `client.cpu_limit` and `client.memory_limit`.
    """
    base = procfs.base(root)
    limits = (row for prefix, pid in pids.items() for row in _limits(base, prefix, pid))
    return {name: value for name, value in (*_host(base), *limits) if value}


def _host(base: str) -> Iterator[tuple[str, str]]:
    yield "host.name", os.uname().nodename
    yield "host.kernel", _file(f"{base}/proc/sys/kernel/osrelease")
    yield "host.processor", _match(f"{base}/proc/cpuinfo", r"^model name\s*:\s*(.+)$")
    yield "host.cpus", str(_count(f"{base}/proc/cpuinfo", r"^processor\s*:") or "")
    total = _match(f"{base}/proc/meminfo", r"^MemTotal:\s*(\d+) kB$")
    yield "host.memory", memory(float(total) * _KIB) if total else ""
    yield "gpu.driver", _match(f"{base}/proc/driver/nvidia/version", r"Kernel Module.*?\s(\d+\.\d[\d.]*)\s")


def _limits(base: str, prefix: str, pid: int) -> Iterator[tuple[str, str]]:
    group, most = read_group(base, pid), read_memory_limit(base, pid)
    quota = group if isinstance(group, Missing) else group.quota
    yield f"{prefix}.cpu_limit", "" if isinstance(quota, Missing) else f"{quota:g} cores"
    yield f"{prefix}.memory_limit", "" if isinstance(most, Missing) else memory(most)


def memory(size: float) -> str:
    """`15.6 GiB`."""
    return f"{size / _GIB:.1f} GiB"


def _file(path: str) -> str:
    text = procfs.read_text(path)
    return "" if isinstance(text, Missing) else text.strip()


def _match(path: str, pattern: str) -> str:
    found = re.search(pattern, _file(path), re.MULTILINE)
    return found[1].strip() if found else ""


def _count(path: str, pattern: str) -> int:
    return len(re.findall(pattern, _file(path), re.MULTILINE))
