"""Tests of the boards: that their indicators exist, whose they are, and their large charts."""

from __future__ import annotations

from dataclasses import replace

import pytest

from perfconsole.model.dictionary import DEFAULT
from perfconsole.model.entity import Entity, Kind
from perfconsole.view.boards import BOARDS, SIGNALS, Board, Plot, abreast, ceiling, chart_rows, owners, signals
from perfconsole.view.canvas import plain_text, width
from perfconsole.view.picture import Picture
from tests.view.pictures import ENGINE, HOST, snapshot
from tests.view.serving import serving

GPU = Entity(Kind.GPU, "0")


def test_there_are_the_five_boards_of_the_engine() -> None:
    """In this order."""
    assert [board.title for board in BOARDS] == [
        "requests and concurrency",
        "TTFT and ITL",
        "queue depth",
        "GPU utilisation and bandwidth",
        "KV cache and memory",
    ]


@pytest.mark.parametrize("board", BOARDS, ids=lambda board: board.tab)
def test_every_plot_is_in_the_dictionary(board: Board) -> None:
    """A plot without an entry could never show anything."""
    assert [plot.name for plot in (*board.plots, *board.charts) if DEFAULT.find(plot.name) is None] == []


@pytest.mark.parametrize("board", BOARDS, ids=lambda board: board.tab)
def test_large_charts_are_of_readable_indicators(board: Board) -> None:
    """A histogram is drawn by one of its suffixes."""
    assert [DEFAULT.readable(plot.name) for plot in board.charts] == [None, None]


def test_an_engine_carries_its_own_indicators() -> None:
    """And no other engine does."""
    assert owners(serving(), ENGINE, "engine.ttft") == [ENGINE]


def test_the_gpus_of_an_engine_are_the_linked_ones() -> None:
    """A GPU of another engine is left out."""
    picture = serving(gpus=2)
    links = tuple(k for k in picture.snapshot.links if k.child != GPU)
    other = replace(picture.snapshot, links=links)
    assert owners(Picture(other, DEFAULT), ENGINE, "gpu.utilization") == [Entity(Kind.GPU, "1")]


def test_the_host_of_an_engine_is_linked_to_it() -> None:
    """The link leads from the host to the engine."""
    assert owners(serving(), ENGINE, "host.swap_used") == [HOST]


def test_without_links_the_only_engine_is_given_what_there_is() -> None:
    """Nothing else could be meant."""
    alone = Picture(snapshot(entities=(ENGINE, GPU)), DEFAULT)
    assert owners(alone, ENGINE, "gpu.utilization") == [GPU]


def test_without_links_one_engine_of_two_is_given_nothing() -> None:
    """Whose GPU it is would be a guess."""
    two = Picture(snapshot(entities=(ENGINE, Entity(Kind.ENGINE, "b:1"), GPU)), DEFAULT)
    assert owners(two, ENGINE, "gpu.utilization") == []


def test_shares_of_a_capacity_have_a_ceiling() -> None:
    """Half a cache is drawn as half, and a time as high as it goes."""
    assert (ceiling("engine.kv_cache_usage"), ceiling("engine.ttft.p95")) == (1.0, None)


@pytest.mark.parametrize("board", BOARDS, ids=lambda board: board.tab)
@pytest.mark.parametrize("columns", [100, 121])
def test_two_charts_fill_the_width(board: Board, columns: int) -> None:
    """Side by side, each with its title."""
    rows = chart_rows(serving(), board.charts, ENGINE, columns, 8)
    assert {width(row) for row in rows} == {columns}
    assert all(plot.label in plain_text(rows) for plot in board.charts)


def test_a_chart_without_a_carrier_says_so() -> None:
    """No GPU is no flat line."""
    assert "nobody watches it" in plain_text(chart_rows(serving(gpus=0), BOARDS[3].charts, ENGINE, 120, 8))


@pytest.mark.parametrize(("columns", "count"), [(57, 1), (78, 1), (84, 2), (120, 2)])
def test_narrow_columns_have_one_chart(columns: int, count: int) -> None:
    """Each keeps at least half a minute a column."""
    assert abreast(columns) == count


def test_a_long_title_begins_further_left() -> None:
    """Before it is cut."""
    rows = chart_rows(serving(), (Plot("engine.ttft.p95", "a name of twenty-five cols"),), ENGINE, 30, 8)
    assert plain_text(rows[:1]) == "    a name of twenty-five cols"


@pytest.mark.parametrize("plot", SIGNALS, ids=lambda plot: plot.name)
def test_every_signal_can_be_read(plot: Plot) -> None:
    """A histogram by one of its suffixes."""
    assert DEFAULT.readable(plot.name) is None


def test_signals_that_no_source_gives_are_left_out() -> None:
    """Unsupported bandwidth and preemption that is not there would be empty charts."""
    names = [plot.name for plot in signals(serving(less=["engine.preemption_ratio"]), ENGINE)]
    assert names[:2] == ["engine.requests_waiting", "engine.ttft.p95"]
    assert not {"gpu.dram_active", "engine.preemption_ratio"} & set(names)
