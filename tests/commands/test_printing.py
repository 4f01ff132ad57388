"""Tests of the way out: wrapping, colour, ASCII."""

from __future__ import annotations

import io

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perfconsole.commands.printing import safe, say, wants_color, wrapped, write_lines
from perfconsole.view.report_text import Line

WORDS = st.text("ab ", min_size=1, max_size=300)


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        """Yes."""
        return True


@given(WORDS, st.integers(20, 80), st.integers(0, 18))
@settings(max_examples=100)
def test_a_line_is_wider_than_allowed_only_for_one_word(text: str, width: int, indent: int) -> None:
    """What exceeds the width holds a single word behind its indent."""
    for place, piece in enumerate(wrapped(text, width, indent)):
        body = piece.strip() if place else piece[indent + 1 :].strip()
        assert len(piece.rstrip()) <= width or " " not in body


@given(WORDS, st.integers(20, 80), st.integers(0, 18))
@settings(max_examples=100)
def test_wrapping_loses_no_word(text: str, width: int, indent: int) -> None:
    """Words and their order stay."""
    assert " ".join(wrapped(text, width, indent)).split() == text.split()


def test_what_goes_on_starts_at_the_indent() -> None:
    """Second lines stand below the text, not below the label."""
    assert wrapped("    cause  one two three", 16, 11) == ["    cause  one", "           two", "           three"]


def test_words_behind_a_long_one_are_wrapped_all_the_same() -> None:
    """A path wider than the terminal does not stretch what follows it."""
    assert wrapped("x" * 30 + " and more words here", 20, 2) == ["x" * 30, "  and more words", "  here"]


def test_blanks_at_the_end_make_no_empty_line() -> None:
    """Nothing but blanks is left to wrap."""
    assert wrapped("a" * 18 + " " * 10, 20, 4) == ["a" * 18 + " " * 10]


@pytest.mark.parametrize(
    ("out", "flag", "variables", "wanted"),
    [
        (Terminal(), False, {}, True),
        (Terminal(), True, {}, False),
        (Terminal(), False, {"NO_COLOR": "1"}, False),
        (Terminal(), False, {"TERM": "dumb"}, False),
        (io.StringIO(), False, {}, False),
    ],
)
def test_colour_is_for_a_terminal_that_wants_it(
    out: io.StringIO,
    *,
    flag: bool,
    variables: dict[str, str],
    wanted: bool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A pipe, --no-color, NO_COLOR and TERM=dumb each take it away."""
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert wants_color(out, no_color=flag) is wanted


def test_colour_wraps_each_line_and_ends_with_it(capsys: pytest.CaptureFixture[str]) -> None:
    """Nothing bleeds into the next line."""
    write_lines([Line("bad", "critical"), Line("plain")], color=True, ascii_only=False)
    assert capsys.readouterr().out == "\x1b[1;31mbad\x1b[0m\nplain\n"


def test_a_line_cannot_bring_its_own_colour(capsys: pytest.CaptureFixture[str]) -> None:
    """Escapes within the text are shown."""
    write_lines([Line("a\x1b[31mb\nc")], color=True, ascii_only=False)
    assert capsys.readouterr().out == "a\\x1b[31mb\\x0ac\n"


@given(st.text())
@settings(max_examples=100)
def test_ascii_only_is_printable_ascii(text: str) -> None:
    """Whatever comes in."""
    shown = safe(text, ascii_only=True)
    assert shown.isascii()
    assert shown.isprintable()


def test_a_remark_is_one_line_on_stderr(capsys: pytest.CaptureFixture[str]) -> None:
    """Also when its text holds a newline."""
    say("a\nb")
    assert capsys.readouterr().err == "perfconsole: a\\x0ab\n"
