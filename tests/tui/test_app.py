"""Tests of the application: keys lead to pages, the cursor follows its finding, and no text is ever a command."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from perfconsole.model.entity import Entity, Kind
from perfconsole.model.finding import FindingCheck
from perfconsole.tui.app import PACES_S
from perfconsole.tui.themes import THEMES
from perfconsole.view.picture import LAYERS
from perfconsole.view.units import shown
from tests.tui.screens import Screen, play, press
from tests.view.pictures import ENGINE, finding, indicator, snapshot, source

if TYPE_CHECKING:
    from textual.pilot import Pilot

    from perfconsole.model.snapshot import Snapshot

CHECK = FindingCheck("run", "ps -p 4312", ("ps", "-p", "4312"), "see: gone", "see: there", None)


def troubled(*rules: str) -> Snapshot:
    """An engine with these findings, in order."""
    findings = tuple(finding(rule, checks=(CHECK,)) for rule in rules)
    values = (indicator("engine.requests_running", 4.0), indicator("engine.requests_waiting", 24.0))
    return snapshot(findings=findings, indicators=values, sources=(source(),))


def chosen(screen: Screen) -> object:
    """What the cursor stands on."""
    return screen.app.screen.cursor.target  # type: ignore[attr-defined]  # of a page


def test_the_main_page_shows_the_first_finding_and_the_four_layers() -> None:
    """Nothing has to be pressed."""
    page = press(first=troubled("admission-cap")).shown
    assert "Title of admission-cap" in page
    assert all(word in page for word in ("GATEWAY", "ORCHESTRATION", "ENGINE", "HARDWARE"))


@pytest.mark.parametrize(("key", "layer"), list(enumerate(LAYERS, 1)))
def test_a_digit_opens_its_layer(key: int, layer: str) -> None:
    """The name of the layer is the title of the page."""
    assert press(str(key), first=troubled("a")).shown.split("\n")[1].startswith(layer.upper())


def test_another_digit_changes_the_layer_and_escape_goes_back_to_the_main_page() -> None:
    """Layers do not pile up."""
    assert "FINDINGS" in press("3", "4", "1", "escape", first=troubled("a")).shown


def test_enter_opens_the_finding_under_the_cursor() -> None:
    """The second one after one step down."""
    page = press("down", "enter", first=troubled("first", "second")).shown
    assert "Title of second" in page
    assert "Title of first" not in page


def test_the_cursor_stays_on_its_finding_when_the_order_changes() -> None:
    """A finding that climbs takes the cursor along."""
    screen = Screen(troubled("first", "second"))

    async def script(pilot: Pilot[None]) -> None:
        await pilot.press("down")
        screen.feed.put(troubled("second", "first"))
        await pilot.pause()
        await pilot.pause()
        assert chosen(screen) == ("finding", "second", str(ENGINE))

    play(screen, script)


def test_a_finding_that_went_away_while_its_page_is_open_says_so() -> None:
    """The page does not go blank under the reader."""
    screen = Screen(troubled("first"))

    async def script(pilot: Pilot[None]) -> None:
        await pilot.press("enter")
        screen.feed.put(snapshot())
        await pilot.pause()
        await pilot.pause()
        assert "no longer true" in screen.text

    play(screen, script)


def test_enter_on_a_finding_page_copies_the_first_check() -> None:
    """The header says what was copied."""
    assert "terminal: ps -p 4312" in press("enter", "enter", first=troubled("first")).shown


def test_a_filter_is_typed_in_place() -> None:
    """Letters are text while it is typed, and commands no more."""
    page = press("slash", "s", "e", "c", "q", "backspace", first=troubled("first", "second")).shown
    assert "Title of second" in page
    assert "Title of first" not in page
    assert "sec_" in page


def test_escape_clears_a_filter_before_it_goes_back() -> None:
    """Both findings are there again."""
    page = press("slash", "s", "e", "c", "enter", "escape", first=troubled("first", "second")).shown
    assert "Title of first" in page


def test_a_paused_screen_stands_still_and_says_so() -> None:
    """What comes meanwhile is shown when it goes on."""
    screen = Screen(troubled("first"))

    async def script(pilot: Pilot[None]) -> None:
        await pilot.press("space")
        screen.feed.put(troubled("second"))
        await pilot.pause()
        await pilot.pause()
        assert "PAUSED" in screen.text
        assert "Title of first" in screen.text
        await pilot.press("space")
        await pilot.pause()
        assert "Title of second" in screen.text

    play(screen, script)


def test_plus_and_minus_set_the_pace() -> None:
    """Within the paces that there are."""
    screen = press("plus", "plus", "minus", *["plus"] * 5)
    assert screen.feed.monitor.paces[:3] == [PACES_S[1], PACES_S[2], PACES_S[1]]
    assert screen.feed.monitor.paces[-1] == PACES_S[-1]


@pytest.mark.parametrize("key", ["q", "ctrl+c"])
def test_these_keys_leave(key: str) -> None:
    """From the main page and from any other."""
    assert press(key).left
    assert press("3", key).left
    assert press("question_mark", key).left


def test_help_opens_once_and_escape_closes_it() -> None:
    """Asking twice does not need leaving twice."""
    assert "KEYS" in press("question_mark").shown
    assert "FINDINGS" in press("question_mark", "question_mark", "escape").shown


def test_what_cannot_be_seen_has_a_page() -> None:
    """Under its key, and as the last of the findings."""
    assert "CANNOT SEE" in press("u").shown


@pytest.mark.parametrize("size", [(80, 24), (60, 16), (250, 70), (20, 5), (1, 1)])
def test_every_size_is_drawn(size: tuple[int, int]) -> None:
    """On every page, without a fault, each row as wide as the screen."""
    for keys in ((), ("3",), ("enter",), ("question_mark",), ("u",)):
        rows = press(*keys, first=troubled("first"), size=size).shown.split("\n")
        assert len(rows) >= min(size[1], 3)
        assert all(len(row) <= size[0] for row in rows)


def test_a_resize_draws_again() -> None:
    """The page follows the terminal."""
    screen = Screen(troubled("first"))

    async def script(pilot: Pilot[None]) -> None:
        await pilot.resize_terminal(80, 24)
        await pilot.pause()
        await pilot.pause()
        assert len(screen.rows) == 24

    play(screen, script)


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


@pytest.mark.parametrize("theme", THEMES)
def test_a_theme_changes_no_text(theme: str) -> None:
    """Colours carry nothing that words do not."""
    screen = Screen(troubled("first"))

    async def script(pilot: Pilot[None]) -> None:
        before = screen.text
        screen.app.action_palette(theme)
        await pilot.pause()
        assert screen.text == before

    play(screen, script)


def test_a_key_of_the_footer_can_be_pressed_with_the_mouse() -> None:
    """The word `help` in the last row opens the help."""
    screen = Screen(troubled("first"))

    async def script(pilot: Pilot[None]) -> None:
        x = screen.rows[-1].index("? help")
        await pilot.click(offset=(x, len(screen.rows) - 1))
        await pilot.pause()
        await pilot.pause()
        assert "KEYS" in screen.text

    play(screen, script)


def test_a_press_on_a_finding_chooses_it_and_a_second_one_opens_it() -> None:
    """One press must not throw a reader off the page."""
    screen = Screen(troubled("first", "second"))

    async def script(pilot: Pilot[None]) -> None:
        y = next(i for i, row in enumerate(screen.rows) if "Title of second" in row)
        x = screen.rows[y].index("Title of second")
        await pilot.click(offset=(x, y))
        await pilot.pause()
        assert chosen(screen) == ("finding", "second", str(ENGINE))
        await pilot.pause(0.6)  # or Textual takes the two presses for one double press
        y = next(i for i, row in enumerate(screen.rows) if "Title of second" in row)
        await pilot.click(offset=(x, y))
        await pilot.pause()
        await pilot.pause()
        assert "Title of first" not in screen.text

    play(screen, script)


def test_a_monitor_that_failed_is_said_on_the_screen() -> None:
    """It does not just stand still."""
    screen = Screen(troubled("first"))

    async def script(pilot: Pilot[None]) -> None:
        screen.feed.fault = "fault in perfconsole, please report it: ZeroDivisionError"
        screen.feed.put(replace(troubled("first"), seq=2))
        await pilot.pause()
        await pilot.pause()
        assert "ZeroDivisionError" in screen.text

    play(screen, script)


def test_the_palette_of_commands_offers_the_pages_and_themes() -> None:
    """Whoever forgot a key finds it there."""
    commands = Screen().app.get_system_commands(None)  # type: ignore[arg-type]  # the page does not matter
    titles = {command.title for command in commands}
    assert {"Layer: engine", "Help", "Quit", "Theme: high-contrast"} <= titles
