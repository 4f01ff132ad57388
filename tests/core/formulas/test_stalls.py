"""Gaps in the output of an engine: what is one, what looks like one, how regular they are and whether they grow."""

from __future__ import annotations

from itertools import accumulate
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perfconsole.model.sample import Missing
from tests.core.building import ENGINE, World, failed, known, page, sample

if TYPE_CHECKING:
    from collections.abc import Sequence

TOKENS = "engine.generation_tokens"
RUNNING = "engine.requests_running"
FINISHED = "engine.requests_finished"
USAGE = "engine.kv_cache_usage"
PROMPTS = "engine.prompt_tokens"
TIME = "engine.stall_time"
PERIOD = "engine.stall_period"
GROWTH = "engine.stall_growth"
IN_PREFILL = "engine.stall_in_prefill"


def decoding(
    outputs: Sequence[float],
    running: Sequence[float] | None = None,
    finished: Sequence[float] | None = None,
    step_s: float = 1.0,
    **more: Sequence[float],
) -> tuple[World, float]:
    """An engine that puts out so many tokens before each poll after the first one; 4 requests run, none ends."""
    world = World()
    counts = list(accumulate(outputs, initial=1000.0))
    rows: dict[str, Sequence[float]] = {
        TOKENS: counts,
        RUNNING: running or [4.0] * len(counts),
        FINISHED: finished or [7.0] * len(counts),
        **{f"engine.{name}": row for name, row in more.items()},
    }
    return world, world.play(rows, step_s=step_s)


def test_steady_output_has_no_stall() -> None:
    """Every poll shows news: 0, not missing."""
    world, end = decoding([80.0] * 30)
    assert world.value(TIME, end) == 0.0


def test_a_gap_between_outputs_is_a_stall() -> None:
    """Three seconds without a token while requests run."""
    world, end = decoding([80.0] * 5 + [0.0] * 3 + [80.0] * 5)
    assert known(world.value(TIME, end)) == pytest.approx(3.0)


def test_the_longest_gap_counts() -> None:
    """One of two seconds and one of four."""
    world, end = decoding([80.0] * 5 + [0.0] * 4 + [80.0] * 5 + [0.0] * 2 + [80.0])
    assert known(world.value(TIME, end)) == pytest.approx(4.0)


def test_a_stall_that_goes_on_is_seen() -> None:
    """It does not have to end first."""
    world, end = decoding([80.0] * 5 + [0.0] * 6)
    assert known(world.value(TIME, end)) == pytest.approx(6.0)


def test_a_stall_is_forgotten_after_five_minutes() -> None:
    """What was long ago is not now."""
    world, end = decoding([80.0] * 5 + [0.0] * 6 + [80.0] * 320)
    assert world.value(TIME, end) == 0.0


def test_an_idle_engine_does_not_stall() -> None:
    """Without requests there is nothing to put out."""
    world, end = decoding([80.0] * 5 + [0.0] * 20, running=[4.0] * 5 + [0.0] * 21)
    assert world.value(TIME, end) == 0.0


def test_a_lone_long_prefill_does_not_stall() -> None:
    """A request that came to an idle engine has nothing to put out yet."""
    world, end = decoding([80.0] * 5 + [0.0] * 15, running=[4.0] * 5 + [0.0] * 5 + [1.0] * 11)
    assert world.value(TIME, end) == 0.0


def test_a_prefill_right_after_the_last_answer_does_not_stall() -> None:
    """One request ends and the next one begins between two polls: running stands at 1, and the newcomer is alone."""
    world, end = decoding([80.0] * 5 + [0.0] * 8, running=[1.0] * 14, finished=[7.0] * 5 + [8.0] * 9)
    assert world.value(TIME, end) == 0.0


def test_a_wave_of_equal_requests_does_not_stall() -> None:
    """Four end together and four new ones are prefilled together."""
    world, end = decoding([80.0] * 5 + [0.0] * 4, finished=[7.0] * 5 + [11.0] * 5)
    assert world.value(TIME, end) == 0.0


def test_requests_that_run_on_when_others_end_stall() -> None:
    """Of four one ended; the others had put out tokens."""
    world, end = decoding([80.0] * 5 + [0.0] * 4, finished=[7.0] * 5 + [8.0] * 5)
    assert known(world.value(TIME, end)) == pytest.approx(4.0)


def test_a_failed_poll_is_no_stall() -> None:
    """Nobody saw what the engine did meanwhile."""
    world, end = decoding([80.0] * 10)
    for t in range(int(end) + 1, int(end) + 11):
        world.apply(failed(float(t)))
    after = end + 11
    world.apply(page(after, sample(TOKENS, 1800.0), sample(RUNNING, 4.0), sample(FINISHED, 7.0)))
    assert world.value(TIME, after) == 0.0


@pytest.mark.parametrize("step_s", [5.0, 15.0])
def test_a_sparse_cadence_is_no_stall(step_s: float) -> None:
    """News at every poll, however seldom that is."""
    world, end = decoding([400.0] * 15, step_s=step_s)
    assert world.value(TIME, end) == 0.0


def test_a_slow_model_does_not_stall() -> None:
    """A lone request with a token every 1.3 s has polls without news."""
    counts = [float(int(i / 1.3)) for i in range(121)]
    world = World()
    end = world.play({TOKENS: counts, RUNNING: [1.0] * 121, FINISHED: [7.0] * 121})
    assert world.value(TIME, end) == 0.0
    assert world.value(PERIOD, end) is Missing.NEVER


def test_a_source_that_publishes_every_few_steps_does_not_stall() -> None:
    """News at every second or third poll is its own pace."""
    world, end = decoding([0.0, 160.0, 0.0, 0.0, 240.0] * 20)
    assert world.value(TIME, end) == 0.0


def test_a_stall_of_such_a_source_shows_all_the_same() -> None:
    """Far longer than its own pace."""
    world, end = decoding([0.0, 160.0, 0.0, 0.0, 240.0] * 10 + [0.0] * 20)
    assert known(world.value(TIME, end)) == pytest.approx(20.0)


def test_an_old_page_says_nothing() -> None:
    """Counters that stand because nobody builds the page anew."""
    world, end = decoding([80.0] * 5 + [0.0] * 10, metrics_age=[0.0] * 6 + [float(i) for i in range(1, 11)])
    assert world.value(TIME, end) is Missing.STALE


def test_a_prefill_worker_is_not_expected_to_put_out_tokens() -> None:
    """It has no decode to stall."""
    world, end = decoding([0.0] * 10, prefill_only=[1.0] * 11)
    assert world.value(TIME, end) is Missing.UNSUPPORTED


def test_a_freeze_longer_than_the_window_is_seen() -> None:
    """All five minutes without a token, and it had put out some before."""
    world, end = decoding([80.0] * 5 + [0.0] * 400)
    assert known(world.value(TIME, end)) >= 285.0


def test_the_first_polls_prove_no_stall() -> None:
    """Whoever runs when the console opens may still be in its prefill."""
    world, end = decoding([0.0] * 20)
    assert world.value(TIME, end) == 0.0


def test_a_counter_that_began_anew_is_no_stall() -> None:
    """The count before the reset says nothing about the one after it."""
    world = World()
    end = world.play({TOKENS: [1000.0, 1100.0, 0.0, 0.0, 0.0], RUNNING: [4.0] * 5, FINISHED: [7.0, 7.0, 0.0, 0.0, 0.0]})
    assert world.value(TIME, end) == 0.0


@pytest.mark.parametrize("name", [TIME, PERIOD, IN_PREFILL, GROWTH])
def test_one_poll_warms_up(name: str) -> None:
    """Two are needed for a difference."""
    world, end = decoding([])
    assert world.value(name, end) is Missing.WARMING_UP


def test_an_engine_without_a_live_count_has_no_stalls_to_tell() -> None:
    """The reason of the counter is passed on."""
    world = World()
    world.apply(page(1.0, sample(RUNNING, 4.0)))
    assert world.value(TIME, 1.0) is Missing.NEVER


def test_a_stall_time_from_outside_overrides() -> None:
    """A situation file states it."""
    world, end = decoding([80.0] * 5)
    world.apply(page(end + 1, sample(TIME, 0.2)))
    assert world.value(TIME, end + 1) == 0.2


def test_equal_spacing_is_a_period() -> None:
    """A pause of two seconds every eight."""
    world, end = decoding(([80.0] * 6 + [0.0] * 2) * 6 + [80.0])
    assert known(world.value(PERIOD, end)) == pytest.approx(8.0)


def test_unequal_spacing_is_none() -> None:
    """Pauses that come as they like."""
    outputs = [v for gap in (3, 11, 5, 17, 4, 9) for v in [80.0] * gap + [0.0] * 2]
    world, end = decoding([*outputs, 80.0])
    assert world.value(PERIOD, end) is Missing.NEVER


def test_four_stalls_are_no_period() -> None:
    """Too few to call it one."""
    world, end = decoding(([80.0] * 6 + [0.0] * 2) * 4 + [80.0])
    assert world.value(PERIOD, end) is Missing.NEVER


def test_stalls_with_growing_kv_use_are_prefills() -> None:
    """The chunks of a long prompt take blocks while nothing comes out."""
    usage = [0.1] * 6 + [0.2, 0.3, 0.4, 0.5] + [0.5] * 3
    world, end = decoding([80.0] * 5 + [0.0] * 4 + [80.0] * 3, kv_cache_usage=usage)
    assert known(world.value(IN_PREFILL, end)) == pytest.approx(1.0)


def test_stalls_with_flat_kv_use_are_not() -> None:
    """Nothing is computed in a pause."""
    world, end = decoding([80.0] * 5 + [0.0] * 4 + [80.0] * 3, kv_cache_usage=[0.1] * 13)
    assert world.value(IN_PREFILL, end) == 0.0


def test_figures_that_come_with_the_output_do_not_say_what_the_pause_was() -> None:
    """An engine that publishes at the end of a step shows a long prefill only when it is over."""
    usage = [0.1] * 10 + [0.4] * 3
    world, end = decoding([80.0] * 5 + [0.0] * 4 + [80.0] * 3, kv_cache_usage=usage)
    assert world.value(IN_PREFILL, end) is Missing.NOT_EXPORTED


def test_without_kv_use_nobody_knows() -> None:
    """A counter of prompts that stands until a prefill ends proves no pause."""
    world, end = decoding([80.0] * 5 + [0.0] * 4 + [80.0] * 3, prompt_tokens=[10.0] * 13)
    assert world.value(IN_PREFILL, end) is Missing.NOT_EXPORTED


def test_without_a_stall_there_is_no_share() -> None:
    """0 of 0."""
    world, end = decoding([80.0] * 5, kv_cache_usage=[0.1] * 6)
    assert world.value(IN_PREFILL, end) is Missing.NEVER


def grown(lengths: list[float], every_s: float = 1200.0) -> float | Missing:
    """Growth after stalls of these lengths, each shown for five minutes."""
    world, t = World(), 0.0
    for length in lengths:
        for i in range(int(every_s / 10)):
            world.history.record(t, [(TIME, ENGINE, length if i < 30 else 0.0)])
            t += 10.0
    world.apply(page(t, sample(TIME, lengths[-1]), sample(TOKENS, 1.0), source="page"))
    return world.value(GROWTH, t)


def test_stalls_that_get_longer_have_a_slope() -> None:
    """Two seconds more every twenty minutes."""
    assert known(grown([2.0, 4.0, 6.0, 8.0, 10.0, 12.0])) == pytest.approx(2.0 / 1200.0, rel=0.01)


def test_stalls_of_equal_length_do_not_grow() -> None:
    """Flat is 0."""
    assert grown([4.0] * 6) == 0.0


def test_stalls_that_differ_do_not_grow() -> None:
    """No line fits."""
    assert grown([2.0, 9.0, 1.0, 8.0, 2.0, 7.0, 3.0]) == 0.0


def test_growth_below_what_polls_can_tell_is_none() -> None:
    """A second more in two hours is the grain of the polls."""
    assert grown([2.0, 2.0, 2.3, 2.3, 3.0, 3.0]) == 0.0


def test_four_stalls_do_not_grow() -> None:
    """Too few for a line."""
    assert grown([2.0, 4.0, 6.0, 8.0]) == 0.0


def test_growth_without_a_stall_now_is_zero() -> None:
    """The day is not searched while nothing stalls."""
    world, end = decoding([80.0] * 5)
    assert world.value(GROWTH, end) == 0.0


@given(
    outputs=st.lists(st.sampled_from([0.0, 5.0, 80.0]), min_size=1, max_size=60),
    running=st.lists(st.sampled_from([0.0, 1.0, 4.0]), min_size=61, max_size=61),
)
def test_a_stall_is_never_longer_than_the_time_seen_and_never_without_requests(
    outputs: list[float], running: list[float]
) -> None:
    """Whatever comes, 0 <= stall_time <= the longest run of polls with one count and requests."""
    world, end = decoding(outputs, running=running[: len(outputs) + 1])
    longest = run = 0.0
    for i, output in enumerate(outputs):
        run = run + 1.0 if output == 0 and running[i] > 0 and running[i + 1] > 0 else 0.0
        longest = max(longest, run)
    assert 0.0 <= known(world.value(TIME, end)) <= longest + 1e-9
