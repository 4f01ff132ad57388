"""Tests of the main page as a screen."""

from __future__ import annotations

from perfconsole.model.entity import Entity, Kind
from perfconsole.view.units import shown
from tests.tui.screens import press, troubled
from tests.view.pictures import indicator, snapshot, source


def test_the_main_page_shows_the_first_finding_and_the_four_layers() -> None:
    """Nothing has to be pressed."""
    page = press(first=troubled("admission-cap")).shown
    assert "Title of admission-cap" in page
    assert all(word in page for word in ("GATEWAY", "ORCHESTRATION", "ENGINE", "HARDWARE"))


def test_text_of_a_target_is_shown_and_never_obeyed() -> None:
    """Escape codes and markup in a name stand there as text."""
    evil = Entity(Kind.ENGINE, "\x1b[31mred[/b][bold]x")
    values = (indicator("engine.up", 1.0, evil), indicator("engine.requests_running", 1.0, evil))
    page = press(first=snapshot(entities=(evil,), indicators=values, sources=(source(),))).shown
    assert "\x1b" not in page
    assert "[bold]x" in page


def test_a_number_on_the_page_is_that_of_the_snapshot() -> None:
    """Rounded for reading, from the same value that scripts get."""
    first = snapshot(indicators=(indicator("engine.requests_waiting", 24.0), indicator("engine.up", 1.0)))
    page = press(first=first).shown
    assert f"wait {shown(24.0, 'requests')}" in page
