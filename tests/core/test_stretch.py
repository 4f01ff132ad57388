"""What an engine did between two moments."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfconsole.core.session import Session
from perfconsole.core.stretch import engine_stretch
from perfconsole.model.sample import Histogram
from tests.core.building import ENGINE, OTHER, World, failed, histogram, page, sample

if TYPE_CHECKING:
    from perfconsole.model.enginestretch import EngineStretch

TOKENS, RUNNING, WAITING, KV = (
    "engine.generation_tokens",
    "engine.requests_running",
    "engine.requests_waiting",
    "engine.kv_cache_usage",
)
HITS = "engine.prefix_cache_hit_ratio"


def _stretch(world: World, start: float, end: float) -> EngineStretch:
    found = engine_stretch(world.store, ENGINE, start, end)
    assert found is not None
    return found


def test_from_the_first_poll_to_the_last() -> None:
    """Counters grow between the polls inside, whatever lies outside."""
    world = World()
    world.play({TOKENS: [0.0, 100.0, 250.0, 450.0, 900.0]})
    found = _stretch(world, 0.5, 3.9)
    assert (found.start, found.end, found.polls, found.output_tokens) == (1.0, 3.0, 3, 350.0)


def test_one_poll_is_no_stretch() -> None:
    """Growth needs two polls; an engine that was never polled has none."""
    world = World()
    world.play({TOKENS: [0.0, 100.0, 250.0]})
    assert engine_stretch(world.store, ENGINE, 0.5, 1.5) is None
    assert engine_stretch(world.store, OTHER, 0.0, 9.0) is None


def test_what_is_not_exported_is_absent() -> None:
    """An engine that says only what runs leaves the rest None, never 0."""
    world = World()
    world.play({RUNNING: [1.0, 2.0, 3.0]})
    found = _stretch(world, 0.0, 2.0)
    assert found.running == ((0.0, 1.0), (1.0, 2.0), (2.0, 3.0))
    assert (found.output_tokens, found.ttft, found.waiting, found.hit, found.max_num_seqs) == (
        None,
        None,
        (),
        None,
        None,
    )


def test_histograms_grow() -> None:
    """What was observed in the stretch, bucket by bucket, with its sum."""
    world = World()
    world.apply(page(0.0, sample("engine.ttft", histogram(1, 2, 3, 4, total=5.0))))
    world.apply(page(1.0, sample("engine.ttft", histogram(1, 4, 6, 7, total=7.5))))
    grown = _stretch(world, 0.0, 1.0).ttft
    assert grown == Histogram((0.1, 0.5, 1.0, float("inf")), (0.0, 2.0, 3.0, 3.0), 2.5)


def test_parts_of_the_prefix_cache() -> None:
    """Tokens looked up and tokens found are two counters under one name."""
    world = World()
    for t, hit in ((0.0, 10.0), (1.0, 40.0)):
        world.apply(
            page(
                t,
                sample(RUNNING, 1.0),
                sample(HITS, 100.0 + 100 * t, part="looked-up"),
                sample(HITS, hit, part="hit"),
            )
        )
    found = _stretch(world, 0.0, 1.0)
    assert (found.looked_up, found.hit) == (100.0, 30.0)


def test_ranks() -> None:
    """What runs adds up over ranks, the use of the cache is their mean."""
    world = World()
    for t in (0.0, 1.0):
        cells = [
            sample(name, value, rank=rank)
            for rank, use in (("0", 0.2), ("1", 0.6))
            for name, value in ((RUNNING, 4.0), (KV, use))
        ]
        world.apply(page(t, *cells))
    found = _stretch(world, 0.0, 1.0)
    assert found.running == ((0.0, 8.0), (1.0, 8.0))
    assert [round(value, 6) for _, value in found.kv_usage] == [0.4, 0.4]


def test_a_failed_poll_is_none() -> None:
    """A poll that failed neither begins nor ends a stretch."""
    world = World()
    world.play({TOKENS: [0.0, 100.0]})
    world.apply(failed(2.0))
    assert _stretch(world, 0.0, 2.0).end == 1.0


def test_cap_over_all_ranks() -> None:
    """The session says what may run at the same time, all ranks together."""
    session = Session([])
    stated = sample("engine.max_num_seqs", 16.0, origin="argv")
    for t in (0.0, 1.0):
        session.apply(page(t, sample(RUNNING, 4.0), stated, sample("engine.data_parallel", 2.0)))
        session.tick(t, t)
    found = session.stretch(ENGINE, 0.0, 1.0)
    assert found is not None
    assert found.max_num_seqs == 32.0
