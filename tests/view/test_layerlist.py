"""Tests of the lines of a layer page: order, marks, missing values, and where a filter looks."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perfconsole.model.entity import Entity, Kind, Link, Relation
from perfconsole.model.sample import Fact, Missing
from perfconsole.view.boards import BOARDS
from perfconsole.view.canvas import plain_text, width
from perfconsole.view.layerlist import (
    Line,
    Reading,
    board_lines,
    entity_lines,
    gpu_lines,
    has_history,
    heading,
    mark_words,
    readings_of,
    value_text,
)
from tests.view.pictures import ENGINE, HOST, indicator
from tests.view.serving import serving

if TYPE_CHECKING:
    from perfconsole.model.snapshot import Indicator

PROCESS = Entity(Kind.PROCESS, "4312")


def _drawn(lines: list[Line], columns: int = 100) -> str:
    return plain_text([line.draw(columns) for line in lines])


def _line(name: str, *more: Indicator, columns: int = 100) -> str:
    lines = list(entity_lines(serving(more=more), [ENGINE], known=ENGINE))
    return _drawn([line for line in lines if line.name == name], columns)


def _readings() -> list[Reading]:
    return next(readings_of(serving(), [ENGINE]))[1]


def test_readings_gather_the_suffixes_of_a_histogram() -> None:
    """One line each, p95 stands for it."""
    ttft = next(r for r in _readings() if r.base == "engine.ttft")
    assert [i.name for i in ttft.values] == [f"engine.ttft.{s}" for s in ("p50", "p95", "p99", "mean")]
    assert ttft.shown.name == "engine.ttft.p95"


def test_what_a_person_looks_for_comes_first() -> None:
    """Queue, batch, latencies, cache and rates before `up` and its like."""
    bases = [r.base for r in _readings()]
    assert bases[:5] == [
        "engine.requests_running",
        "engine.requests_waiting",
        "engine.ttft",
        "engine.itl",
        "engine.kv_cache_usage",
    ]
    assert bases.index("engine.up") > bases.index("engine.request_rate")


def test_what_is_missing_comes_last() -> None:
    """It does not push known values down."""
    missing = [r.missing for r in _readings()]
    assert True in missing
    assert all(a <= b for a, b in pairwise(missing))


def test_a_heading_stands_above_each_entity_where_they_are_several() -> None:
    """The cursor does not stand on it."""
    lines = list(entity_lines(serving(), [ENGINE, HOST]))
    assert [_drawn([line]) for line in lines if not line.name] == [
        "engine/vllm:8000  0.11.0  qwen2.5-7b",
        "host/gpu-07",
    ]


def test_the_entity_that_the_title_names_has_no_heading() -> None:
    """The same words twice would cost a row."""
    lines = list(entity_lines(serving(), [ENGINE, HOST], known=ENGINE))
    assert [_drawn([line]) for line in lines if not line.name] == ["host/gpu-07"]


def test_a_process_is_headed_by_its_role() -> None:
    """And whose it is."""
    link = Link(Relation.ENGINE_HAS_PROCESS, ENGINE, PROCESS, "core")
    assert _drawn([heading(serving(links=[link]), PROCESS)]) == "process/4312  core of vllm:8000"


def test_values_stand_below_one_another() -> None:
    """In a column of fixed width."""
    a, b = _line("engine.requests_running"), _line("engine.requests_waiting")
    assert a.index("32") == b.index("80") == 31


def test_a_mark_is_a_sign_and_a_word() -> None:
    """Of a value that passes it."""
    assert "80 ! warn" in _line("engine.requests_waiting")
    assert mark_words(indicator("engine.kv_cache_usage", 0.5)) == ""
    marked = indicator("engine.kv_cache_usage", 0.97)._replace(mark="critical")
    assert value_text(marked) == "97% !! critical"


def test_the_first_full_resource_is_flagged() -> None:
    """Where a reader of the list meets it."""
    assert "100% !! first full" in _line("engine.batch_fill")


def test_quantiles_stand_in_one_line_with_the_lifetime_figure() -> None:
    """Which is said to be one."""
    assert "p50 1.2 s  p95 2.5 s  p99 3.1 s  lifetime p95 500 ms" in _line("engine.ttft.p95")


@pytest.mark.parametrize("reason", Missing)
def test_a_missing_value_shows_its_reason(reason: Missing) -> None:
    """And no number."""
    words = _line("engine.preemption_ratio", indicator("engine.preemption_ratio", reason)).split(None, 1)[1]
    assert not any(character.isdigit() for character in words)


def test_a_fact_is_a_line_too() -> None:
    """With its text as the value."""
    assert _line("engine.model").split() == ["model", "qwen2.5-7b"]


def test_a_filter_looks_in_name_and_definition() -> None:
    """In lower case."""
    line = next(ln for ln in entity_lines(serving(), [ENGINE], known=ENGINE) if ln.name == "engine.ttft.p95")
    assert "engine.ttft.p95" in line.words
    assert "arrival to first token" in line.words


@pytest.mark.parametrize("board", BOARDS, ids=lambda b: b.tab)
def test_a_board_keeps_all_its_lines(board: object) -> None:
    """What no source gives says so."""
    board = next(b for b in BOARDS if b is board)
    text = _drawn(list(board_lines(serving(), board, ENGINE)))
    assert [plot.label for plot in board.plots if plot.label[:30] not in text] == []


def test_a_board_names_what_nobody_watches() -> None:
    """By the layer that is missing."""
    text = _drawn(list(board_lines(serving(), BOARDS[0], ENGINE)))
    assert "no gateway is watched" in text


def test_gpus_have_a_line_each_or_one_for_all() -> None:
    """By the room there is."""
    assert len(gpu_lines(serving(gpus=4), 80, 4)) == 4
    (folded,) = gpu_lines(serving(gpus=5), 80, 4)
    assert _drawn([folded]).startswith("GPU 0-4")
    assert gpu_lines(serving(gpus=0), 80, 4) == []


def test_the_gpu_that_is_full_first_is_flagged() -> None:
    """In front, where no cut reaches it."""
    more = [indicator("gpu.dram_active", 1.0, Entity(Kind.GPU, "1"))]
    lines = gpu_lines(serving(more=more, less=["engine.batch_fill"]), 80, 4)
    assert [_drawn([line]).startswith("first full !!") for line in lines] == [False, True]


def test_configuration_has_no_history() -> None:
    """A chart of it would show nothing."""
    assert not has_history(serving(), "engine.max_num_seqs")
    assert has_history(serving(), "engine.kv_cache_usage")


@given(st.integers(40, 220), st.text(max_size=40))
def test_lines_keep_to_the_columns(columns: int, model: str) -> None:
    """Whatever stands in a fact; the page cuts what a fact has too much."""
    picture = serving(gpus=3)
    picture = replace(picture, snapshot=replace(picture.snapshot, facts=(Fact("engine.model", ENGINE, model),)))
    lines = entity_lines(picture, [ENGINE, HOST], known=ENGINE)
    assert all(width(line.draw(columns)) <= columns for line in lines if line.name != "engine.model")


def test_gpus_have_a_card_each_where_all_of_them_fit() -> None:
    """Under a heading with the name of the card."""
    lines = gpu_lines(serving(gpus=2), 80, 12)
    assert [line.entity.name for line in lines if not line.name] == ["0", "1"]
    assert [line.name for line in lines[1:6]] == [
        "gpu.dram_active",
        "gpu.power",
        "gpu.clock_ratio",
        "gpu.pcie_width",
        "gpu.ecc_uncorrected",
    ]
    assert len(gpu_lines(serving(gpus=2), 80, 11)) == 2


def test_gpus_in_trouble_have_a_line_below_the_folded_one() -> None:
    """Each opens its own GPU."""
    lost = indicator("gpu.up", 0.0, Entity(Kind.GPU, "4"))
    folded, own = gpu_lines(serving(gpus=9, more=[lost]), 80, 8)
    assert "LOST GPU 4" in _drawn([folded])
    assert own.target == ("indicator", "gpu.up", "gpu/4")


def test_every_gpu_has_its_card_above_all_of_its_figures() -> None:
    """Also those that were folded before."""
    lines = list(entity_lines(serving(gpus=3), [Entity(Kind.GPU, "2")]))
    assert _drawn(lines[1:2]).startswith("load    bandwidth unsupported  util 60%")


def test_a_fact_without_words_has_no_line() -> None:
    """It says that what it told of is over."""
    picture = serving()
    facts = (Fact("process.state", PROCESS, ""), Fact("process.cgroup", PROCESS, "/system.slice"))
    shown = replace(picture, snapshot=replace(picture.snapshot, facts=facts))
    assert [line.name for line in entity_lines(shown, [PROCESS], known=PROCESS)] == ["process.cgroup"]
