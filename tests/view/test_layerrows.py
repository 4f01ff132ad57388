"""Tests of the rows of each layer on the main page."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perfconsole.model.dictionary import DEFAULT
from perfconsole.model.entity import Entity, Kind, Link, Relation
from perfconsole.model.sample import Fact, Missing
from perfconsole.model.snapshot import SourceState
from perfconsole.view.canvas import plain_text, width
from perfconsole.view.layerrows import layer_rows
from perfconsole.view.picture import LAYERS, Picture
from perfconsole.view.units import shown
from tests.view.pictures import ENGINE, indicator, snapshot, source
from tests.view.searching import BEGUN, FAILED, HELPER_DOWN, LOOKED, NO_GPUS, SEARCH, searched
from tests.view.serving import AGENT, ENGINE_VALUES, GATEWAY, Values, indicators, serving

if TYPE_CHECKING:
    from perfconsole.model.snapshot import Indicator, SourceHealth

OTHER = Entity(Kind.ENGINE, "vllm:8001")
GATEWAY_VALUES: Values = {
    "gateway.up": 1.0,
    "gateway.request_rate": 42.1,
    "gateway.error_ratio": 0.018,
    "gateway.latency.p50": 1.3,
    "gateway.latency.p95": 2.7,
    "gateway.latency.p99": 3.9,
}


def _text(picture: Picture, layer: str = "engine", columns: int = 79, most: int = 20) -> str:
    return plain_text(layer_rows(picture, layer, columns).within(most))


def _with(*more: Indicator, sources: tuple[SourceHealth, ...] = ()) -> Picture:
    picture = serving(more=more)
    return replace(picture, snapshot=replace(picture.snapshot, sources=sources))


def test_an_engine_says_what_it_does_and_what_waits() -> None:
    """In its first row, the queue at the right edge."""
    first = _text(serving()).splitlines()[0]
    assert first.startswith("vllm:8000 qwen2.5-7b  busy")
    assert first.endswith("run 32/32  wait 80 !")


def test_the_tail_stands_beside_the_median() -> None:
    """Averages hide it."""
    assert "TTFT p50 1.2 s  p95 2.5 s  p99 3.1 s" in _text(serving())


def test_a_mean_stands_in_where_there_is_no_quantile() -> None:
    """Of a summary there is nothing else."""
    picture = serving(less=("engine.ttft.p50", "engine.ttft.p95", "engine.ttft.p99"))
    assert "TTFT mean 1.6 s" in _text(picture)


@pytest.mark.parametrize(("origin", "words"), [("argv", "run 32/32 "), ("estimate", "run 32/32 (estimate)")])
def test_a_cap_that_nobody_stated_says_where_it_comes_from(origin: str, words: str) -> None:
    """A guess is called one."""
    picture = serving()
    facts = (Fact("engine.max_num_seqs_origin", ENGINE, origin),)
    assert words in _text(replace(picture, snapshot=replace(picture.snapshot, facts=facts)))


def test_an_engine_that_is_down_shows_no_value() -> None:
    """What nobody reads any more is not 0, and not 32 either."""
    page = source("10.0.0.1:8000", state=SourceState.DOWN, reason="connection refused", silent_s=33.2)
    text = _text(_with(indicator("engine.up", 0.0), sources=(page,)))
    assert text == "vllm:8000  down, silent for 33 s  connection refused"


def test_the_silence_of_another_engine_is_not_its_own() -> None:
    """Without a page that can only be its own nothing is said of since when."""
    pages = (source("10.0.0.1:8001", silent_s=500.0, reason="of the other"), source("10.0.0.1:8000", silent_s=12.0))
    down = _text(_with(indicator("engine.up", 0.0), indicator("engine.up", 1.0, OTHER), sources=pages))
    assert down.splitlines()[0] == "vllm:8000  down, silent for 12 s"
    alone = _text(_with(indicator("engine.up", 0.0), indicator("engine.up", 1.0, OTHER), sources=pages[:1]))
    assert alone.splitlines()[0] == "vllm:8000  down"


def test_what_is_down_comes_first() -> None:
    """It stays when room is short."""
    more = [*indicators(ENGINE_VALUES, OTHER)[1:], indicator("engine.up", 0.0, OTHER)]
    assert _text(_with(*more), most=1) == "vllm:8001  down"


def test_entities_without_a_row_are_counted() -> None:
    """Nobody takes two engines for all there are."""
    more = [i for port in (1, 2, 3) for i in indicators(ENGINE_VALUES, Entity(Kind.ENGINE, f"vllm:800{port}"))]
    lines = _text(_with(*more), most=3).splitlines()
    assert [line.split()[0] for line in lines[:2]] == ["vllm:8000", "vllm:8001"]
    assert lines[2] == "and 2 more"


def test_every_entity_has_a_row_before_any_has_two() -> None:
    """In the order of the snapshot."""
    lines = _text(_with(*indicators(ENGINE_VALUES, OTHER)), most=3).splitlines()
    assert [line.split()[0] for line in lines] == ["vllm:8000", "TTFT", "vllm:8001"]


def test_a_gateway_has_its_errors_in_the_first_row() -> None:
    """Beside what passes through it."""
    text = _text(_with(*indicators(GATEWAY_VALUES, GATEWAY)), "gateway")
    assert text.startswith("litellm:4000  up  req 42.1 requests/s  errors 1.8% !")
    assert "total p50 1.3 s  p95 2.7 s  p99 3.9 s" in text


@pytest.mark.parametrize(("up", "word"), [(1.0, "up"), (0.0, "down"), (Missing.STALE, "state unknown")])
def test_an_orchestrator_says_whether_it_is_there(up: float | Missing, word: str) -> None:
    """Missing is neither up nor down."""
    assert _text(_with(indicator("orchestration.up", up, AGENT)), "orchestration") == f"agent.py  {word}"


def test_the_host_stands_below_the_gpus() -> None:
    """With its pressure in words of its unit."""
    lines = _text(serving(), "hardware").splitlines()
    assert lines[0].startswith("GPU 0 ")
    assert "cpu 22%  busiest core 40%" in lines[2]


@pytest.mark.parametrize("most", [1, 2, 3])
def test_gpus_fold_before_the_host_is_lost(most: int) -> None:
    """Sixteen rows would leave nothing else."""
    lines = _text(serving(gpus=16), "hardware", most=most).splitlines()
    assert lines[0].startswith("GPU 0-15")
    assert len(lines) <= most


@pytest.mark.parametrize("layer", LAYERS)
def test_a_layer_that_nobody_watches_says_how_to_and_wants_no_room(layer: str) -> None:
    """Others come first."""
    rows = layer_rows(Picture(snapshot(entities=()), DEFAULT), layer, 79)
    assert not rows.watched
    assert plain_text(rows.within(1))
    assert not any(word in plain_text(rows.within(1)).split() for word in ("ok", "0"))


def test_a_layer_that_has_not_answered_names_who() -> None:
    """And is watched."""
    rows = layer_rows(Picture(snapshot(entities=(), sources=(source("a", answered=False),)), DEFAULT), "engine", 79)
    assert rows.watched
    assert plain_text(rows.within(1)) == "no answer yet from a"


@pytest.mark.parametrize(("columns", "count"), [(79, 2), (57, 3)])
def test_without_an_engine_it_is_said_what_was_looked_at(columns: int, count: int) -> None:
    """Whole, before other layers get a second row."""
    rows = layer_rows(searched(SEARCH), "engine", columns)
    assert rows.watched
    text = plain_text(rows.within(5))
    assert len(text.splitlines()) == count
    assert " ".join(line.strip() for line in text.splitlines()) == (
        f"no engine found: {LOOKED}; looking again every 2 s; name one with --engine URL"
    )


@pytest.mark.parametrize("layer", ["gateway", "orchestration"])
def test_what_stands_in_front_and_was_not_found_takes_one_short_row(layer: str) -> None:
    """Where room is left."""
    rows = layer_rows(searched(SEARCH), layer, 57)
    assert not rows.watched
    assert plain_text(rows.within(3)).strip() == "none found, still looking"


def test_before_the_search_has_answered_nobody_is_told_to_name_a_gateway() -> None:
    """It may be found in a moment."""
    assert plain_text(layer_rows(searched(BEGUN), "gateway", 57).within(1)).strip() == "looking"
    assert _text(searched(BEGUN)).startswith("looking for engines, gateways and orchestrators of this host")


def test_a_search_that_fails_leaves_the_flags() -> None:
    """With its reason at the engine."""
    assert "this host has no /proc" in _text(searched(FAILED))
    assert "--gateway URL" in _text(searched(FAILED), "gateway")


def test_on_a_host_without_gpus_the_host_comes_first() -> None:
    """Then why none is seen; one row has room for the host alone."""
    lines = _text(searched(NO_GPUS), "hardware").splitlines()
    assert lines[0].startswith("cpu 22%")
    assert lines[-2].startswith("GPUs  no NVIDIA driver on this host: ")
    assert _text(searched(NO_GPUS), "hardware", most=1).startswith("cpu 22%")


@pytest.mark.parametrize("most", [1, 2, 3, 8])
def test_a_gpu_helper_that_is_silent_comes_before_the_host(most: int) -> None:
    """Whether GPUs were seen before or not."""
    for picture in (searched(HELPER_DOWN), _with(sources=(HELPER_DOWN,))):
        lines = _text(picture, "hardware", most=most).splitlines()
        assert lines[0].startswith("GPUs  not read for 12 s: the GPU helper")
        assert len(lines) <= most


def test_processes_of_a_gateway_stand_in_its_last_row() -> None:
    """How near they are to running out of descriptors."""
    worker = Entity(Kind.PROCESS, "4312")
    more = [*indicators(GATEWAY_VALUES, GATEWAY), indicator("host.process_fd_ratio", 0.5, worker)]
    picture = serving(more=more, links=[Link(Relation.GATEWAY_HAS_PROCESS, GATEWAY, worker)])
    assert _text(picture, "gateway").splitlines()[-1] == "fds 50%"


numbers = st.floats(0, 1e7) | st.sampled_from(Missing)


@given(numbers, numbers)
def test_every_number_is_said_as_its_unit_wants(rate: float | Missing, share: float | Missing) -> None:
    """The row and the report never differ."""
    more = [indicator("engine.generation_rate", rate), indicator("engine.kv_cache_usage", share)]
    text = _text(_with(*more), columns=200)
    assert f"out {shown(rate, 'tokens/s')}" in text
    assert f"KV {shown(share, 'ratio')}" in text


names = st.text(min_size=1, max_size=60)


@given(names, st.sampled_from(LAYERS), st.integers(30, 160), st.integers(0, 12), st.integers(0, 17))
def test_rows_keep_to_columns_and_room(name: str, layer: str, columns: int, most: int, gpus: int) -> None:
    """Whatever the entities are called."""
    kinds = (Kind.ENGINE, Kind.GATEWAY, Kind.ORCHESTRATOR, Kind.HOST)
    more = [i for k in kinds for i in indicators({**ENGINE_VALUES, **GATEWAY_VALUES}, Entity(k, name))]
    rows = layer_rows(serving(gpus=gpus, more=more), layer, columns).within(most)
    assert len(rows) <= most
    assert all(width(r) <= columns for r in rows)


def test_a_wide_screen_has_ten_minutes_beside_the_quantiles() -> None:
    """A chart of 60 columns at most."""
    line = _text(serving(), columns=140).splitlines()[1]
    assert len(line) == 140
    assert len(line.split("p99 3.1 s")[1].strip()) == 60


def test_that_nothing_moves_is_said_before_the_model() -> None:
    """On a narrow row the model goes first, then words that the queue beside it says as well."""
    still = [indicator(f"engine.{name}_rate", 0.0) for name in ("generation", "prompt", "request")]
    wide, narrow, least = (_text(_with(*still), columns=c).splitlines()[0] for c in (90, 66, 50))
    assert wide.startswith("vllm:8000 qwen2.5-7b  holds requests, nothing moves ")
    assert narrow.startswith("vllm:8000  holds requests, nothing moves ")
    assert least.startswith("vllm:8000  nothing moves ")
    assert all(line.endswith("run 32/32  wait 80 !") for line in (wide, narrow, least))
