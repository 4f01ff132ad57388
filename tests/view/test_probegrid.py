"""Tests of tables that give way to the room."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perfconsole.view.canvas import plain_text, width
from perfconsole.view.probegrid import Entry, Grid, entry_of, grid
from perfconsole.view.probetable import ENGINE, HONESTY, LATENCIES, Cell
from tests.view.probes import QUEUED

ENTRIES = [entry_of(f"{step.step.amount:.0f}", LATENCIES, step, Cell("")) for step in QUEUED]


def heads(made: Grid) -> list[str]:
    """Headings as text."""
    return plain_text([made.head]).split()


@given(st.integers(0, 250), st.sampled_from((LATENCIES, HONESTY, ENGINE)), st.booleans())
def test_no_row_is_wider_than_the_room(room: int, columns: tuple[object, ...], marked: bool) -> None:  # noqa: FBT001 - with and without
    """But for the names themselves, which have to stand somewhere."""
    mark = Cell("client" if marked else "")
    entries = [entry_of(f"{s.step.amount:.0f}", columns, s, mark) for s in QUEUED]  # type: ignore[arg-type]  # columns
    made = grid(columns, entries, room)  # type: ignore[arg-type]  # as above
    least = 4 + (len(" client") if marked else 0)
    assert max(width(line) for line in (made.head, *made.rows)) <= max(room, least)


def test_columns_stand_below_one_another() -> None:
    """A number ends where its heading ends."""
    made = grid(LATENCIES, ENTRIES, 80)
    at = plain_text([made.head]).index("tok/s") + len("tok/s")
    assert [plain_text([line])[:at].split()[-1] for line in made.rows[:2]] == ["187", "374"]


def test_what_matters_least_gives_way_first() -> None:
    """Requests, errors, the first token and tokens stay to the last."""
    assert heads(grid(LATENCIES, ENTRIES, 36)) == ["load", "ok/err", "TTFT", "p50", "p95", "tok/s"]
    assert "KV" in heads(grid(LATENCIES, ENTRIES, 120))
    assert "KV" not in heads(grid(LATENCIES, ENTRIES, 70))


def test_a_percentile_that_stands_alone_has_its_name() -> None:
    """Nobody knows of what `p99` is."""
    place = next(i for i, c in enumerate(LATENCIES) if c.head == "TTFT p99")
    assert heads(grid(LATENCIES, ENTRIES, 80, [place])) == ["load", "TTFT", "p99"]


@pytest.mark.parametrize("room", [20, 40, 78])
def test_tables_one_after_the_other_show_every_column_once(room: int) -> None:
    """Nothing is lost on a small screen."""
    places = list(range(len(LATENCIES)))
    seen: list[int] = []
    while places:
        shown = grid(LATENCIES, ENTRIES, room, places).shown
        seen += shown
        places = [place for place in places if place not in shown]
    assert sorted(seen) == list(range(len(LATENCIES)))


def test_a_mark_stands_at_the_end_of_its_row() -> None:
    """And takes its room from the columns."""
    marked = [Entry("1", ENTRIES[0].cells, Cell("knee", "value")), *ENTRIES[1:]]
    made = grid(LATENCIES, marked, 78)
    assert plain_text([made.rows[0]]).endswith("knee")
    assert len(made.shown) < len(grid(LATENCIES, ENTRIES, 83).shown)


def test_a_name_of_wide_characters_is_measured_in_columns() -> None:
    """Not in characters."""
    made = grid(LATENCIES, [Entry("函数", ENTRIES[0].cells), ENTRIES[1]], 40)
    assert width(made.rows[0]) == width(made.rows[1])


def test_a_table_of_nothing_is_its_heading() -> None:
    """Before the first step has ended."""
    assert grid(LATENCIES, [], 78).rows == ()
