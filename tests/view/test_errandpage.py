"""Tests of the page of a check's command: what is offered, and output that is never obeyed."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from perfconsole.model.finding import FindingCheck
from perfconsole.view.canvas import Cursor, plain_text, width
from perfconsole.view.errandpage import MOST_LINES, Progress, errand_page, output_rows
from perfconsole.view.glyphs import ASCII, UNICODE

PS = FindingCheck("run", "ps -p 1", ("ps", "-p", "1"), "see: gone", "see: there", None, runs=("ps", "-p", "1"))
KILL = FindingCheck("run", "kill 1", ("kill", "1"), "see: gone", "see: there", None, refused="kill acts")


def _text(progress: Progress | None, check: FindingCheck = PS) -> str:
    return plain_text(errand_page(check, check.text, progress, Cursor(), (80, 24), UNICODE).rows)


def test_the_command_is_shown_in_full_with_the_key_that_runs_it() -> None:
    """And what to look for."""
    page = _text(None)
    assert "command       ps -p 1" in page
    assert "y runs it here" in page
    assert "confirmed by  gone" in page


def test_a_command_that_is_not_run_says_why() -> None:
    """It is on the clipboard all the same."""
    page = _text(None, KILL)
    assert "Not run from here: kill acts. Paste it into a shell." in page
    assert "y runs it" not in page


def test_output_stands_below_with_how_it_ended() -> None:
    """In the title as well, where no scrolling hides it."""
    page = _text(Progress(b"one\r\ntwo\n", 1.5, "exit code 3"))
    assert "ENDED: exit code 3" in page
    assert "  one\n  two\n  exit code 3, after 1.5 s" in page


def test_a_command_that_writes_nothing_says_so() -> None:
    """An empty page would look broken."""
    assert "it wrote nothing" in _text(Progress(b"", 0.1, "exit code 0"))


def test_more_lines_than_anybody_reads_are_counted() -> None:
    """And not drawn."""
    rows, hidden = output_rows(b"x\n" * (MOST_LINES + 5), 80, UNICODE)
    assert (len(rows), hidden) == (MOST_LINES, 5)


@given(st.binary(max_size=200))
def test_output_is_text_that_fits(output: bytes) -> None:
    """Escape codes are shown, never obeyed; in ASCII nothing else is shown."""
    for glyphs in (UNICODE, ASCII):
        page = errand_page(PS, PS.text, Progress(output, 1.0, None), Cursor(), (40, 12), glyphs)
        assert {width(r) for r in page.rows} == {40}
        assert all(c.isprintable() for r in page.rows for span in r for c in span.text)
