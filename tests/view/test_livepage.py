"""Tests of the main page: its form at every size, and what it must never say or leave out."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perfconsole.model.dictionary import DEFAULT
from perfconsole.model.entity import Entity, Kind
from perfconsole.model.finding import Finding, State, Verdict
from perfconsole.model.rule import Severity
from perfconsole.model.sample import Fact, Missing
from perfconsole.model.snapshot import SourceState
from perfconsole.view.canvas import Cursor, Page, plain_text, width
from perfconsole.view.findingspanel import UNSEEN, finding_target
from perfconsole.view.glyphs import ASCII, UNICODE, Glyphs
from perfconsole.view.livepage import live_page
from perfconsole.view.picture import LAYERS, Picture
from perfconsole.view.plain import plain
from perfconsole.view.units import shown
from perfconsole.view.wording import SEVERITY_WORD
from tests.view.pictures import ENGINE, HOST, finding, indicator, reading, snapshot, source
from tests.view.searching import BEGUN, LOOKED, NO_GPUS, SEARCH, searched
from tests.view.serving import AGENT, ENGINE_VALUES, GATEWAY, Values, indicators, serving, waves

SMALL = (80, 24 - 2)
DESIGN = (120, 40 - 2)
TITLE = "Requests wait for a slot while memory is free"


def _page(picture: Picture, size: tuple[int, int] = DESIGN, cursor: Cursor | None = None) -> Page:
    return live_page(picture, cursor or Cursor(), *size)


def _text(picture: Picture, size: tuple[int, int] = DESIGN) -> str:
    return plain_text(_page(picture, size).rows)


def _crowd(findings: int = 1) -> Picture:
    """Sixteen GPUs, three engines, a gateway and an orchestrator."""
    engines = [Entity(Kind.ENGINE, f"vllm:800{n}") for n in (1, 2)]
    more = [i for e in engines for i in indicators(ENGINE_VALUES, e)]
    more += [indicator("gateway.up", 1.0, GATEWAY), indicator("orchestration.up", 1.0, AGENT)]
    picture = serving(gpus=16, more=more)
    condition = reading("engine.kv_cache_usage < 80%", ("engine.kv_cache_usage", 0.52), held=(60.0, 60.0))
    found = tuple(finding(f"r{n}", title=TITLE, readings=(condition,) * 3) for n in range(findings))
    return replace(picture, snapshot=replace(picture.snapshot, findings=found))


@pytest.mark.parametrize("size", [SMALL, DESIGN])
@pytest.mark.parametrize("count", [1, 12])
def test_the_headline_is_seen_whatever_else_there_is(size: tuple[int, int], count: int) -> None:
    """Title and severity word of the first finding, whole."""
    assert f"1 ! {SEVERITY_WORD[Severity.WARN]} {TITLE}" in _text(_crowd(count), size)


@pytest.mark.parametrize("size", [SMALL, DESIGN])
def test_every_layer_has_its_line(size: tuple[int, int]) -> None:
    """In the order in which a request travels."""
    text = _text(_crowd(12), size)
    places = [text.index(f"{n} {layer.upper()}") for n, layer in enumerate(LAYERS, 1)]
    assert places == sorted(places)


def test_on_a_narrow_screen_findings_come_first() -> None:
    """They are what the page is for."""
    text = _text(_crowd(), SMALL)
    assert text.index("FINDINGS") < text.index("1 GATEWAY")


def test_on_a_wide_screen_they_stand_beside_the_layers() -> None:
    """Both begin in the first row."""
    first = _text(_crowd()).splitlines()[0]
    assert "1 GATEWAY" in first
    assert "FINDINGS 1" in first


def test_layers_that_nobody_watches_leave_their_room_to_findings() -> None:
    """At 80x24 every row counts."""
    condition = reading("engine.kv_cache_usage < 80%", ("engine.kv_cache_usage", 0.52))
    found = finding(readings=(condition,) * 8)
    picture = Picture(snapshot(findings=(found,), sources=(source(),)), DEFAULT)
    text = _text(picture, SMALL)
    assert text.count("[engine.kv_cache_usage < 80%]") == 8
    assert text.count("? not watched") == 3


def test_room_below_the_layers_shows_the_last_ten_minutes() -> None:
    """Of the engine that holds most requests."""
    assert "LAST 10 MINUTES vllm:8000" in _text(serving())
    assert "LAST 10 MINUTES" not in _text(serving(), SMALL)


def test_a_narrow_column_has_one_wide_chart_in_a_row() -> None:
    """Two side by side would have ten bars each; the queue comes first."""
    left = [line[:58] for line in _text(_crowd()).splitlines()]
    text = _text(serving(), (120, 50))
    assert not any("waiting" in line and "TTFT p95" in line for line in left)
    assert text.index("waiting") < text.index("TTFT p95") < text.index("output tokens")


def test_nothing_wrong_leaves_the_room_to_the_signals() -> None:
    """What would tell of trouble stands where findings would, in one column at 120 and in two at 200."""
    whole = serving(more=[indicator("engine.error_ratio", 0.0)])
    quiet = replace(whole, snapshot=replace(whole.snapshot, sources=(source(),)))
    right = "\n".join(line[58:] for line in _text(quiet).splitlines())
    assert "Nothing obviously wrong." in right
    assert "first full: slots 100% (bottleneck)" in right
    assert [word for word in ("waiting", "TTFT p95", "ITL p95", "output tokens") if word not in right] == []
    wide = _text(quiet, (200, 58)).splitlines()
    assert any("waiting" in line and "TTFT p95" in line for line in wide)


def test_charts_begin_with_two_minutes() -> None:
    """Else the start of an incident would be a few columns at the edge."""
    fresh = replace(serving(), started=30.0)
    assert "LAST 2 MINUTES" in _text(fresh)
    assert "-2 min" in _text(fresh)


def test_evidence_below_the_fold_is_counted() -> None:
    """On the line above the findings, while the cursor is on one of them."""
    condition = reading("engine.kv_cache_usage < 80%", ("engine.kv_cache_usage", 0.52))
    found = finding(readings=(condition,) * 40, cause="")
    picture = Picture(snapshot(findings=(found,), sources=(source(),)), DEFAULT)
    text = _text(picture, SMALL)
    shown = [line for line in text.splitlines() if line.startswith("    ")]
    assert f"enter {40 + len(['on']) - len(shown)} more rows" in text
    on_layer = plain_text(_page(picture, SMALL, Cursor(("layer", "engine"))).rows)
    assert "more rows" not in on_layer
    short = Picture(snapshot(findings=(finding(),), sources=(source(),)), DEFAULT)
    assert "more row" not in _text(short, SMALL)


@pytest.mark.parametrize("size", [SMALL, DESIGN])
def test_what_is_down_in_front_shows_no_value(size: tuple[int, int]) -> None:
    """A gateway and an orchestrator say since when and why, as an engine does."""
    values: Values = {"gateway.up": 0.0, "gateway.request_rate": 7.5, "gateway.ttft.p50": 0.33}
    agent: Values = {"orchestration.up": 0.0, "orchestration.health_time": 0.123}
    picture = serving(more=[*indicators(values, GATEWAY), *indicators(agent, AGENT)])
    pages = (
        source(GATEWAY.name, kind="gateway page", state=SourceState.DOWN, silent_s=42.0, reason="refused"),
        source(AGENT.name, kind="orchestrator page", state=SourceState.DOWN, silent_s=9.0, reason="timed out"),
    )
    text = _text(replace(picture, snapshot=replace(picture.snapshot, sources=pages)), size)
    assert "litellm:4000  down, silent for 42 s  refused" in text
    assert "agent.py  down, silent for 9 s  timed out" in text
    assert [word for word in ("7.5 req", "330 ms", "123 ms") if word in text] == []


def test_what_is_full_stands_at_its_own_layer() -> None:
    """Slots are the engine's, not the hardware's."""
    lines = _text(serving(), SMALL).splitlines()
    assert [line.split()[2] for line in lines if "(bottleneck)" in line] == ["ENGINE"]


@pytest.mark.parametrize("size", [SMALL, DESIGN])
def test_an_empty_picture_says_what_is_not_watched(size: tuple[int, int]) -> None:
    """And never ok."""
    text = _text(Picture(snapshot(entities=()), DEFAULT), size)
    assert text.count("? not watched") == len(LAYERS)
    assert "No engine is watched" in text
    assert "ok" not in text.split()
    assert "Nothing obviously wrong" not in text


LEAST = (60, 16 - 2)


def _words(picture: Picture, size: tuple[int, int], columns: tuple[int, int] = (0, 300)) -> str:
    """The page as one text, wrapped rows put together again."""
    lines = [line[slice(*columns)] for line in _text(picture, size).splitlines()]
    return " ".join(" ".join(lines).split())


@pytest.mark.parametrize("size", [LEAST, SMALL, DESIGN])
def test_a_host_without_anything_says_what_was_looked_for_and_what_is_done(size: tuple[int, int]) -> None:
    """In plain words, and no word of it an all-clear."""
    picture = searched(NO_GPUS, SEARCH)
    text = _words(picture, size)
    assert "No engine was found on this host: nothing can be said about" in text
    left = (0, 57) if size == DESIGN else (0, 300)
    looked = f"no engine found: {LOOKED}; looking again every 2 s; name one with --engine URL"
    assert looked in _words(picture, size, left)
    assert "Watched and judged all the same: this host." in text
    assert text.count("? none found") == 3
    assert "GPUs no NVIDIA driver on this host:" in text
    assert "Nothing obviously wrong" not in text


def test_nothing_is_green_but_the_host() -> None:
    """It alone is watched."""
    page = _page(searched(NO_GPUS, SEARCH), SMALL)
    assert [span.text for r in page.rows for span in r if "ok" in span.style] == ["host ok, GPUs not seen"]


@pytest.mark.parametrize("size", [LEAST, SMALL, DESIGN])
def test_before_the_search_has_answered_it_is_said_to_look(size: tuple[int, int]) -> None:
    """Nobody is told that there is nothing."""
    text = _words(searched(BEGUN), size)
    assert "Looking for engines, gateways and orchestrators of this host." in text
    assert text.count("? looking") == 3
    assert "none found" not in text


@pytest.mark.parametrize("size", [LEAST, SMALL, DESIGN])
def test_those_of_sixteen_gpus_that_are_in_trouble_are_named(size: tuple[int, int]) -> None:
    """At every size, with an engine beside them."""
    lost = [indicator("gpu.up", 0.0, Entity(Kind.GPU, "2"))]
    picture = serving(gpus=16, more=lost)
    notes = ("GPU 3: nvmlDeviceGetPowerUsage has not returned for 4 s", "GPU 4: Xid 79: GPU has fallen off the bus")
    sources = (source(), source("gpus", kind="gpu", notes=notes))
    text = _text(replace(picture, snapshot=replace(picture.snapshot, sources=sources)), size)
    rows, folded = ("GPU 2  LOST", "GPU 3  HUNG", "GPU 4  Xid 79"), ("LOST GPU 2", "HUNG GPU 3", "Xid 79 on GPU 4")
    words = rows if "GPU 0 " in text else folded
    assert [word for word in words if word not in text] == []


@pytest.mark.parametrize("size", [SMALL, DESIGN])
def test_an_engine_that_is_down_shows_no_value(size: tuple[int, int]) -> None:
    """Stale figures are neither shown nor taken for 0."""
    stale = [indicator(name, Missing.SOURCE_DOWN) for name in ENGINE_VALUES if name != "engine.up"]
    text = _text(serving(more=[indicator("engine.up", 0.0), *stale]), size)
    line = next(line for line in text.splitlines() if "vllm:8000  down" in line)
    assert line.split("vllm:8000  down")[1][:20].strip() == ""
    assert "run " not in text
    assert "x down" in text


def test_the_cursor_may_stand_on_findings_what_is_unseen_and_layers() -> None:
    """In this order."""
    picture = _crowd(2)
    first, second = picture.snapshot.findings
    layers = tuple(("layer", layer) for layer in LAYERS)
    assert _page(picture).items == (finding_target(first), finding_target(second), UNSEEN, *layers)


def test_a_layer_under_the_cursor_is_lit() -> None:
    """Its rule is."""
    page = _page(_crowd(), SMALL, Cursor(("layer", "engine")))
    lit = [r for r in page.rows if any("select" in span.style for span in r)]
    assert "3 ENGINE" in plain_text(lit)


def test_a_filter_is_seen() -> None:
    """Beside how many findings it leaves."""
    assert "FINDINGS 2: 1 with 'r1'" in plain_text(_page(_crowd(2), cursor=Cursor(filter="r1")).rows)


@pytest.mark.parametrize("size", [SMALL, DESIGN])
def test_rows_answer_to_the_mouse_where_they_stand(size: tuple[int, int]) -> None:
    """A press on the head of a finding opens that finding, one on a layer that layer."""
    page = _page(_crowd(2), size)
    lines = ["".join(span.text for span in r) for r in page.rows]
    for hit in page.hits:
        text = lines[hit.y][hit.x0 : hit.x1]
        if "GATEWAY" in text or "litellm" in text:
            assert hit.target == ("layer", "gateway")
        if text.startswith("2 ! "):
            assert hit.target == finding_target(_crowd(2).snapshot.findings[1])


numbers = st.floats(0, 1e6)


@settings(max_examples=40)
@given(
    st.sampled_from(["engine.ttft.p95", "engine.itl.p50", "engine.generation_rate", "engine.kv_cache_usage"]), numbers
)
def test_numbers_are_those_of_the_snapshot(name: str, value: float) -> None:
    """In the words that the report has for them."""
    assert shown(value, DEFAULT.unit(name)) in _text(serving(more=[indicator(name, value)]), (200, 60))


texts = st.sampled_from(
    ["x", "[red]x[/red]", "\x1b[31mx\x07", "中文主机" * 8, "😀" * 9, "w" * 300, "größe", "a b " * 40]
)
found = st.builds(
    finding,
    st.sampled_from(["a", "b", "c"]),
    entity=st.sampled_from([ENGINE, HOST, GATEWAY, AGENT, Entity(Kind.GPU, "3")]),
    title=texts,
    cause=texts,
    state=st.sampled_from(State),
    verdict=st.sampled_from(Verdict),
    severity=st.sampled_from(Severity),
    explained_by=st.sampled_from([None, "a"]),
)
sizes = st.tuples(st.integers(60, 250), st.integers(14 - 3, 70 - 2))
cursors = st.builds(
    Cursor,
    st.sampled_from([None, UNSEEN, *(("layer", layer) for layer in LAYERS), ("finding", "a", str(ENGINE))]),
    st.integers(-2, 30),
    filter=st.sampled_from(["", "a", "中", "zzz"]),
)


def _made(gpus: int, names: list[str], findings: list[Finding], glyphs: Glyphs) -> Picture:
    more = [i for name in names for i in indicators(ENGINE_VALUES, Entity(Kind.ENGINE, name))]
    more += [indicator("gateway.up", 1.0, Entity(Kind.GATEWAY, name)) for name in names]
    picture = serving(gpus=gpus, more=more, glyphs=glyphs)
    facts = tuple(Fact("engine.model", ENGINE, name) for name in names)
    sources = tuple(source(name) for name in names)
    changes = {"findings": tuple(findings), "facts": facts, "sources": sources}
    return replace(picture, snapshot=replace(picture.snapshot, **changes))  # type: ignore[arg-type]  # fields by name


def _whole(page: Page, size: tuple[int, int]) -> bool:
    """Exactly the rows and columns, hits inside, something for the cursor to stand on."""
    columns, height = size
    inside = all(0 <= h.y < height and 0 <= h.x0 < h.x1 <= columns for h in page.hits)
    return [width(r) for r in page.rows] == [columns] * height and inside and bool(page.items)


@settings(max_examples=150)
@given(
    st.sampled_from([0, 1, 16]),
    st.lists(texts, max_size=3, unique=True),
    st.lists(found, max_size=5),
    st.sampled_from([UNICODE, ASCII]),
    sizes,
    cursors,
)
def test_a_page_keeps_to_every_size(
    gpus: int, names: list[str], findings: list[Finding], glyphs: Glyphs, size: tuple[int, int], cursor: Cursor
) -> None:
    """Whatever is watched, found and named; harmless, and in ASCII where asked."""
    page = _page(_made(gpus, names, findings, glyphs), size, cursor)
    text = plain_text(page.rows)
    assert _whole(page, size)
    assert plain(text.replace("\n", "")) == text.replace("\n", "")
    assert text.isascii() or glyphs is UNICODE


@settings(max_examples=50)
@given(sizes, st.sampled_from([(), (ENGINE,), (ENGINE, HOST, GATEWAY, AGENT)]))
def test_nothing_known_is_no_reason_to_fail(size: tuple[int, int], entities: tuple[Entity, ...]) -> None:
    """Of entities without a single value."""
    assert _whole(_page(Picture(snapshot(entities=entities), DEFAULT, waves), size), size)


notes = st.lists(st.one_of(texts, st.builds("GPU {}: {}".format, st.integers(0, 17), texts)), max_size=5).map(tuple)


@settings(max_examples=100)
@given(st.sampled_from([0, 1, 16]), notes, notes, st.sampled_from(SourceState), st.booleans(), sizes)
def test_words_of_the_search_and_of_the_driver_keep_to_every_size(
    gpus: int,
    searched_for: tuple[str, ...],
    said: tuple[str, ...],
    state: SourceState,
    answered: bool,  # noqa: FBT001 - drawn by hypothesis
    size: tuple[int, int],
) -> None:
    """Whatever they say and in whatever state, in ASCII alone."""
    sources = (
        replace(SEARCH, notes=searched_for, state=state, reason="中文" * 30, answered=answered),
        source("gpus", kind="gpu", notes=said, state=state, reason="why " * 40, answered=answered),
    )
    picture = serving(gpus=gpus, glyphs=ASCII)
    alone = tuple(e for e in picture.snapshot.entities if e.kind is not Kind.ENGINE)
    shown = replace(picture, snapshot=replace(picture.snapshot, sources=sources, entities=alone))
    page = _page(shown, size)
    assert _whole(page, size)
    assert plain_text(page.rows).isascii()
