"""Tests of whether a driver is in sight."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from perfconsole.sources.nvml.sight import FOLDERS, LIBRARY, MARKS, driver_in_sight

if TYPE_CHECKING:
    from pathlib import Path


def test_an_empty_host_has_none(tmp_path: Path) -> None:
    """Nothing is guessed."""
    assert not driver_in_sight(tmp_path, {})


@pytest.mark.parametrize("mark", [*MARKS, *(f"{folder}/{LIBRARY}" for folder in FOLDERS)])
def test_any_trace_is_enough(mark: str, tmp_path: Path) -> None:
    """A device, the loaded module, or the library."""
    (tmp_path / mark).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / mark).touch()
    assert driver_in_sight(tmp_path, {})


def test_the_library_may_be_where_the_loader_is_told_to_look(tmp_path: Path) -> None:
    """As in containers that bring it along."""
    (tmp_path / LIBRARY).touch()
    assert driver_in_sight(tmp_path / "root", {"LD_LIBRARY_PATH": f":/nowhere:{tmp_path}"})
