"""Tests of copies through the terminal."""

from __future__ import annotations

from base64 import b64decode

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perfconsole.view.clipboard import MOST_BYTES, cleaned, osc52


def test_a_text_is_sent_in_base64_to_the_clipboard() -> None:
    """The sequence as terminals document it."""
    assert osc52("ps -p 1", tmux=False) == "\x1b]52;c;cHMgLXAgMQ==\x07"


def test_inside_tmux_the_sequence_is_wrapped_with_its_escapes_doubled() -> None:
    """What tmux hands on is the sequence itself."""
    assert osc52("a", tmux=True) == "\x1bPtmux;\x1b\x1b]52;c;YQ==\x07\x1b\\"


@pytest.mark.parametrize(("text", "kept"), [("é" * (MOST_BYTES // 2), True), ("é" * (MOST_BYTES // 2 + 1), False)])
def test_a_text_beyond_the_limit_is_not_copied_at_all(text: str, kept: bool) -> None:  # noqa: FBT001 - a parameter
    """The limit counts bytes, and half a command is worse than none."""
    assert bool(osc52(text, tmux=False)) is kept


def test_nothing_gives_no_sequence() -> None:
    """An empty sequence would clear the clipboard of the person."""
    assert osc52("\x00", tmux=False) == ""


@pytest.mark.parametrize(
    ("text", "safe"),
    [
        ("ls\nrm x", "ls rm x"),
        ("a\r\nb\tc", "a b c"),
        ("a\x1b[2Jb", "a[2Jb"),
        ("a\u202eb\u2028c", "abc"),
        ("\x9bx", "x"),
    ],
)
def test_nothing_that_a_terminal_or_shell_acts_on_is_copied(text: str, safe: str) -> None:
    """A line break would run the command when it is pasted."""
    assert cleaned(text) == safe


@given(st.text(alphabet=st.characters(codec="utf-8"), min_size=1, max_size=50))
def test_what_is_copied_is_the_cleaned_text(text: str) -> None:
    """Whatever the characters."""
    sequence = osc52(text, tmux=False)
    copied = b64decode(sequence.removeprefix("\x1b]52;c;").removesuffix("\x07")).decode()
    assert copied == cleaned(text)
