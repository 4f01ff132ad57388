"""Tests of text in the characters that a terminal has."""

from __future__ import annotations

from perfconsole.view.canvas import Span, plain_text, width
from perfconsole.view.glyphs import ASCII, UNICODE
from perfconsole.view.spelling import fitted, spelled


def test_a_utf8_terminal_gets_the_text_as_it_is() -> None:
    """Nothing is rewritten."""
    assert spelled("62 °C größe", UNICODE) == "62 °C größe"


def test_an_ascii_terminal_gets_no_degree_sign() -> None:
    """The letter of the unit is enough."""
    assert spelled("62 °C", ASCII) == "62 C"


def test_other_characters_are_written_as_escapes() -> None:
    """They stay recognisable and take known columns."""
    assert spelled("größe", ASCII) == "gr\\xf6\\xdfe"


def test_a_row_is_cut_after_it_was_spelled() -> None:
    """Escapes are longer than what they stand for."""
    row = fitted([Span("ööö")], 8, ASCII)
    assert (width(row), plain_text([row])) == (8, "\\xf6\\x..")
