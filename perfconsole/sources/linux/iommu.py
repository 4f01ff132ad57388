"""Whether the IOMMU translates device addresses. Never says yes for passthrough."""

from __future__ import annotations

from perfconsole.model.sample import Missing
from perfconsole.sources.linux import procfs

_ASKED = 64
"""Groups read: a large host has hundreds, and they are set alike but for a few."""


def translates(kinds: list[str]) -> bool:
    """Whether most of the groups' domain types (`DMA`, `DMA-FQ`, `identity`, `blocked`) translate."""
    return sum(kind.startswith("DMA") for kind in kinds) * 2 > len(kinds)


def passthrough(command_line: str) -> bool:
    """Whether the kernel's command line asks for passthrough or for no IOMMU."""
    off = {"iommu=pt", "iommu=off", "intel_iommu=off", "amd_iommu=off", "iommu.passthrough=1"}
    return not off.isdisjoint(command_line.split())


def read_iommu(base: str) -> float | Missing:
    """1 on with translation, 0 off or passthrough; UNSUPPORTED where /sys does not tell."""
    units = procfs.list_names(f"{base}/sys/class/iommu")
    if isinstance(units, Missing):
        return units
    if not units:
        return 0.0
    groups = procfs.list_names(f"{base}/sys/kernel/iommu_groups")
    names = [] if isinstance(groups, Missing) else sorted(groups)[:_ASKED]
    kinds = [procfs.read_text(f"{base}/sys/kernel/iommu_groups/{name}/type") for name in names]
    known = [kind.strip() for kind in kinds if not isinstance(kind, Missing)]
    if known:
        return float(translates(known))
    command_line = procfs.read_text(f"{base}/proc/cmdline")
    return command_line if isinstance(command_line, Missing) else float(not passthrough(command_line))
