"""What grows, in words that fit and that say how sure they are."""

from __future__ import annotations

from dataclasses import replace

import pytest

from perfconsole.model.dictionary import DEFAULT
from perfconsole.model.entity import Entity, Kind
from perfconsole.model.trend import Goal, Growing, Trend
from perfconsole.view.canvas import Cursor, plain_text, width
from perfconsole.view.glyphs import ASCII
from perfconsole.view.layerpage import layer_page
from perfconsole.view.layerrows import layer_rows
from perfconsole.view.picture import Picture
from perfconsole.view.report_json import report
from perfconsole.view.report_text import report_lines
from perfconsole.view.trends import about, card_row, trend_rows, trend_text, trend_words
from tests.view.pictures import ENGINE, HOST, indicator, snapshot

PROCESS = Entity(Kind.PROCESS, "4312")
QUEUE = Trend(Growing.QUEUE, ENGINE, 12.0, 4 / 60, Goal.TTFT, 1.5, 121.0, 119.0, 0.97)
KV = Trend(Growing.KV, ENGINE, 0.7, 0.05 / 60, Goal.FULL, 1.0, 360.0, 300.0)
RAM = Trend(Growing.PROCESS_MEMORY, PROCESS, 2.0**32, 2.0**30 / 3600, Goal.FULL, 2.0**33, 10_800.0, 1800.0)
FREE = Trend(Growing.HOST_MEMORY, HOST, 2.0**33, 2.0**30 / 3600, Goal.FULL, 0.0, 28_800.0, 1800.0)
FDS = Trend(Growing.DESCRIPTORS, PROCESS, 612.0, 7 / 60, Goal.FULL, 1024.0, 3540.0, 1800.0)
CARD = Trend(Growing.GPU_MEMORY, Entity(Kind.GPU, "0"), 2.0**36, 2.0**30 / 3600, Goal.FULL, 2.0**37, 80_000.0, 1800.0)


def picture(*trends: Trend, **more: object) -> Picture:
    """An engine that holds requests, a host, and what grows."""
    values = (
        indicator("engine.requests_running", 8.0),
        indicator("engine.requests_waiting", 12.0),
        indicator("host.cpu_utilization", 0.2, HOST),
    )
    return Picture(snapshot(entities=(ENGINE, HOST), indicators=values, trends=trends), DEFAULT, **more)  # type: ignore[arg-type]  # fields by name


@pytest.mark.parametrize(
    ("trend", "text"),
    [
        (QUEUE, "queue +4/min, TTFT passes 1.5 s in ~2 min"),
        (replace(QUEUE, left_s=0.0), "queue +4/min, new requests wait over 1.5 s"),
        (replace(QUEUE, goal=Goal.KNEE, limit=64.0), "queue +4/min, 64 wait in ~2 min"),
        (replace(QUEUE, goal=Goal.KNEE, limit=64.0, left_s=0.0), "queue +4/min, over twice the batch waits (64)"),
        (KV, "KV +5 points/min, full in ~6 min"),
        (RAM, "RAM of 4312 +1 GiB/h, full in ~3 h"),
        (FREE, "RAM of gpu-07 -1 GiB/h, gone in ~8 h"),
        (FDS, "descriptors of 4312 +7/min, full in ~59 min"),
        (CARD, "GPU 0 memory +1 GiB/h, full in ~22 h"),
    ],
)
def test_a_trend_is_told_in_a_few_words(trend: Trend, text: str) -> None:
    """What, how fast, and what it meets when."""
    assert trend_text(trend) == text


def test_in_full_it_says_where_it_is_and_how_sure() -> None:
    """A line that fits over two minutes is steady."""
    words = "queue of vllm:8000 +4/min: TTFT passes 1.5 s in ~2 min; 12 waiting now, steady for 119 s (R2 0.97)"
    assert trend_words(QUEUE) == words


def test_a_short_line_says_that_it_is_short() -> None:
    """It may be a burst."""
    assert trend_words(replace(QUEUE, span_s=25.0)).endswith("seen for 25 s only (R2 0.97)")


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(3.0, "~10 s"), (44.0, "~40 s"), (89.0, "~90 s"), (95.0, "~2 min"), (7100.0, "~118 min"), (10_800.0, "~3 h")],
)
def test_a_forecast_is_rounded(seconds: float, text: str) -> None:
    """It has no second digit to be trusted."""
    assert about(seconds) == text


def test_the_card_of_an_engine_has_the_soonest() -> None:
    """Below its head, before its latencies."""
    rows = layer_rows(picture(QUEUE, KV), "engine", 78).blocks[0]
    assert plain_text([rows[1]]).startswith("↑ queue +4/min, TTFT passes 1.5 s in ~2 min")


def test_the_card_of_a_host_has_what_grows_on_it() -> None:
    """Its own memory, and that of a process."""
    shown = picture(RAM)
    more = replace(shown.snapshot, entities=(ENGINE, HOST, PROCESS))
    rows = layer_rows(replace(shown, snapshot=more), "hardware", 78).blocks[0]
    assert plain_text([rows[1]]).startswith("↑ RAM of 4312 +1 GiB/h")


@pytest.mark.parametrize("columns", range(0, 100, 3))
def test_a_card_row_fits_or_is_not_there(columns: int) -> None:
    """It is never cut in the middle of a forecast."""
    row = card_row(picture(QUEUE), (ENGINE,), columns)
    assert width(row) <= columns
    assert not row or "in ~2 min" in plain_text([row])


def test_how_sure_gives_way_first() -> None:
    """What is met and when stays."""
    assert "steady" not in plain_text([card_row(picture(QUEUE), (ENGINE,), 50)])
    assert "steady" in plain_text([card_row(picture(QUEUE), (ENGINE,), 78)])


def test_without_a_trend_a_card_has_no_row() -> None:
    """Nothing that grows is nothing to say."""
    assert card_row(picture(KV), (HOST,), 78) == ()


def test_the_page_of_a_layer_lists_its_own() -> None:
    """The soonest first, as many as there is room for, and how many more there are."""
    shown = [plain_text([r]) for r in trend_rows(picture(QUEUE, KV, RAM), "engine", 200, 1)]
    assert len(shown) == 1
    assert shown[0].startswith("trend queue of vllm:8000 +4/min")
    assert shown[0].endswith("and 1 more")


@pytest.mark.parametrize("size", [(80, 22), (120, 38), (40, 10), (20, 5)])
def test_the_page_keeps_its_size(size: tuple[int, int]) -> None:
    """Rows of the list give way, the page never grows."""
    page = layer_page(picture(QUEUE, KV), "engine", Cursor(), *size)
    assert len(page.rows) == size[1]
    assert {width(r) for r in page.rows} == {size[0]}


def test_names_from_outside_are_harmless() -> None:
    """A process may call itself anything."""
    evil = replace(QUEUE, entity=Entity(Kind.ENGINE, "\x1b[2Jx"))
    (row,) = trend_rows(picture(evil), "engine", 80, 1)
    assert "\x1b" not in plain_text([row])


def test_in_ascii_it_is_ascii() -> None:
    """The arrow as well."""
    assert plain_text([card_row(picture(QUEUE, glyphs=ASCII), (ENGINE,), 78)]).isascii()


def test_the_report_has_a_section_only_where_something_grows() -> None:
    """And says that nothing of it has happened."""
    texts = [line.text for line in report_lines(picture(QUEUE).snapshot, host="h", took_s=1.0)]
    assert any(text.startswith("TRENDS") for text in texts)
    assert any("TTFT passes 1.5 s in ~2 min" in text for text in texts)
    assert not any("TRENDS" in line.text for line in report_lines(picture().snapshot, host="h", took_s=1.0))


def test_scripts_get_the_figures() -> None:
    """In base units."""
    (trend,) = report(picture(QUEUE).snapshot, version="0", host="h", took_s=1.0)["trends"]
    assert trend == {
        "growing": "queue",
        "entity": "engine/vllm:8000",
        "value": 12.0,
        "rate": pytest.approx(4 / 60),
        "goal": "ttft",
        "limit": 1.5,
        "left_s": 121.0,
        "span_s": 119.0,
        "r2": 0.97,
    }
