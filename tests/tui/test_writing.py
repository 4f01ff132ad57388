"""Tests of the key that writes this moment."""

from __future__ import annotations

from typing import TYPE_CHECKING

import yaml

from tests.tui.screens import Screen, play, troubled

if TYPE_CHECKING:
    from pathlib import Path

    import pytest
    from textual.pilot import Pilot


def _pressed() -> Screen:
    screen = Screen(troubled("first"))

    async def script(pilot: Pilot[None]) -> None:
        await pilot.press("w")
        for _ in range(100):
            await pilot.pause(0.05)
            if "writing this moment" not in screen.text:
                break
        screen.shown = screen.text

    play(screen, script, size=(160, 40))
    return screen


def test_w_writes_what_is_on_the_screen_and_says_where(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Into the current directory."""
    monkeypatch.chdir(tmp_path)
    screen = _pressed()
    (path,) = tmp_path.glob("perfconsole-*.yaml")
    assert yaml.safe_load(path.read_text(encoding="utf-8"))["title"] == "Title of first (first)"
    assert "written: " in screen.shown


def test_where_nothing_can_be_written_that_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In one line, with the reason; the screen goes on."""
    gone, state = tmp_path / "gone", tmp_path / "state"
    gone.mkdir()
    state.write_text("no folder", encoding="utf-8")
    monkeypatch.chdir(gone)
    monkeypatch.setenv("XDG_STATE_HOME", str(state))
    gone.rmdir()
    assert "could not be written" in _pressed().shown
