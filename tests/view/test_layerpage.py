"""Tests of the page of one layer: what stands in it, where the cursor is, and that it keeps to every size."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perfconsole.model.dictionary import DEFAULT
from perfconsole.model.entity import Entity, Kind, Link, Relation
from perfconsole.model.sample import Fact, Missing
from perfconsole.view.boards import BOARDS
from perfconsole.view.canvas import Cursor, Page, Target, plain_text, width
from perfconsole.view.glyphs import ASCII, UNICODE, Glyphs
from perfconsole.view.layerpage import layer_page
from perfconsole.view.picture import LAYERS, Picture
from tests.view.pictures import ENGINE, indicator, snapshot, source
from tests.view.searching import HELPER_DOWN, LOOKED, SEARCH, searched
from tests.view.serving import AGENT, GATEWAY, GPU_VALUES, serving

if TYPE_CHECKING:
    from perfconsole.model.snapshot import Indicator

TTFT: Target = ("indicator", "engine.ttft.p95", str(ENGINE))
WAITING: Target = ("indicator", "engine.requests_waiting", str(ENGINE))


def _page(layer: str = "engine", cursor: Cursor | None = None, size: tuple[int, int] = (80, 24)) -> Page:
    return layer_page(serving(), layer, cursor or Cursor(), *size)


def _line(page: Page, start: str) -> str:
    lines = plain_text(page.rows).splitlines()
    return next((line for line in lines if line.lstrip("▸ ").startswith(start)), "")


def test_the_title_names_the_engine_and_what_it_does() -> None:
    """Version and model follow where there is room."""
    title = plain_text(_page(size=(120, 40)).rows[:1])
    assert title.startswith("ENGINE  ok  vllm:8000  busy  running 32  waiting 80 !  0.11.0  qwen2.5-7b")


def test_marks_are_counted_in_the_title() -> None:
    """Also those of rows that are scrolled away."""
    assert plain_text(_page().rows[:1]).endswith("1 ! warn")


def test_the_tabs_are_all_and_the_five_boards() -> None:
    """Each answers to the mouse where it stands."""
    page = _page()
    tabs = [hit for hit in page.hits if hit.target[0] == "tab"]
    text = "".join(span.text for span in page.rows[1])
    assert [text[h.x0 : h.x1].strip(" []") for h in tabs] == ["all", *(board.tab for board in BOARDS)]


def test_a_tab_shows_its_board() -> None:
    """The board's own indicators in its words."""
    page = _page(cursor=Cursor(tab=2))
    assert page.items[0] == TTFT
    assert "[TTFT ITL]" in plain_text(page.rows)


def test_a_board_has_large_charts_where_there_is_room() -> None:
    """Two of them above the list."""
    assert "TTFT p95" in plain_text(_page(cursor=Cursor(tab=2), size=(120, 40)).rows[2:3])


def test_a_histogram_takes_one_line() -> None:
    """Quantiles of the window, and the lifetime figure said to be one."""
    assert _line(_page(), "ttft") == "  ttft                    p50 1.2 s  p95 2.5 s  p99 3.1 s  lifetime p95 500 ms"


def test_a_value_that_passes_a_mark_has_a_sign_and_a_word() -> None:
    """Never colour alone."""
    assert "80 ! warn" in _line(_page(), "requests_waiting")


def test_a_missing_value_shows_its_reason_behind_the_known_ones() -> None:
    """It is not 0, and it does not push known ones down."""
    page = _page(size=(80, 60))
    assert _line(page, "kv_transfer_failures").split(None, 1)[1] == "not exported"
    names = [target[1] for target in page.items]
    assert names.index("engine.kv_transfer_failures") > names.index("engine.kv_time_to_full")


def test_quantiles_that_cannot_be_had_stand_beside_the_mean_that_can() -> None:
    """A summary has a mean and no quantile."""
    more = [
        indicator("engine.response_size.p50", Missing.UNSUPPORTED),
        indicator("engine.response_size.p95", Missing.UNSUPPORTED),
        indicator("engine.response_size.mean", 2048.0),
    ]
    page = layer_page(serving(more=more), "engine", Cursor(filter="response_size"), 80, 24)
    assert "mean 2 KiB  p50 p95 unsupported" in _line(page, "response_size")


def test_the_cursor_stands_on_the_line_of_its_target() -> None:
    """With a sign in front."""
    assert _line(_page(cursor=Cursor(WAITING)), "requests_waiting").startswith("▸ ")


def test_every_suffix_of_a_histogram_leads_to_its_line() -> None:
    """A finding may name p50 while the line stands for p95; the lower part then shows p50."""
    page = _page(cursor=Cursor(("indicator", "engine.ttft.p50", str(ENGINE))))
    assert _line(page, "ttft").startswith("▸ ")
    assert "engine.ttft.p50  engine/vllm:8000" in plain_text(page.rows)


def test_the_chosen_line_is_scrolled_into_view() -> None:
    """The last item is seen."""
    last = _page().items[-1]
    page = _page(cursor=Cursor(last))
    assert last in [hit.target for hit in page.hits]


def test_a_filter_looks_in_names_and_definitions() -> None:
    """Without regard to case."""
    assert [t[1] for t in _page(cursor=Cursor(filter="PREEMPT")).items] == ["engine.preemption_ratio"]
    assert TTFT in _page(cursor=Cursor(filter="arrival to first token")).items


def test_a_filter_that_matches_nothing_says_so() -> None:
    """The page is not just empty."""
    page = _page(cursor=Cursor(filter="zzz"))
    assert page.items == ()
    assert "nothing matches 'zzz'" in plain_text(page.rows)


def test_the_lower_part_tells_all_of_an_indicator() -> None:
    """Definition, mark with its basis, owner, origin, parts, and its history."""
    text = plain_text(_page(cursor=Cursor(("indicator", "engine.kv_cache_usage", str(ENGINE))), size=(150, 50)).rows)
    pieces = ("KV blocks in use", "no mark (above 80%", "owner inference", "from live", "rank=0 50%, rank=1 54%")
    assert [piece for piece in (*pieces, "-10 min") if piece not in text] == []


def test_the_lower_part_sets_the_window_against_the_lifetime_and_the_healthy_value() -> None:
    """Each figure says which it is."""
    cursor = Cursor(("indicator", "engine.itl.p95", str(ENGINE)))
    text = " ".join(plain_text(_page(cursor=cursor, size=(150, 50)).rows).split())
    assert "p95 44 ms (lifetime 500 ms)" in text
    assert "healthy 10 ms (lifetime at first scrape)" in text


def test_80x24_keeps_five_rows_for_the_lower_part() -> None:
    """Its line, and at least five rows with a chart in them."""
    lines = plain_text(_page(cursor=Cursor(TTFT)).rows).splitlines()
    start = next(n for n, line in enumerate(lines) if line.startswith("─ engine.ttft.p95"))
    assert len(lines) - start - 1 >= 5
    assert "-10 min" in lines[-1]


def test_charts_of_a_board_take_what_its_list_leaves() -> None:
    """On a tall screen; on a narrow one there is one, and on a small one none."""
    tall, narrow, small = (plain_text(_page(cursor=Cursor(tab=2), size=size).rows) for size in SIZES)
    assert [line.split() for line in tall.splitlines() if "ITL p95" in line] == [["TTFT", "p95", "ITL", "p95"]]
    assert [text.count("█" * 4) > 0 for text in (tall, narrow, small)] == [True, True, True]
    axis = next(y for y, line in enumerate(tall.splitlines()) if "-10 min" in line)
    assert axis == 3 + 16 - 1 - 1
    assert "ITL p95" not in narrow


SIZES = ((200, 60), (80, 40), (80, 24))


def test_items_are_unique() -> None:
    """A cursor that follows its target gets past every one of them."""
    for layer in LAYERS:
        items = layer_page(serving(gpus=16), layer, Cursor(), 80, 24).items
        assert len(set(items)) == len(items)


def test_two_engines_have_a_heading_each() -> None:
    """Their indicators are not mixed."""
    more = [indicator("engine.requests_running", 1.0, Entity(Kind.ENGINE, "b:1"))]
    text = plain_text(layer_page(serving(more=more), "engine", Cursor(), 100, 60).rows)
    assert "\nengine/vllm:8000" in text
    assert "\nengine/b:1" in text


def test_few_gpus_have_a_row_each() -> None:
    """In the order of their numbers."""
    text = plain_text(_page("hardware").rows)
    assert text.index("GPU 0") < text.index("GPU 1") < text.index("host/gpu-07")


def test_sixteen_gpus_fold_into_one_row_on_a_small_screen() -> None:
    """With the range of each value."""
    text = plain_text(layer_page(serving(gpus=16), "hardware", Cursor(), 80, 24).rows)
    assert "GPU 0-15" in text


def test_sixteen_gpus_have_a_row_each_on_a_large_screen() -> None:
    """All of them are seen."""
    text = plain_text(layer_page(serving(gpus=16), "hardware", Cursor(), 120, 40).rows)
    assert all(f"GPU {place} " in text for place in range(16))


def test_the_hardware_page_names_the_first_full_resource_and_what_is_not_seen() -> None:
    """Before any figure."""
    head = plain_text(_page("hardware", size=(120, 40)).rows[:3])
    assert "first full: slots 100% (bottleneck) !!" in head
    assert "not seen: GPU bandwidth (unsupported)" in head


def test_the_gpu_with_the_first_full_resource_is_marked() -> None:
    """In words, above its card, and in its row where there is no room for one."""
    more = [indicator("gpu.dram_active", 0.99, Entity(Kind.GPU, "1"))]
    picture = serving(more=more, less=("engine.batch_fill",))
    assert "gpu/1" in _line(layer_page(picture, "hardware", Cursor(), 120, 40), "first full !!")
    assert "GPU 1" in _line(layer_page(picture, "hardware", Cursor(), 80, 22), "first full !!")


def test_one_gpu_has_its_card_before_the_host() -> None:
    """Its values in a few rows, the cursor on the first of them."""
    text = plain_text(layer_page(serving(gpus=1), "hardware", Cursor(), 80, 24).rows)
    assert "▸ load    bandwidth unsupported  util 60% (some kernel ran)  memory 91%" in text
    assert text.index("gpu/0") < text.index("load  ") < text.index("faults") < text.index("host/gpu-07")


@pytest.mark.parametrize("size", [(60, 14), (80, 22), (120, 38)])
def test_a_gpu_helper_that_is_silent_is_said_above_all(size: tuple[int, int]) -> None:
    """And the values of the GPUs are gone, not 0."""
    gone = [indicator(name, Missing.SOURCE_DOWN, Entity(Kind.GPU, str(n))) for name in GPU_VALUES for n in range(16)]
    picture = serving(gpus=16, more=gone)
    shown = replace(picture, snapshot=replace(picture.snapshot, sources=(HELPER_DOWN,)))
    text = plain_text(layer_page(shown, "hardware", Cursor(), *size).rows)
    assert text.splitlines()[1].startswith("GPUs  not read for 12 s: the GPU helper (pid 4312) has not")
    assert "no values: source down" in text


def test_a_remark_about_all_gpus_stands_on_a_page_with_room() -> None:
    """Not on a small one."""
    picture = serving(gpus=1)
    noted = source("gpus", kind="gpu", notes=("profiling counters need root",))
    shown = replace(picture, snapshot=replace(picture.snapshot, sources=(noted,)))
    pages = [plain_text(layer_page(shown, "hardware", Cursor(), 80, height).rows) for height in (24, 14)]
    assert ["GPUs  profiling counters need root" in page for page in pages] == [True, False]


def test_a_gateway_says_whom_it_calls() -> None:
    """And what its processes hold."""
    worker = Entity(Kind.PROCESS, "4312")
    links = [Link(Relation.GATEWAY_TO_ENGINE, GATEWAY, ENGINE), Link(Relation.GATEWAY_HAS_PROCESS, GATEWAY, worker)]
    more = [indicator("gateway.up", 1.0, GATEWAY), indicator("host.process_fd_ratio", 0.12, worker)]
    title = plain_text(layer_page(serving(more=more, links=links), "gateway", Cursor(), 80, 24).rows[:1])
    assert "litellm:4000  calls vllm:8000  fds 12%" in title


@pytest.mark.parametrize(("name", "start"), [("sim-agents", "sim-agents  fastapi"), ("fastapi:9000", "fastapi:9000")])
def test_what_an_orchestrator_is_stands_behind_a_name_that_does_not_say_it(name: str, start: str) -> None:
    """Once."""
    agents = Entity(Kind.ORCHESTRATOR, name)
    picture = serving(more=[indicator("orchestration.up", 1.0, agents)])
    facts = (Fact("orchestration.adapter", agents, "fastapi"),)
    shown = replace(picture, snapshot=replace(picture.snapshot, facts=facts))
    title = plain_text(layer_page(shown, "orchestration", Cursor(), 80, 24).rows[:1])
    assert title.endswith(f"  {start}")


@pytest.mark.parametrize(("layer", "flag"), [("gateway", "--gateway"), ("engine", "--engine")])
def test_a_layer_in_which_nothing_was_found_says_what_was_looked_at(layer: str, flag: str) -> None:
    """That it goes on, and how to name one all the same."""
    text = " ".join(plain_text(layer_page(searched(SEARCH), layer, Cursor(), 80, 24).rows).split())
    assert f"? none found No {layer} found: {LOOKED}; looking again every 2 s." in text
    assert flag in text


@pytest.mark.parametrize(("layer", "flag"), [("gateway", "--gateway"), ("orchestration", "--orchestrator")])
def test_an_empty_layer_says_how_to_fill_it(layer: str, flag: str) -> None:
    """The flag that names a target of it."""
    page = _page(layer)
    assert flag in plain_text(page.rows)
    assert page.items == ()


def test_a_layer_that_has_not_answered_is_not_called_unnamed() -> None:
    """Who named an engine reads that it does not answer yet."""
    silent = snapshot(entities=(), sources=(source("127.0.0.1:8000", kind="engine", answered=False),))
    assert "No answer yet from 127.0.0.1:8000" in plain_text(
        layer_page(Picture(silent, DEFAULT), "engine", Cursor(), 80, 24).rows
    )


def test_names_from_outside_are_harmless() -> None:
    """An escape code in a model's name is shown, never obeyed."""
    picture = serving()
    evil = replace(picture.snapshot, facts=(Fact("engine.model", ENGINE, "\x1b[2Jx"),))
    assert "\x1b" not in plain_text(layer_page(Picture(evil, DEFAULT), "engine", Cursor(), 120, 40).rows)


names = st.sampled_from([e.name for e in DEFAULT.entries if e.sort not in ("histogram", "text")])
owners = st.sampled_from(
    [ENGINE, GATEWAY, AGENT, Entity(Kind.HOST, "größe 主机"), Entity(Kind.PROCESS, "7"), Entity(Kind.RANK, "v/0")]
)
values = st.floats(allow_nan=False) | st.sampled_from(Missing)
extras = st.lists(st.builds(indicator, names, values, owners), max_size=12, unique_by=lambda i: (i.name, i.entity))
targets = st.none() | st.sampled_from([TTFT, WAITING, ("layer", "engine"), ("indicator", "x", "engine/y")])
cursors = st.builds(
    Cursor,
    targets,
    st.integers(-3, 400),
    st.integers(-1, 7),
    st.sampled_from(["", "kv", "GPU", "zzz", "ö", "(", "total"]),
)
sizes = st.tuples(st.integers(60, 250), st.integers(16, 70))


@settings(max_examples=120, deadline=None)
@given(st.sampled_from(LAYERS), cursors, sizes, extras, st.integers(0, 17), st.sampled_from((UNICODE, ASCII)))
def test_a_page_keeps_to_every_size(
    layer: str, cursor: Cursor, size: tuple[int, int], more: list[Indicator], gpus: int, glyphs: Glyphs
) -> None:
    """Exactly the rows, none of another width, hits inside, ASCII where asked, whatever is known."""
    page = layer_page(serving(gpus=gpus, more=more, glyphs=glyphs), layer, cursor, *size)
    assert len(page.rows) == size[1]
    assert {width(row) for row in page.rows} == {size[0]}
    assert all(0 <= hit.y < size[1] and hit.x0 < hit.x1 for hit in page.hits)
    assert glyphs is UNICODE or plain_text(page.rows).isascii()
    assert not page.items or page.items[cursor.place(page.items)]


@settings(max_examples=60, deadline=None)
@given(
    st.sampled_from(LAYERS), st.integers(1, 250), st.integers(1, 70), st.sampled_from(((), (ENGINE, GATEWAY, AGENT)))
)
def test_an_empty_snapshot_has_a_page_of_every_size(
    layer: str, columns: int, height: int, entities: tuple[Entity, ...]
) -> None:
    """Nothing known is no reason to fail."""
    page = layer_page(Picture(snapshot(entities=entities), DEFAULT), layer, Cursor(tab=1), columns, height)
    assert [width(row) for row in page.rows] == [columns] * height
