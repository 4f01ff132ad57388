"""Tests of the help."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perfconsole.model.finding import State, Verdict
from perfconsole.model.sample import Missing
from perfconsole.view.canvas import Cursor, plain_text, width
from perfconsole.view.glyphs import ASCII, UNICODE
from perfconsole.view.helppage import help_page
from perfconsole.view.picture import LAYERS
from perfconsole.view.units import MISSING_WORDS

KEYS = [("enter", "opens what is selected"), ("ctrl+p", "palette")]


def whole() -> str:
    """All of it, on a screen that holds it."""
    return plain_text(help_page(KEYS, 100, 200, Cursor()).rows)


def test_the_keys_of_the_caller_come_first() -> None:
    """Each with what it does."""
    lines = plain_text(help_page(KEYS, 80, 24, Cursor()).rows).split("\n")
    assert [line.split(maxsplit=1) for line in lines[2:4]] == [list(pair) for pair in KEYS]


@pytest.mark.parametrize(
    "word",
    [
        *MISSING_WORDS.values(),
        *Verdict,
        *State,
        *LAYERS,
        *("p50", "TTFT", "ITL", "TPOT", "KV cache", "preemption", "prefill", "decode"),
        *("10 s", "60 s", "5 min", "settings", "x CRITICAL", "! WARNING", "i INFO"),
    ],
)
def test_every_word_of_the_screen_is_explained(word: str) -> None:
    """At the start of a line: that is where one looks for it."""
    assert any(line[2:].startswith(word) for line in whole().split("\n"))


def test_every_reason_of_a_missing_value_has_its_own_words() -> None:
    """None is left out when a reason is added."""
    assert all(MISSING_WORDS[reason] in whole() for reason in Missing)


def test_the_end_can_be_reached_on_a_small_screen() -> None:
    """The last item brings the last line."""
    items = help_page(KEYS, 80, 24, Cursor()).items
    assert "XDG_CONFIG_HOME" in plain_text(help_page(KEYS, 80, 24, Cursor(target=items[-1])).rows)


@given(
    st.lists(st.tuples(st.text(max_size=20), st.text(max_size=80)), max_size=5),
    st.integers(60, 250),
    st.integers(16, 70),
    st.integers(0, 99),
)
def test_any_size_is_filled_exactly(keys: list[tuple[str, str]], columns: int, height: int, index: int) -> None:
    """With any keys, at any place, in ASCII alone where asked."""
    for glyphs in (UNICODE, ASCII):
        rows = help_page(keys, columns, height, Cursor(index=index), glyphs).rows
        assert [width(r) for r in rows] == [columns] * height
    assert plain_text(rows).isascii()
