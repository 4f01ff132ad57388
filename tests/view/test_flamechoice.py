"""Tests of the page before and during a recording."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from perfconsole.model.flameplan import FlamePlan
from perfconsole.model.suspect import Suspect
from perfconsole.view.canvas import Cursor, plain_text, width
from perfconsole.view.flamechoice import Choice, choice_page
from perfconsole.view.glyphs import ASCII, UNICODE, Glyphs
from tests.view.flames import HOSTILE, NAMES, SIZES, harmless

CORE = Suspect(4312, "engine", "core", "vllm", "VLLM::EngineCore", 0.97, 41, "3.11")
OTHER = Suspect(77, "", "", "", "python job.py", None, 1, "")
PLAN = FlamePlan(4312)


def text(choice: Choice, cursor: Cursor | None = None, size: tuple[int, int] = (120, 24)) -> str:
    """The page as text."""
    return plain_text(choice_page(choice, cursor or Cursor(), size, ASCII).rows)


def test_processes_are_one_row_each() -> None:
    """With layer, part, CPU and threads; what is not known is a dash."""
    rows = text(Choice((CORE, OTHER))).split("\n")
    assert rows[2].split() == [">", "4312", "engine", "core", "0.97", "41", "3.11", "VLLM::EngineCore"]
    assert rows[3].split() == ["77", "other", "-", "-", "1", "-", "python", "job.py"]


def test_before_anything_was_seen_it_says_that_it_looks() -> None:
    """No list is no empty list."""
    assert "looking for Python processes" in text(Choice(None))
    assert "no Python process is to be seen here" in text(Choice(()))


def test_what_will_be_run_stands_below_with_its_cost() -> None:
    """Before anything is started."""
    page = text(Choice((CORE,), PLAN, "py-spy record --pid 4312"))
    assert "runs          py-spy record --pid 4312" in page
    assert "the process runs on while its stacks are read, 50 times a second" in page


def test_what_stops_the_process_says_so_and_asks() -> None:
    """Only once somebody has pressed enter."""
    plan = FlamePlan(4312, native=True)
    assert "stopped 50 times a second for 10 s" in text(Choice((CORE,), plan, "x"))
    assert "press y" not in text(Choice((CORE,), plan, "x"))
    assert "press y to stop the process" in text(Choice((CORE,), plan, "x", asked=True))


def test_a_process_that_cannot_be_recorded_says_why_and_offers_nothing() -> None:
    """And what helps."""
    page = text(Choice((CORE,), PLAN, refused="it belongs to root; sudo py-spy dump"))
    assert "not possible  it belongs to root; sudo py-spy dump" in page
    assert "runs  " not in page


def test_the_finding_that_asks_and_the_last_trouble_are_told() -> None:
    """Why one is here, and why one is here again."""
    page = text(Choice((CORE,), PLAN, why="Loop blocked", trouble="py-spy was killed"))
    assert "asked by      Loop blocked" in page
    assert "py-spy was killed" in page


def test_while_it_records_a_bar_fills() -> None:
    """With the seconds that are left, and how to end it."""
    page = text(Choice((CORE,), PLAN, took_s=2.5))
    assert "RECORDING process 4312  esc ends it" in page
    assert f"[{'#' * 10}{'-' * 30}]  8 s left" in page


def test_longer_than_planned_it_does_not_count_below_zero() -> None:
    """py-spy reads symbols before it begins."""
    assert f"[{'#' * 40}]  0 s left" in text(Choice((CORE,), PLAN, took_s=14.0))


def test_the_cursor_is_seen_in_a_list_longer_than_the_screen() -> None:
    """The rows around it."""
    many = tuple(Suspect(1000 + n, "", "", "", f"job {n}", None, 1, "") for n in range(99))
    rows = text(Choice(many), Cursor(("suspect", "1070")), (120, 12)).split("\n")
    assert any(line.startswith(">    1070") for line in rows)


def test_the_mouse_finds_the_process_of_its_row() -> None:
    """And an item for each process, also for those that are not on display."""
    page = choice_page(Choice((CORE, OTHER)), Cursor(), (120, 24), UNICODE)
    assert [(hit.y, hit.target) for hit in page.hits] == [(2, ("suspect", "4312")), (3, ("suspect", "77"))]
    assert page.items == (("suspect", "4312"), ("suspect", "77"))


@settings(max_examples=40)
@given(st.lists(NAMES, max_size=5), NAMES, SIZES, st.sampled_from((UNICODE, ASCII)))
def test_the_page_is_exactly_as_large_as_the_screen(
    titles: list[str], why: str, size: tuple[int, int], glyphs: Glyphs
) -> None:
    """Whatever a command line says, and however small the screen is."""
    found = tuple(Suspect(n, "", "", "", title, None, 1, "") for n, title in enumerate(titles, 1))
    page = choice_page(Choice(found, PLAN, why, why=why, asked=True), Cursor(), size, glyphs)
    assert [width(line) for line in page.rows] == [size[0]] * size[1]
    assert harmless(page.rows)
    assert all(hit.y < size[1] for hit in page.hits)


def test_a_command_line_is_shown_and_not_obeyed() -> None:
    """Whoever names a process may name it anything."""
    assert "\\x1b[31mred" in text(Choice((Suspect(1, "", "", "", HOSTILE, None, 1, ""),)))
