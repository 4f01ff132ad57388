"""The caret below a line."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from perfconsole.view.excerpt import excerpt


def test_the_caret_stands_below_its_column() -> None:
    """Columns count from 1."""
    assert excerpt("  - engine.x > 1", 5) == ("  - engine.x > 1", "    ^")


def test_a_tab_opens_to_the_next_stop() -> None:
    """As a terminal shows it, in the line and in front of the caret."""
    assert excerpt("a\tb\tc", 5) == ("a       b       c", "                ^")


def test_wide_and_hidden_characters_keep_the_caret_in_place() -> None:
    """A wide one takes two columns, an escape code is shown and not obeyed."""
    assert excerpt("模 x", 3) == ("模 x", "   ^")
    assert excerpt("\x1b x", 3) == ("\\x1b x", "     ^")


def test_a_long_line_is_cut_around_the_caret() -> None:
    """Both stay on one row."""
    line, caret = excerpt("x" * 300 + "HERE" + "y" * 300, 301)
    assert line[len(caret) - 1 :].startswith("HERE")
    assert len(line) < 120


@given(st.text(alphabet=st.characters(codec="utf-8", exclude_characters="\n")), st.integers(1, 300))
def test_a_caret_is_one_mark(text: str, column: int) -> None:
    """Whatever the line holds, nothing that a terminal obeys comes out."""
    line, caret = excerpt(text, column)
    assert caret.strip() == "^"
    assert "\t" not in line
    assert "\x1b" not in line


def test_the_caret_moves_with_escapes() -> None:
    """A terminal without Unicode is shown six columns for a letter of two."""
    shown, caret = excerpt("a: 待ち b", 7, lambda text: text.encode("ascii", "backslashreplace").decode())
    assert shown[caret.index("^")] == "b"
