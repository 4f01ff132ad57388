"""Plain files of a bounded size, and nothing else."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from perfconsole.plainfile import read_plain

if TYPE_CHECKING:
    from pathlib import Path


def test_a_plain_file_is_read_whole(tmp_path: Path) -> None:
    """Up to the bound."""
    (tmp_path / "f").write_bytes(b"x" * 10)
    assert read_plain(tmp_path / "f", 10) == b"x" * 10


def test_a_pipe_blocks_nobody(tmp_path: Path) -> None:
    """It is refused at once."""
    os.mkfifo(tmp_path / "f")
    with pytest.raises(ValueError, match="no plain file"):
        read_plain(tmp_path / "f", 10)


def test_a_folder_is_refused_and_leaves_no_descriptor_open(tmp_path: Path) -> None:
    """In words, and not by the number that it was opened under."""
    before = len(os.listdir("/proc/self/fd"))  # noqa: PTH208 - a count
    with pytest.raises(ValueError, match="no plain file"):
        read_plain(tmp_path, 10)
    assert len(os.listdir("/proc/self/fd")) == before  # noqa: PTH208 - as above


def test_what_is_too_large_is_refused(tmp_path: Path) -> None:
    """Before it fills the memory."""
    (tmp_path / "f").write_bytes(b"x" * (2 << 20))
    with pytest.raises(ValueError, match="larger than 1 MiB"):
        read_plain(tmp_path / "f", 1 << 20)
