"""Tests of the lower part of a layer page: everything about one indicator."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perfconsole.model.sample import Missing
from perfconsole.view.canvas import plain_text, width
from perfconsole.view.glyphs import ASCII
from perfconsole.view.layerfocus import focus_rows
from tests.view.pictures import ENGINE, indicator
from tests.view.serving import serving

if TYPE_CHECKING:
    from perfconsole.view.picture import Picture

KV, TTFT = "engine.kv_cache_usage", "engine.ttft.p95"


def _text(name: str, size: tuple[int, int] = (150, 14), picture: Picture | None = None) -> str:
    return plain_text(focus_rows(picture or serving(), name, ENGINE, "3 of 9", size))


def test_the_first_row_names_the_indicator_and_the_place_in_the_list() -> None:
    """And whose it is."""
    first = _text(KV).splitlines()[0]
    assert first.startswith("─ engine.kv_cache_usage  engine/vllm:8000 ─")
    assert first.endswith(" 3 of 9 ─")


def test_value_mark_owner_and_parts_come_before_the_definition() -> None:
    """What decides is read first."""
    text = " ".join(_text(KV, (100, 30)).split())
    places = [
        text.index(w) for w in ("52%", "no mark", "owner inference", "rank=0 50%, rank=1 54%", "KV blocks in use")
    ]
    assert places == sorted(places)


def test_a_histogram_tells_each_suffix_with_its_lifetime_figure() -> None:
    """Side by side."""
    assert "p50 1.2 s (lifetime 500 ms), p95 2.5 s (lifetime 500 ms)" in _text(TTFT)


def test_a_healthy_value_says_where_it_comes_from() -> None:
    """A baseline without its origin would be a rumour."""
    assert "healthy 10 ms (lifetime at first scrape)" in " ".join(_text("engine.itl.p95", (80, 20)).split())


def test_a_missing_value_shows_its_reason() -> None:
    """Never 0."""
    picture = serving(more=[indicator(KV, Missing.STALE)])
    assert "\nstale; " in _text(KV, picture=picture)


def test_what_no_source_speaks_of_says_so() -> None:
    """A board may list it all the same."""
    assert "no source gives it" in _text("engine.stall_time")


def test_a_name_outside_the_dictionary_is_no_fault() -> None:
    """A recording may hold one."""
    assert "not in the dictionary" in _text("engine.of_tomorrow")


def test_what_is_cut_has_a_mark() -> None:
    """In the last row of the text."""
    assert any(line.endswith("…") for line in _text(TTFT, (80, 6)).splitlines())


def test_a_fact_has_its_text_and_no_chart() -> None:
    """It has no history."""
    text = _text("engine.model")
    assert "qwen2.5-7b" in text
    assert "-10 min" not in text


@pytest.mark.parametrize("columns", [80, 150])
def test_an_indicator_has_its_last_ten_minutes(columns: int) -> None:
    """Below the text, or beside it."""
    assert "-10 min" in _text(KV, (columns, 14))


@given(st.sampled_from([KV, TTFT, "engine.model", "x"]), st.integers(20, 250), st.integers(2, 40), st.booleans())
def test_rows_keep_to_the_size(name: str, columns: int, height: int, ascii_only: bool) -> None:  # noqa: FBT001 - drawn by hypothesis
    """At most so many, each of exactly the columns."""
    picture = serving(glyphs=ASCII) if ascii_only else serving()
    rows = focus_rows(picture, name, ENGINE, "1 of 2", (columns, height))
    assert len(rows) <= height
    assert {width(r) for r in rows} == {columns}
    assert plain_text(rows).isascii() or not ascii_only
