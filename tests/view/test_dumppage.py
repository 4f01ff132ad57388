"""Tests of the page of a dump."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from perfconsole.model.stack import Frame
from perfconsole.view.canvas import Cursor, plain_text, width
from perfconsole.view.dumppage import dump_page
from perfconsole.view.glyphs import ASCII, UNICODE, Glyphs
from tests.view.dumps import process, reading, thread
from tests.view.flames import HOSTILE, NAMES, SIZES, harmless

ODD = process(4313, odd="not in the collective in which 3 others wait")


def test_the_odd_process_is_in_the_title() -> None:
    """Where no scrolling hides it."""
    page = dump_page(reading(ODD, process(1, thread())), Cursor(), (120, 30), ASCII)
    assert "STACKS NOW  process 4313 core: not in the collective" in plain_text(page.rows[:1])
    assert page.rows[0][0].style == "critical"


def test_without_an_odd_one_the_title_makes_no_claim() -> None:
    """All are alike."""
    assert plain_text(dump_page(reading(process(1)), Cursor(), (120, 30), ASCII).rows[:1]) == "STACKS NOW"


def test_frames_stand_below_their_thread_and_threads_below_their_process() -> None:
    """As on the command line: by their indent."""
    rows = plain_text(dump_page(reading(process(1, thread())), Cursor(), (120, 30), ASCII).rows).split("\n")
    starts = [next(line.index(word) for line in rows[1:] if word in line) for word in ("PROCESS", "MainThread", "f20")]
    assert starts == [2, 4, 10]


@settings(max_examples=40)
@given(st.lists(NAMES, max_size=4), NAMES, SIZES, st.sampled_from((UNICODE, ASCII)))
def test_the_page_is_exactly_as_large_as_the_screen(
    names: list[str], title: str, size: tuple[int, int], glyphs: Glyphs
) -> None:
    """Whatever threads and functions are called."""
    threads = [thread(n, name, (Frame(name, name, n),)) for n, name in enumerate(names, 1)]
    page = dump_page(reading(process(1, *threads, odd=title, title=title)), Cursor(), size, glyphs)
    assert [width(line) for line in page.rows] == [size[0]] * size[1]
    assert harmless(page.rows)


def test_names_are_shown_and_not_obeyed() -> None:
    """Of threads as of processes."""
    page = dump_page(reading(process(1, thread(7, HOSTILE), title=HOSTILE)), Cursor(), (120, 30), UNICODE)
    assert plain_text(page.rows).count("\\x1b[31mred") == 2
