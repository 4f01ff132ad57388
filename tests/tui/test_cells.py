"""Tests of cells and SGR codes: a column each, and no colour that the terminal does not have."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.color import ColorSystem
from rich.segment import ControlType, Segment
from rich.style import Style

from perfconsole.tui.cells import Encoder
from perfconsole.tui.themes import THEMES, style
from perfconsole.view import canvas

COLOUR = re.compile(r"[34]\d|9\d|10[0-7]")


def _sgr(colors: ColorSystem | None, definition: str) -> str:
    return Encoder(colors).sgr(Style.parse(definition))


@pytest.mark.parametrize(
    ("colors", "definition", "sgr"),
    [
        (None, "bold red", "1"),
        (None, "red", ""),
        (ColorSystem.STANDARD, "bold red", "1;31"),
        (ColorSystem.STANDARD, "bold white on red", "1;37;41"),
        (ColorSystem.EIGHT_BIT, "color(208)", "38;5;208"),
        (ColorSystem.STANDARD, "reverse", "7"),
        (ColorSystem.STANDARD, "default on default", ""),
    ],
)
def test_a_style_becomes_its_sgr_parameters(colors: ColorSystem | None, definition: str, sgr: str) -> None:
    """As far as the terminal has them."""
    assert _sgr(colors, definition) == sgr


def test_sixteen_colours_are_enough_for_every_theme() -> None:
    """A palette of 256 is brought down."""
    codes = {Encoder(ColorSystem.STANDARD).sgr(style(theme, name)) for theme in THEMES for name in canvas.STYLES}
    assert not any("38" in code.split(";") or "48" in code.split(";") for code in codes)


@pytest.mark.parametrize("theme", THEMES)
def test_without_colours_no_theme_has_any(theme: str) -> None:
    """NO_COLOR holds whatever theme a person picks."""
    codes = [Encoder(None).sgr(style(theme, name)).split(";") for name in canvas.STYLES]
    assert [code for found in codes for code in found if COLOUR.fullmatch(code)] == []


def test_no_style_is_the_default() -> None:
    """Which a reset gives."""
    assert Encoder(ColorSystem.STANDARD).sgr(None) == ""


def test_a_wide_character_takes_two_cells() -> None:
    """The second is empty and of the same style."""
    segments = [Segment("a中", Style.parse("bold"))]
    assert list(Encoder(None).cells(segments)) == [("a", "1"), ("中", "1"), ("", "1")]


def test_control_segments_are_left_out() -> None:
    """Only the painter moves the cursor."""
    segments = [Segment("\x1b[H", None, [(ControlType.HOME,)]), Segment("x")]
    assert list(Encoder(None).cells(segments)) == [("x", "")]


@given(st.text(st.sampled_from("ab 中█…▸°é"), max_size=40))
def test_there_are_as_many_cells_as_the_page_counts_columns(text: str) -> None:
    """Or rows would shift against one another."""
    assert len(list(Encoder(None).cells([Segment(text)]))) == canvas.cells(text)
