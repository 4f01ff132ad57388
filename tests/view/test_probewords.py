"""Tests of the words of a probe."""

from __future__ import annotations

from dataclasses import replace

import pytest

from perfconsole.model.probeplan import RECIPES, SCENARIOS, Shape, Slo, Step
from perfconsole.model.proberesult import Goodput, Headroom, Knee, Thresholds
from perfconsole.probing import scenario
from perfconsole.view.probewords import (
    COMMON_FACTOR,
    COMMON_LEAST,
    DEFINITIONS,
    LONG_FACTOR,
    LONG_MOST,
    RECIPE_WORDS,
    axis_words,
    capacity_words,
    ended_words,
    error_words,
    goodput_words,
    headline,
    headroom_words,
    knee_words,
    ladder_words,
    length_words,
    mark_word,
    reasons,
    scenario_words,
    step_name,
    threshold_words,
    tokens_words,
)
from tests.view.probes import ABORTED, CLIENT_BOUND, EMPTY, KNEE, QUEUE_BOUND, QUEUED, plan

PLAN = plan(1, 2, 4)


@pytest.mark.parametrize(
    ("step", "name"),
    [
        (Step(Shape.CONCURRENCY, 16), "16"),
        (Step(Shape.RATE, 2.5), "2.5/s"),
        (Step(Shape.BURST, 64), "burst 64"),
        (Step(Shape.REPLAY, 2), "2x"),
        (Step(Shape.CONCURRENCY, 8, label="through"), "through 8"),
    ],
)
def test_a_load_has_a_short_name(step: Step, name: str) -> None:
    """A column of the table and the axis of a chart have room for little more."""
    assert step_name(step) == name


def test_a_ladder_is_one_sentence() -> None:
    """In the order in which it is sent."""
    assert ladder_words(plan(1, 2, 4)) == "1, 2, 4 at a time"
    mixed = replace(PLAN, steps=(Step(Shape.CONCURRENCY, 1), Step(Shape.RATE, 8), Step(Shape.BURST, 64)))
    assert ladder_words(mixed) == "1 at a time; 8 requests/s, at random moments; 64 at one moment"
    pair = replace(PLAN, steps=(Step(Shape.CONCURRENCY, 1, label="first"), Step(Shape.CONCURRENCY, 1, label="repeat")))
    assert ladder_words(pair) == "first 1, repeat 1"
    assert ladder_words(replace(PLAN, steps=())) == "no step"


def test_how_long_a_step_lasts_is_said_with_what_comes_first() -> None:
    """Requests, seconds, both or neither."""
    steps = (Step(Shape.CONCURRENCY, 1, requests=8), Step(Shape.CONCURRENCY, 2, requests=16, seconds=15))
    assert length_words(replace(PLAN, steps=steps)) == "each until 8 to 16 requests have ended or 15 s are over"
    assert length_words(replace(PLAN, steps=(Step(Shape.CONCURRENCY, 1),))) == ""


def test_the_axis_says_what_is_counted() -> None:
    """Requests at a time are no requests a second."""
    assert axis_words(PLAN) == "requests at a time"
    assert axis_words(replace(PLAN, steps=(Step(Shape.RATE, 1),))) == "requests/s asked for"
    assert axis_words(replace(PLAN, steps=(Step(Shape.REPLAY, 1),))) == "load"


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_every_scenario_and_recipe_is_explained(scenario: str) -> None:
    """A name alone tells nobody what would be sent."""
    assert len(scenario_words(replace(PLAN, scenario=scenario))) > len(scenario) + 2
    assert set(RECIPE_WORDS) == set(RECIPES)


def test_a_mix_is_said_in_its_parts() -> None:
    """3:4:3 by default."""
    assert scenario_words(replace(PLAN, scenario="mixed")) == (
        "mixed: 3 short-chat, 4 long-prompt, 3 long-conversation"
    )


def test_a_prefix_cache_that_may_help_is_told() -> None:
    """Equal prompts flatter."""
    fixed = (Step(Shape.CONCURRENCY, 1, prompt="fixed"),)
    assert tokens_words(PLAN).endswith("no two prompts begin alike")
    assert tokens_words(replace(PLAN, steps=fixed)).endswith("a prefix cache may help")
    assert tokens_words(replace(PLAN, scenario="shared-prefix")).endswith("a prefix cache may help")


@pytest.mark.parametrize(
    ("name", "tokens", "words"),
    [
        ("short-chat", 128, "prompts of 128 tokens, answers of 128; no two prompts begin alike"),
        ("long-prompt", 128, "prompts of 2048 tokens, answers"),
        ("long-prompt", 4096, "prompts of 8192 tokens, answers"),
        ("long-prompt", 16_384, "prompts of 16384 tokens, answers"),
        ("shared-prefix", 16, "prompts of 1024 common tokens and 16 more, answers"),
        ("shared-prefix", 256, "prompts of 2048 common tokens and 256 more, answers"),
        ("mixed", 128, "prompts of 128 to 2048 tokens, answers"),
        ("long-conversation", 128, "prompts of 128 tokens, longer with each turn, answers"),
        ("agent-fan-out", 128, "128; those of one task begin alike, so a prefix cache may help"),
    ],
)
def test_prompts_are_as_long_as_the_scenario_makes_them(name: str, tokens: int, words: str) -> None:
    """A person confirms what is sent, not what the option was called."""
    assert words in tokens_words(replace(PLAN, scenario=name, prompt_tokens=tokens))


def test_lengths_are_those_of_the_scenarios() -> None:
    """They stand in two places: pages know nothing of what makes the prompts."""
    said = (LONG_FACTOR, LONG_MOST, COMMON_FACTOR, COMMON_LEAST)
    assert said == (scenario.LONG_FACTOR, scenario.LONG_MOST, scenario.SYSTEM_FACTOR, scenario.SYSTEM_LEAST)


@pytest.mark.parametrize(
    ("knee", "words"),
    [
        (None, "no knee yet"),
        (Knee(16.0, "queue", "waits"), "knee at 16: queueing (waits)"),
        (Knee(16.0, "none", ""), "knee at 16"),
        (Knee(None, "client", "late"), "no knee can be told: the client was the limit (late)"),
        (Knee(None, "none", "it rises"), "no knee up to 64 (it rises)"),
        (Knee(None, "decode", "ITL"), "no knee up to 64, decode begins to limit (ITL)"),
    ],
)
def test_a_verdict_says_where_and_why(knee: Knee | None, words: str) -> None:
    """And never makes a knee of what the client did."""
    assert knee_words(PLAN, knee, QUEUED) == words


def test_the_knee_of_an_open_loop_is_a_rate() -> None:
    """16 a second are not 16 at a time."""
    rates = replace(PLAN, steps=(Step(Shape.RATE, 4), Step(Shape.RATE, 8)))
    assert knee_words(rates, Knee(4.0, "queue", ""), ()) == "knee at 4 requests/s: queueing"


def test_no_knee_is_claimed_where_no_step_counts() -> None:
    """Not even `none up to` something."""
    assert knee_words(EMPTY.plan, EMPTY.knee, EMPTY.steps) == "no knee: no step can be used"


def test_other_recipes_answer_with_what_they_compare() -> None:
    """Latencies stand in the table."""
    values = {"probe.ttft.p50": 0.1, "probe.error_ratio": 0.0, "probe.ttft_repeat_ratio": 2.4}
    asked = replace(PLAN, recipe="repeat-prompt")
    assert headline(asked, None, (), values) == "TTFT of a first request / TTFT of its identical repeat: 2.4x"
    assert headline(asked, None, (), {}) == "nothing could be compared"
    assert headline(PLAN, KNEE, QUEUED, values).startswith("knee at 16")


def test_a_percentile_of_an_answer_is_named() -> None:
    """p50 and p99 of connecting differ in nothing else."""
    asked = replace(PLAN, recipe="new-connections")
    words = headline(asked, None, (), {"probe.connect.p50": 0.002, "probe.connect.p99": 1.2})
    assert [part.split(", ")[-1] for part in words.split("; ")] == ["p50: 2 ms", "p99: 1.2 s"]


def test_goodput_has_its_place_and_its_interval() -> None:
    """A rate alone says nothing of how sure it is."""
    words = goodput_words(Goodput(23.4, 16.0, 0.941, 1.0, "x"), Slo())
    assert words == "23.4 requests/s at 16: 94-100% within TTFT 1.5 s, TPOT 80 ms"


def test_goodput_that_is_not_known_says_why() -> None:
    """Never 0."""
    assert goodput_words(Goodput(None, None, why="no step kept it"), Slo()) == "no step kept it"
    assert goodput_words(None, Slo()) == "not known"


@pytest.mark.parametrize(
    ("takes", "words"),
    [
        (((1.3, True), (1.5, True)), "takes +30%, +50%"),
        (((1.3, True), (1.5, False)), "takes +30%, not +50%"),
        (((1.3, False), (1.5, False)), "does not take +30%, +50%"),
    ],
)
def test_headroom_says_which_growth_fits(takes: tuple[tuple[float, bool], ...], words: str) -> None:
    """Against the traffic of now."""
    found = headroom_words(Headroom(4.9, 23.4, 4.78, takes))
    assert found == f"4.78x: capacity 23.4, traffic 4.9 requests/s; {words}"


def test_headroom_without_traffic_still_tells_the_capacity() -> None:
    """With the reason why no ratio follows."""
    assert headroom_words(Headroom(0.0, 23.4, None, why="no traffic")) == "capacity 23.4 requests/s; no traffic"
    assert headroom_words(Headroom(None, None, None)) == "not known"
    assert headroom_words(None) == "not known"


def test_what_only_a_step_load_looks_for_is_said_of_no_other_recipe() -> None:
    """`never` would read as an all-clear."""
    other = replace(PLAN, recipe="repeat-prompt")
    assert capacity_words(other, None, None) == []
    assert threshold_words(other, Thresholds(), QUEUED) == []
    assert reasons(other, QUEUE_BOUND.goodput, QUEUE_BOUND.headroom) == []
    assert [name for name, _ in capacity_words(PLAN, None, None)] == ["goodput", "headroom"]


def test_thresholds_say_from_which_load_on() -> None:
    """Or that it never came to it."""
    words = dict(threshold_words(PLAN, Thresholds(ttft_grown=32.0), QUEUED))
    assert words["TTFT grown"].endswith("from 32 on")
    assert words["TPOT grown"].endswith("never")
    assert words["waiting"].endswith("never")
    assert threshold_words(PLAN, None, QUEUED) == []


def test_a_queue_that_nobody_saw_is_not_known() -> None:
    """Never would be an all-clear."""
    blind = [replace(step, server=None) for step in QUEUED]
    assert dict(threshold_words(PLAN, Thresholds(), blind))["waiting"].endswith("not known")


def test_why_a_ladder_ended_is_its_own_line() -> None:
    """Among notes of other kinds."""
    assert ended_words(("one", "the ladder ended early: 32 at a time gave +2%", "two")) == "32 at a time gave +2%"
    assert ended_words(("one",)) == ""


def test_thresholds_say_what_they_are_measured_by() -> None:
    """A ladder that begins higher has no single request; a burst has nothing to turn."""
    words = dict(threshold_words(plan(4, 8), Thresholds(), QUEUED))
    assert words["TTFT grown"] == "p50 at 1.5 times that of the lowest load (4): never"
    burst = replace(PLAN, steps=(Step(Shape.BURST, 8.0, 8),))
    assert threshold_words(burst, Thresholds(), QUEUED) == []


def test_a_step_is_marked_with_a_word() -> None:
    """Colour alone would be lost on paper."""
    assert mark_word(QUEUED[4], KNEE) == "knee"
    assert mark_word(QUEUED[3], KNEE) == ""
    assert mark_word(CLIENT_BOUND.steps[4]) == "client"
    assert mark_word(EMPTY.steps[0]) == "empty"
    assert mark_word(replace(QUEUED[0], outlier=True)) == "outlier"
    assert mark_word(replace(QUEUED[0], valid=False, errors=8)) == "failed"
    assert mark_word(replace(QUEUED[0], valid=False, cut=True)) == "cut"


def test_a_step_that_is_not_valid_is_never_the_knee() -> None:
    """Whatever the result says."""
    assert mark_word(replace(QUEUED[4], valid=False), KNEE) == "client"


def test_errors_are_named_with_their_number() -> None:
    """The most frequent first, as they come."""
    assert error_words(ABORTED.steps[2]) == "3 status, 2 timeout"


def test_the_words_of_the_tables_are_explained() -> None:
    """Each of them."""
    told = {word for word, _ in DEFINITIONS}
    assert {"TTFT", "ITL", "TPOT", "burst", "lag", "dlvd", "merged", "goodput", "knee"} <= told
