"""Tests of the first and the last row of every page."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perfconsole.model.dictionary import DEFAULT
from perfconsole.model.snapshot import SourceHealth, SourceState
from perfconsole.tui.keys import EVERYWHERE
from perfconsole.view.canvas import Hit, Page, plain_text, row, width
from perfconsole.view.glyphs import ASCII
from perfconsole.view.header import Mode, footer, frame_rows, framed, header
from perfconsole.view.picture import Picture
from perfconsole.view.plain import plain
from tests.view.pictures import snapshot, source
from tests.view.searching import SEARCH

KEYS = (("esc", "back"), ("enter", "open"), ("?", "help"), ("q", "quit"))
DOWN = source("nginx", state=SourceState.DOWN, silent_s=12.3)


def _text(*sources: SourceHealth, mode: Mode | None = None, columns: int = 120, **changes: object) -> str:
    picture = replace(Picture(snapshot(sources=sources), DEFAULT, host="gpu-07"), **changes)  # type: ignore[arg-type]  # fields by name
    return plain_text([header(picture, mode or Mode(), columns)])


def test_a_header_says_where_how_often_and_when() -> None:
    """The time is that of the snapshot, at the offset of the person's zone."""
    text = _text(source(cadence_s=2.0), mode=Mode(utc_offset_s=3600.0))
    assert text.split("  ")[:5] == [" perfconsole", "live every 2 s", "sources 1/1", "23:13:20", "gpu-07"]
    assert text.endswith("? help")


def test_a_source_that_does_not_answer_is_named() -> None:
    """With since when, and how many more."""
    assert "sources 1/3  ! nginx down 12 s +1" in _text(source(), DOWN, replace(DOWN, name="b"))
    assert "! nginx late" in _text(replace(DOWN, state=SourceState.LATE))


def test_a_source_that_answers_only_why_it_failed_is_down_for_no_time() -> None:
    """Nothing is said of how long where its last word is of this second."""
    assert "! nginx down" in _text(source(), replace(DOWN, silent_s=0.0)).split("  ")


def test_trouble_with_watching_stays_when_room_is_short() -> None:
    """The host goes first."""
    text = _text(source(), DOWN, columns=70)
    assert "! nginx down 12 s" in text
    assert "gpu-07" not in text


def test_a_paused_screen_says_so() -> None:
    """And how to go on."""
    assert "PAUSED space goes on" in _text(source(), mode=Mode(paused=True))


def test_a_simulation_is_called_one() -> None:
    """Nobody takes it for the machine at hand."""
    assert "SIMULATED every 1 s" in _text(source(), simulated=True)


def test_what_a_simulation_plays_has_a_row_of_its_own() -> None:
    """The page stands below it, and every row is as wide as the screen."""
    picture = Picture(snapshot(), DEFAULT, simulated=True, banner="SIMULATED the queue grows")
    page = Page((row(f"{'body':80}"),), (Hit(0, 0, 4, ("layer", "engine")),))
    whole = framed(page, picture, Mode(), KEYS, (80, 1 + frame_rows(picture)))
    assert plain_text(whole.rows[1:3]) == " SIMULATED the queue grows\nbody"
    assert whole.hits[0].y == 2
    assert [width(r) for r in whole.rows] == [80] * 4


@pytest.mark.parametrize("columns", [60, 80, 120])
def test_a_long_message_is_cut_and_never_left_out(columns: int) -> None:
    """A person has asked for something and must see that it was done."""
    assert "copied: " in _text(source(), mode=Mode(message="copied: " + "x" * 300), columns=columns)


hosts = st.text(max_size=30)


@given(hosts, hosts, st.integers(20, 250), st.booleans())
def test_a_header_fills_its_row(host: str, message: str, columns: int, ascii_only: bool) -> None:  # noqa: FBT001 - drawn by hypothesis
    """In harmless characters, in ASCII where asked, and nothing of it is cut without a mark."""
    picture = Picture(snapshot(sources=(source(), DOWN)), DEFAULT, host=host)
    picture = replace(picture, glyphs=ASCII) if ascii_only else picture
    spans = header(picture, Mode(message=message), columns)
    text = plain_text([spans])
    assert width(spans) == columns
    assert plain(text) == text
    assert text.isascii() or not ascii_only
    assert text.endswith("? help")


def test_keys_of_the_footer_answer_to_the_mouse() -> None:
    """Where they stand."""
    spans, hits = footer(KEYS, 80, 23)
    text = plain_text([spans])
    assert [text[h.x0 : h.x1] for h in hits] == ["esc back", "enter open", "? help", "q quit"]
    assert {(h.y, h.target[0]) for h in hits} == {(23, "key")}


@pytest.mark.parametrize("own", [("enter", "open"), ("esc", "back")])
def test_help_and_quit_fit_at_80_columns(own: tuple[str, str]) -> None:
    """Whatever a page has of its own: who does not know the keys looks for these two."""
    text = plain_text([footer((own, ("tab", "next panel"), ("/", "filter"), *EVERYWHERE), 80, 0)[0]])
    assert "? help  q quit" in text
    wide = plain_text([footer(EVERYWHERE, 120, 0)[0]])
    assert wide.split("  ")[-2:] == ["- + faster, slower", "ctrl+p commands"]


@given(st.integers(1, 120))
def test_a_footer_shows_whole_keys_only(columns: int) -> None:
    """Those that fit."""
    spans, hits = footer(KEYS, columns, 0)
    text = plain_text([spans])
    assert width(spans) == columns
    assert set(filter(None, text.strip().split("  "))) <= {f"{key} {what}" for key, what in KEYS}
    assert all(0 <= h.x0 < h.x1 <= columns for h in hits)


def test_a_framed_page_stands_one_row_lower() -> None:
    """With its hits, and the keys in the last row."""
    page = Page((row("body"),), (Hit(0, 0, 4, ("layer", "engine")),), (("layer", "engine"),))
    picture = Picture(snapshot(), DEFAULT)
    whole = framed(page, picture, Mode(), KEYS, (80, 1 + frame_rows(picture)))
    assert whole.rows[1] == row("body")
    assert whole.hits[0] == Hit(1, 0, 4, ("layer", "engine"))
    assert {h.y for h in whole.hits[1:]} == {2}
    assert whole.items == page.items


def test_the_search_does_not_set_the_pace() -> None:
    """How often targets are looked for is not how fresh the figures are."""
    assert "live every 1 s" in _text(source(), SEARCH)
