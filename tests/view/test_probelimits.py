"""Tests of what a probe cannot say."""

from __future__ import annotations

from dataclasses import replace

from perfconsole.model.probeplan import Step
from perfconsole.model.proberesult import Headroom
from perfconsole.view.probelimits import limits
from tests.view.probes import ABORTED, CLIENT, CLIENT_BOUND, QUEUE_BOUND, QUEUED


def test_a_probe_that_was_stopped_says_so_first() -> None:
    """Everything else is of less than was planned."""
    assert limits(ABORTED)[0] == "it ended before its time: 31% of the last requests failed"


def test_steps_that_do_not_count_are_named() -> None:
    """By their load."""
    assert "these steps say nothing of the server: 16, 32" in limits(CLIENT_BOUND)


def test_times_that_the_kernel_did_not_take_are_told() -> None:
    """Only of steps that have any."""
    late = replace(QUEUED[0], client=replace(CLIENT, stamps="user"))
    told = limits(replace(QUEUE_BOUND, steps=(late, *QUEUED[1:])))
    assert "arrival times are this program's own, not the kernel's, in these steps: 1" in told
    assert not any("arrival times" in words for words in limits(QUEUE_BOUND))


def test_without_the_engine_the_limit_rests_on_the_client() -> None:
    """Queue and prefill cannot be told apart by it alone."""
    alone = tuple(replace(step, server=None) for step in QUEUED)
    assert any("the engine's own numbers were not seen" in words for words in limits(replace(QUEUE_BOUND, steps=alone)))
    assert not any("were not seen" in words for words in limits(QUEUE_BOUND))


def test_traffic_of_others_is_in_the_numbers() -> None:
    """Known, unknown, or none of it."""
    assert any(words.startswith("others sent about 4.9 requests/s") for words in limits(QUEUE_BOUND))
    assert any(words.startswith("what others sent meanwhile is not known") for words in limits(CLIENT_BOUND))
    quiet = replace(QUEUE_BOUND, headroom=Headroom(0.0, 23.4, None))
    assert not any("others sent" in words for words in limits(quiet))


def test_one_run_knows_nothing_of_its_spread() -> None:
    """Three do."""
    assert any(words.startswith("it is one run") for words in limits(QUEUE_BOUND))
    thrice = replace(QUEUE_BOUND, plan=replace(QUEUE_BOUND.plan, runs=3))
    assert not any(words.startswith("it is one run") for words in limits(thrice))


def test_prompts_that_differ_say_nothing_of_a_prefix_cache() -> None:
    """Prompts that repeat do."""
    assert any("prefix cache" in words for words in limits(QUEUE_BOUND))
    same = replace(QUEUE_BOUND.plan, steps=(Step(QUEUED[0].step.shape, 1, prompt="fixed"),))
    assert not any("prefix cache" in words for words in limits(replace(QUEUE_BOUND, plan=same)))


def test_withheld_percentiles_are_told_where_there_are_any() -> None:
    """With the numbers of requests that they need."""
    assert "percentiles of few requests are left out: p95 needs 20 requests, p99 100" in limits(QUEUE_BOUND)
    assert not any("left out" in words for words in limits(replace(QUEUE_BOUND, steps=QUEUED[5:])))
