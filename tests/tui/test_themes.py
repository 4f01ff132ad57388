"""Tests of the themes: every style has a look in each, and none needs a colour to be told from the rest."""

from __future__ import annotations

import pytest
from rich.style import Style

from perfconsole.tui.themes import THEMES, style
from perfconsole.view.canvas import STYLES


@pytest.mark.parametrize("theme", THEMES)
def test_every_style_of_a_page_has_a_look(theme: str) -> None:
    """No page may fail for lack of one."""
    assert set(THEMES[theme]) == set(STYLES)
    assert all(isinstance(style(theme, name), Style) for name in STYLES)


@pytest.mark.parametrize("name", STYLES)
def test_mono_has_no_colour(name: str) -> None:
    """Attributes alone."""
    looks = style("mono", name)
    assert (looks.color, looks.bgcolor) == (None, None)


def test_later_styles_lie_on_top() -> None:
    """And keep what they do not change."""
    both = style("terminal", "critical+select")
    assert (both.bold, both.reverse) == (True, True)
    assert both.color == style("terminal", "critical").color


@pytest.mark.parametrize("theme", THEMES)
def test_a_text_without_style_has_none(theme: str) -> None:
    """The terminal's own."""
    assert style(theme, "") == Style.null()


@pytest.mark.parametrize("theme", THEMES)
def test_the_cursor_and_trouble_are_seen(theme: str) -> None:
    """They look like nothing else that matters."""
    looks = [style(theme, name) for name in ("critical", "warn", "value", "select")]
    assert len(set(looks)) == 4


def test_colour_blind_people_need_no_red_against_green() -> None:
    """Orange and blue are told apart by all common kinds."""
    used = " ".join(THEMES["colour-blind"].values())
    assert "red" not in used
    assert "green" not in used
