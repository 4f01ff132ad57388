"""Tests of the page of a probe: what matters within one screen, the rest below, and its exact size."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perfconsole.model.probeview import ProbeView, StepNow
from perfconsole.view.canvas import Cursor, plain_text, width
from perfconsole.view.glyphs import ASCII, UNICODE, Glyphs
from perfconsole.view.probepage import probe_page
from tests.view.flames import HOSTILE, NAMES, SIZES, harmless
from tests.view.probes import KNEE, LAYERS, QUEUE_BOUND, RESULTS, named, plan, result, running, whole

SMALL, LARGE, TINY = (80, 22), (120, 38), (40, 8)
AMOUNTS = tuple(2.0**power for power in range(11))
LONG = whole(tuple(result(i, amount, min(amount, 16) * 187.0) for i, amount in enumerate(AMOUNTS)), KNEE)


def text(view: ProbeView, size: tuple[int, int] = SMALL, cursor: Cursor | None = None) -> str:
    """The page as text."""
    return plain_text(probe_page(view, cursor or Cursor(), size, ASCII).rows)


def steps_seen(page: str) -> list[str]:
    """Loads of the table on the screen."""
    lines = page.split("\n")
    start = next(y for y, line in enumerate(lines) if line.startswith("  load"))
    rows = [line.split() for line in lines[start + 1 :]]
    return [row[0] for row in rows[: next(i for i, row in enumerate(rows) if row[:1] == ["times"])]]


def test_a_finished_probe_on_a_small_screen() -> None:
    """Verdict, table and two charts; row by row down to the legend."""
    rows = text(ProbeView.of(QUEUE_BOUND)).split("\n")
    assert rows[1:8] == [
        "> knee at 16: queueing (2,992 tokens/s at 16 at a time, +0% at 64 at a time;",
        "  TTFT p50 went from 52 ms to 1.97 s)",
        "  goodput       23.4 requests/s at 16: 94-100% within TTFT 1.5 s, TPOT 80 ms",
        "  headroom      4.78x: capacity 23.4, traffic 4.9 requests/s; takes +30%, +50%",
        "  load  dlvd ok/err TTFT p50   p95 ITL p50   p99  tok/s lag p99  run wait",
        "     1  100%    8/0       52     -       5     8    187     0.3    1    0",
        "     2  100%    8/0       52     -       5     8    374     0.3    2    0",
    ]
    assert rows[10] == "    16  100%   64/0       52  73.8       5     8   2992     0.3   16    0 knee"
    assert rows[13] == "  times in ms; load: requests at a time; -: p95 needs 20 requests, p99 100"
    assert rows[14].split() == [
        "output",
        "tokens/s,",
        "knee",
        "[16]",
        "TTFT",
        "p50",
        "|",
        "p95",
        "(log),",
        "knee",
        "[16]",
    ]


def test_a_running_probe_has_the_step_under_way_as_its_last_row() -> None:
    """As far as it is known."""
    rows = text(running()).split("\n")
    assert rows[0].startswith("PROBE step 6 of 9: 32 at a time  any key stops it")
    assert rows[11].split() == ["32", "12/0", "310", "2980", "now"]


def test_a_large_screen_has_all_three_charts_side_by_side() -> None:
    """And the whole verdict above them."""
    headings = [line for line in text(ProbeView.of(QUEUE_BOUND), LARGE).split("\n") if "output tokens/s" in line]
    assert "TTFT p50 | p95" in headings[0]
    assert "ITL p50 | p99" in headings[0]


def test_a_small_screen_has_two_charts_and_tab_brings_the_third() -> None:
    """Those that do not stand there follow below."""
    view = ProbeView.of(QUEUE_BOUND)
    seen = [
        [name for name in ("output", "TTFT p50 |", "ITL p50 |") if name in text(view, SMALL, Cursor(tab=tab))]
        for tab in range(4)
    ]
    assert seen == [["output", "TTFT p50 |"], ["TTFT p50 |", "ITL p50 |"], ["output", "ITL p50 |"], seen[0]]


@pytest.mark.parametrize("layers", [(), LAYERS, LAYERS * 2])
def test_table_and_charts_fit_a_small_screen_however_many_steps_there_are(layers: tuple[object, ...]) -> None:
    """The newest step is always seen, and so are the names below the charts."""
    view = running(
        plan=plan(*AMOUNTS), steps=LONG.steps[:9], now=StepNow(plan(512).steps[0], 3), layers=layers, knee=KNEE
    )
    page = text(view)
    assert steps_seen(page)[-2:] == ["256", "512"]
    assert "[16]" in page.split("\n")[-1]


def test_a_folded_table_is_seen_around_the_knee_and_whole_further_down() -> None:
    """Nothing is lost by it."""
    view = ProbeView.of(LONG, meaning="confirmed: probe.knee 16 < 20")
    seen = steps_seen(text(view))
    assert "16" in seen
    assert len(seen) < len(AMOUNTS)
    assert steps_seen(text(view, (80, 60))) == [f"{amount:.0f}" for amount in AMOUNTS]
    items = probe_page(view, Cursor(), SMALL, ASCII).items
    assert "ALL STEPS" in text(view, SMALL, Cursor(next(i for i in items if "ALL STEPS" in i)))


def test_every_column_and_every_word_can_be_reached() -> None:
    """By moving down, on the smallest screen as well."""
    view = ProbeView.of(QUEUE_BOUND)
    for size in (SMALL, TINY):
        items = probe_page(view, Cursor(), size, ASCII).items
        shown = "\n".join(text(view, size, Cursor(target=item)) for item in items)
        for words in ("e2e p50", "merged", "engine TTFT", "DISTRIBUTIONS", "WHERE IT TURNS", "lag  "):
            assert words in shown


def test_places_to_stand_on_are_all_different() -> None:
    """A cursor that finds the first of two alike would never come past it."""
    for made in RESULTS.values():
        items = probe_page(ProbeView.of(made), Cursor(), TINY, ASCII).items
        assert len(items) == len(set(items))


def test_a_step_that_the_client_limited_has_the_word() -> None:
    """In the table and, in parentheses, below the charts."""
    page = text(ProbeView.of(RESULTS["client"]))
    assert [line.split()[-1] for line in page.split("\n") if line.startswith(("    16", "    32"))] == ["client"] * 2
    assert "(32)" in page
    assert "knee at" not in page


def test_nothing_measured_is_said_and_drawn_as_nothing() -> None:
    """No axis of zeros."""
    page = text(ProbeView.of(RESULTS["empty"]))
    assert "0/0" in page
    assert "empty" in page
    assert page.count("no value") == 2


@pytest.mark.parametrize("name", RESULTS)
@pytest.mark.parametrize("size", [SMALL, LARGE, TINY, (40, 10), (200, 58)])
@pytest.mark.parametrize("glyphs", [UNICODE, ASCII], ids=["unicode", "ascii"])
def test_every_kind_of_result_fills_its_screen_exactly(name: str, size: tuple[int, int], glyphs: Glyphs) -> None:
    """No row too wide, none too many, and nothing but ASCII where that is asked for."""
    page = probe_page(ProbeView.of(RESULTS[name], saved="/x", meaning="confirmed"), Cursor(), size, glyphs)
    assert [width(line) for line in page.rows] == [size[0]] * size[1]
    assert glyphs is UNICODE or plain_text(page.rows).isascii()


@settings(max_examples=40)
@given(NAMES, SIZES, st.integers(0, 30), st.booleans(), st.sampled_from((UNICODE, ASCII)))
def test_the_page_is_exactly_as_large_as_the_screen(
    words: str,
    size: tuple[int, int],
    index: int,
    done: bool,  # noqa: FBT001 - running and done
    glyphs: Glyphs,
) -> None:
    """Whatever the target says, wherever the cursor stands."""
    made = ProbeView.of(named(words), saved=words, meaning=words)
    view = made if done else replace(running(phase=words), plan=made.plan, steps=made.steps, knee=made.knee)
    page = probe_page(view, Cursor(index=index, tab=index), size, glyphs)
    assert [width(line) for line in page.rows] == [size[0]] * size[1]
    assert harmless(page.rows)
    assert glyphs is UNICODE or plain_text(page.rows).isascii()


def test_text_from_the_target_is_shown_and_not_obeyed() -> None:
    """Errors of a server are its own words."""
    view = ProbeView.of(named(HOSTILE))
    assert "\\x1b[31mred" in text(view)
    assert "\x1b" not in text(view, (120, 200))
