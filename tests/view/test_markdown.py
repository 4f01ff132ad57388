"""Markdown that shows text as it is."""

from __future__ import annotations

from perfconsole.view.markdown import bullets, escaped, literal, table_line


def test_marks_are_escaped() -> None:
    """Inside a table cell too."""
    assert escaped("a|b*c<d") == "a\\|b\\*c&lt;d"


def test_a_table_line_has_bars_around_its_cells() -> None:
    """One blank beside each."""
    assert table_line(["a", "b"]) == "| a | b |"


def test_an_empty_list_says_so() -> None:
    """A heading never stands over nothing."""
    assert (bullets(["a"], "none"), bullets([], "none")) == (["- a"], ["none"])


def test_text_from_outside_is_no_markup() -> None:
    """No emphasis, no link, no picture, no element, no second line."""
    assert literal("![a](b) `c` *d* _e_ <f> &g; | h\ni") == (
        "\\!\\[a\\](b) \\`c\\` \\*d\\* \\_e\\_ &lt;f> &amp;g; \\| h\\\\x0ai"
    )
