"""Reading files that are there, gone or refused."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from perfconsole.model.sample import Missing
from perfconsole.sources.linux import procfs

if TYPE_CHECKING:
    from pathlib import Path


def test_a_file_is_read_whole(tmp_path: Path) -> None:
    """A file longer than one chunk comes back complete."""
    text = "x" * 200_000
    (tmp_path / "long").write_text(text)
    assert procfs.read_text(f"{tmp_path}/long") == text


def test_bytes_that_are_no_text_do_not_raise(tmp_path: Path) -> None:
    """A process may write any bytes into its title."""
    (tmp_path / "title").write_bytes(b"\xff\xfe")
    assert procfs.read_text(f"{tmp_path}/title") == "\ufffd\ufffd"


def test_a_missing_file_is_unsupported(tmp_path: Path) -> None:
    """What the kernel does not have is UNSUPPORTED."""
    assert procfs.read_text(f"{tmp_path}/none") is Missing.UNSUPPORTED


def test_a_folder_read_as_a_file_is_unsupported(tmp_path: Path) -> None:
    """An error at the read, after the open, is a reason too."""
    assert procfs.read_text(str(tmp_path)) is Missing.UNSUPPORTED


def test_a_refused_file_is_no_permission(monkeypatch: pytest.MonkeyPatch) -> None:
    """EACCES at the open is NO_PERMISSION."""
    monkeypatch.setattr(os, "open", _refuse)
    assert procfs.read_text("/proc/1/limits") is Missing.NO_PERMISSION


def test_a_refused_read_is_no_permission(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """EACCES at the read, as some files of other users give it, is NO_PERMISSION."""
    (tmp_path / "stat").write_text("1")
    monkeypatch.setattr(os, "read", _refuse)
    assert procfs.read_text(f"{tmp_path}/stat") is Missing.NO_PERMISSION


def test_a_refused_folder_is_no_permission(monkeypatch: pytest.MonkeyPatch) -> None:
    """The descriptors of another user's process cannot be listed."""
    monkeypatch.setattr(os, "listdir", _refuse)
    assert procfs.list_names("/proc/1/fd") is Missing.NO_PERMISSION


def test_a_missing_folder_is_unsupported(tmp_path: Path) -> None:
    """A folder that is not there is UNSUPPORTED."""
    assert procfs.list_names(f"{tmp_path}/none") is Missing.UNSUPPORTED


def test_a_link_that_is_gone_is_empty(tmp_path: Path) -> None:
    """A descriptor closed between listing and reading gives nothing."""
    assert procfs.read_link(f"{tmp_path}/none") == ""


@pytest.mark.parametrize("text", ["", "max", "nan", "inf", "1 2"])
def test_what_is_no_number_is_unsupported(text: str) -> None:
    """Only a finite number is one."""
    assert procfs.number(text) is Missing.UNSUPPORTED


def test_a_reason_passes_through_number() -> None:
    """The reason a file was not read stays the reason."""
    assert procfs.number(Missing.NO_PERMISSION) is Missing.NO_PERMISSION


def _refuse(*_: object) -> bytes:
    raise PermissionError
