"""Tests of finding an MPS server among the processes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfconsole.sources.nvml.mps import is_server, server_runs

if TYPE_CHECKING:
    from pathlib import Path


def process(root: Path, pid: int, comm: str, cmdline: bytes) -> None:
    """One process below a root."""
    place = root / "proc" / str(pid)
    place.mkdir(parents=True)
    (place / "comm").write_text(comm + "\n", encoding="utf-8")
    (place / "cmdline").write_bytes(cmdline)


def test_a_server_is_found(tmp_path: Path) -> None:
    """By the program that it runs: the kernel cuts its name."""
    process(tmp_path, 7, "nvidia-cuda-mps", b"/usr/bin/nvidia-cuda-mps-server\0")
    assert is_server(7, tmp_path)
    assert server_runs(tmp_path)


def test_the_control_program_is_no_server(tmp_path: Path) -> None:
    """It waits for clients; its name is cut to the same letters."""
    process(tmp_path, 7, "nvidia-cuda-mps", b"nvidia-cuda-mps-control\0-d\0")
    assert not server_runs(tmp_path)


def test_other_processes_and_none_are_none(tmp_path: Path) -> None:
    """Nor is a root without processes a fault."""
    assert not server_runs(tmp_path)
    process(tmp_path, 7, "python3", b"nvidia-cuda-mps-server\0")
    assert not server_runs(tmp_path)
    assert not is_server(8, tmp_path)
