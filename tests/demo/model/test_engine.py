"""The engine model: what holds for any load, and that trouble comes from the queues and the cache alone."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perfconsole.demo.model.engine import EngineModel, EngineSize
from perfconsole.demo.model.request import Ask, Ending

SMALL = EngineSize(max_num_seqs=4, blocks=40, block_tokens=16, max_model_len=600, step_tokens=128)
LOADS = st.lists(st.tuples(st.floats(0, 5), st.integers(1, 300), st.integers(1, 120)), min_size=1, max_size=25)
ABORTS = st.sets(st.integers(1, 25), max_size=6)


def run(engine: EngineModel, load: list[tuple[float, int, int]], until: float) -> None:
    """Submit each request at its time and let the engine go on to the end."""
    for number, (t, prompt, output) in enumerate(sorted(load), start=1):
        engine.advance(t)
        engine.submit(number, Ask(prompt, output), t)
    engine.advance(until)


@given(LOADS)
@settings(max_examples=60, deadline=None)
def test_every_token_asked_for_is_made_once(load: list[tuple[float, int, int]]) -> None:
    """Whatever is evicted and computed again, each request gets its output and each prompt is counted once."""
    engine = EngineModel(SMALL, 0.0)
    run(engine, load, until=2000.0)
    assert engine.stats.ended[Ending.LENGTH] == len(load)
    assert engine.stats.generation_tokens == sum(output for _, _, output in load)
    assert engine.stats.prompt_tokens == sum(prompt for _, prompt, _ in load)


@given(LOADS)
@settings(max_examples=60, deadline=None)
def test_an_engine_that_is_done_holds_nothing(load: list[tuple[float, int, int]]) -> None:
    """No request and no block is left behind."""
    engine = EngineModel(SMALL, 0.0)
    run(engine, load, until=2000.0)
    assert (engine.kv_usage, list(engine.running), list(engine.waiting)) == (0.0, [], [])


@given(LOADS, ABORTS)
@settings(max_examples=60, deadline=None)
def test_slots_and_cache_are_never_overdrawn(load: list[tuple[float, int, int]], aborts: set[int]) -> None:
    """Running stays within the slots, the cache within its blocks, counters never fall, whoever leaves when."""
    engine = EngineModel(SMALL, 0.0)
    for number, (_, prompt, output) in enumerate(load, start=1):
        engine.submit(number, Ask(prompt, output), 0.0)
    before = (0, 0, 0)
    for i in range(1, 200):
        if i % 7 == 0 and aborts:
            engine.abort(aborts.pop())
        engine.advance(i * 0.05)
        stats = engine.stats
        counters = (stats.generation_tokens, stats.preemptions, stats.e2e.count)
        held = sum(r.blocks for r in [*engine.running, *engine.waiting])
        assert len(engine.running) <= SMALL.max_num_seqs
        assert engine.kv_usage == pytest.approx(held / SMALL.blocks)
        assert 0.0 <= engine.kv_usage <= 1.0
        assert all(now >= then for now, then in zip(counters, before, strict=True))
        before = counters


@given(LOADS)
@settings(max_examples=40, deadline=None)
def test_no_time_is_negative(load: list[tuple[float, int, int]]) -> None:
    """Nothing is answered before it was asked."""
    engine = EngineModel(SMALL, 0.0)
    run(engine, load, until=2000.0)
    stats = engine.stats
    for histogram in (stats.ttft, stats.itl, stats.e2e, stats.queue, stats.prefill, stats.decode):
        assert histogram.total >= 0.0


def test_more_than_the_slots_wait_while_memory_is_free() -> None:
    """The cap is what queues, not the cache."""
    engine = EngineModel(SMALL, 0.0)
    for number in range(1, 11):
        engine.submit(number, Ask(16, 60), 0.0)
    engine.advance(0.5)
    assert (len(engine.running), len(engine.waiting)) == (4, 6)
    assert engine.kv_usage < 0.5


def test_what_outgrows_the_cache_is_evicted_and_waits_again() -> None:
    """Four sequences that fit at first and do not when they grow."""
    engine = EngineModel(SMALL, 0.0)
    for number in range(1, 5):
        engine.submit(number, Ask(140, 200), 0.0)
    t = 0.0
    while not engine.stats.preemptions and t < 10.0:
        engine.advance(t := t + 0.01)
    assert engine.waiting[0].computed == 0


def test_slower_clocks_make_slower_tokens() -> None:
    """Half the clocks, twice the time between tokens."""
    gaps = []
    for ratio in (1.0, 0.5):
        engine = EngineModel(SMALL, 0.0)
        engine.clock_ratio = ratio
        engine.submit(1, Ask(16, 50), 0.0)
        engine.advance(60.0)
        gaps.append(engine.stats.itl.total / engine.stats.itl.count)
    assert gaps[1] == pytest.approx(2 * gaps[0])


def test_a_long_prompt_is_computed_in_chunks() -> None:
    """The budget of a step is 128 tokens: 500 take four steps before the first token."""
    engine = EngineModel(SMALL, 0.0)
    engine.submit(1, Ask(500, 1), 0.0)
    engine.advance(10.0)
    assert engine.stats.step_tokens.count == 4


def test_a_process_that_stood_still_makes_nothing_up() -> None:
    """After a stop of a minute the tokens go on from where they were."""
    engine = EngineModel(SMALL, 0.0)
    engine.submit(1, Ask(16, 500), 0.0)
    engine.advance(1.0)
    before = engine.stats.generation_tokens
    engine.stand_still(61.0)
    engine.advance(61.0)
    assert engine.stats.generation_tokens <= before + 1


def test_a_caller_that_leaves_frees_its_slot() -> None:
    """The next one gets it, and the abort is counted."""
    engine = EngineModel(SMALL, 0.0)
    for number in range(1, 6):
        engine.submit(number, Ask(16, 60), 0.0)
    engine.advance(0.2)
    engine.abort(1)
    engine.advance(0.4)
    assert [r.number for r in engine.running] == [2, 3, 4, 5]
    assert engine.stats.ended[Ending.ABORT] == 1


def test_a_request_longer_than_the_model_allows_is_refused() -> None:
    """It would wait for ever."""
    with pytest.raises(ValueError, match="more than 600"):
        EngineModel(SMALL, 0.0).submit(1, Ask(500, 101), 0.0)


def test_a_cache_that_cannot_hold_one_request_is_refused() -> None:
    """An engine of this size could stop for good."""
    with pytest.raises(ValueError, match="must fit"):
        EngineSize(blocks=10, block_tokens=16, max_model_len=600)


def test_one_that_wants_to_know_each_token_is_told_each() -> None:
    """Any other only the first and the last."""
    engine = EngineModel(SMALL, 0.0)
    for number, each in ((1, True), (2, False)):
        engine.submit(number, Ask(20, 4, each=each), 0.0)
    told = engine.advance(5.0)
    assert [p.generated for p in told if p.number == 1] == [1, 2, 3, 4]
    assert [p.generated for p in told if p.number == 2] == [1, 4]


def test_it_says_when_the_next_tokens_are_due() -> None:
    """The end of the step on its way, and nothing while it idles."""
    idle = EngineModel(SMALL, 0.0)
    engine = EngineModel(SMALL, 0.0)
    engine.submit(1, Ask(20, 4), 0.0)
    engine.advance(0.0)
    assert idle.due is None
    assert [p.generated for p in engine.advance(engine.due or 0.0)] == [1]


def test_what_came_during_a_step_does_not_queue_yet() -> None:
    """Real engines count what a step had no room for."""
    engine = EngineModel(SMALL, 0.0)
    engine.submit(1, Ask(20, 40), 0.0)
    engine.advance(0.001)
    for number in range(2, 7):
        engine.submit(number, Ask(20, 40), 0.001)
    assert (engine.queued, len(engine.waiting)) == (0, 5)
    engine.advance(0.1)
    assert engine.queued == len(engine.waiting) == 2
