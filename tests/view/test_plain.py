"""Tests of making text from targets harmless."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perfconsole.view.plain import plain


@given(st.text(st.characters(categories=["C", "Z", "L", "M", "S"])))
@settings(max_examples=100)
def test_nothing_that_a_terminal_obeys_comes_out(text: str) -> None:
    """No output holds a control, format, surrogate, private or line-separating character."""
    assert not {unicodedata.category(c) for c in plain(text)} & {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}


@given(st.text())
@settings(max_examples=100)
def test_making_harmless_twice_changes_nothing_more(text: str) -> None:
    """What is harmless stays as it is."""
    assert plain(plain(text)) == plain(text)


@pytest.mark.parametrize(
    ("raw", "shown"),
    [
        ("\x1b[2J", "\\x1b[2J"),
        ("a\nb\r\tc", "a\\x0ab\\x0d\\x09c"),
        ("\x9b31m", "\\x9b31m"),
        ("\u202egnp.exe", "\\u202egnp.exe"),
        ("\u2066x\u2069\u200b", "\\u2066x\\u2069\\u200b"),
        ("\u2028\u2029", "\\u2028\\u2029"),
        ("\udcff", "\\udcff"),
        ("\U000e0041", "\\U000e0041"),
        ("\x00\x7f", "\\x00\\x7f"),
    ],
)
def test_what_is_dangerous_is_shown_as_its_escape(raw: str, shown: str) -> None:
    """Escape codes, newlines, direction marks, tags and lone surrogates are written out."""
    assert plain(raw) == shown


@pytest.mark.parametrize("text", ["", "qwen2.5-7b", "[red]x[/red]", "Gerät µs 模型 ▁▂▃", "a  b"])
def test_letters_of_any_script_stay(text: str) -> None:
    """Harmless text, markup of other libraries included, is not touched."""
    assert plain(text) == text
