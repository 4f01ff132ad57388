"""IOMMU translation."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from perfconsole.model.sample import Missing
from perfconsole.sources.linux.iommu import read_iommu
from tests.sources.fakeroot import FakeRoot

if TYPE_CHECKING:
    from pathlib import Path


def _with_unit(folder: Path) -> FakeRoot:
    root = FakeRoot(folder)
    root.folder("sys/class/iommu/dmar0")
    return root


def test_no_unit_is_off(tmp_path: Path) -> None:
    """An empty class folder: the kernel knows of none."""
    root = FakeRoot(tmp_path)
    root.folder("sys/class/iommu")
    assert read_iommu(root.base) == 0.0


@pytest.mark.parametrize(("kinds", "on"), [(("DMA", "DMA-FQ"), 1.0), (("identity", "identity", "DMA"), 0.0)])
def test_most_groups_decide(tmp_path: Path, kinds: tuple[str, ...], on: float) -> None:
    """One device that is not trusted keeps translation on a host in passthrough."""
    root = _with_unit(tmp_path)
    for number, kind in enumerate(kinds):
        root.put(f"sys/kernel/iommu_groups/{number}/type", f"{kind}\n")
    assert read_iommu(root.base) == on


@pytest.mark.parametrize(("words", "on"), [("quiet iommu=pt", 0.0), ("quiet", 1.0)])
def test_the_command_line_decides_without_group_types(tmp_path: Path, words: str, on: float) -> None:
    """Kernels before 5.11 do not tell the type of a group."""
    root = _with_unit(tmp_path)
    root.put("proc/cmdline", f"{words}\n")
    assert read_iommu(root.base) == on


def test_without_sys_it_is_unsupported(tmp_path: Path) -> None:
    """A container without /sys cannot tell."""
    assert read_iommu(str(tmp_path)) is Missing.UNSUPPORTED
