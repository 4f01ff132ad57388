"""Tests of the table of Triton: pipelines, several models, older names, quantiles, and the vLLM backend."""

from __future__ import annotations

import pytest

from perfconsole.sources.engines.triton import ADAPTER
from tests.sources.enginepages import by_part, capture
from tests.sources.engines.reading import counted, mapped, means, taker, values
from tests.sources.exposed import Exposed

TRT, OLD, VLLM, SUMMARIES = (
    "triton/tensorrt_llm.prom",
    "triton_old/0.6.prom",
    "triton_vllm/load.prom",
    "triton_summaries/two.prom",
)
APART = (("in_finished", "no"),)
SUCCESS = "nv_inference_request_success_total"
"""As the other parser calls a counter without that ending."""


def test_a_request_of_a_pipeline_counts_once() -> None:
    """At the step that generates, beside those of another model; its other steps and its callers are left out."""
    page = Exposed(capture(TRT))
    ours = page.total(SUCCESS, model="tensorrt_llm")
    assert counted(ADAPTER, TRT, "engine.requests_finished") == ours + 410
    assert page.total(SUCCESS) > 3 * ours


@pytest.mark.parametrize(
    ("indicator", "expected"),
    [
        ("engine.requests_failed", {APART: 4.0}),
        ("engine.requests_aborted", {APART: 9.0}),
        ("engine.requests_rejected", {(): 5.0}),
    ],
)
def test_a_failure_is_told_by_its_reason(indicator: str, expected: dict[tuple[tuple[str, str], ...], float]) -> None:
    """At any step but those that call others: they count it once more."""
    assert values(ADAPTER, TRT, indicator) == expected


def test_the_limits_of_two_models_add_up_as_what_runs_does() -> None:
    """64 of each: 40 in work fill less than a third of the batches."""
    page = "triton_models/two.prom"
    assert counted(ADAPTER, page, "engine.requests_running") == 40.0
    assert values(ADAPTER, page, "engine.max_num_seqs") == {(): 128.0}
    assert values(ADAPTER, page, "engine.kv_cache_capacity") == {(): 64000.0}


def test_a_failure_without_a_reason_failed() -> None:
    """Releases before 24.04."""
    assert values(ADAPTER, OLD, "engine.requests_failed") == {APART: 2.0}
    assert values(ADAPTER, OLD, "engine.requests_rejected") == {}


def test_durations_are_means_in_seconds() -> None:
    """7728 s of 1836 requests of one model, 902 s of 410 of the other."""
    assert means(ADAPTER, TRT, "engine.e2e") == pytest.approx([902 / 410, 7728 / 1836])
    assert means(ADAPTER, TRT, "engine.queue_time") == pytest.approx([36.7 / 1836, 20.5 / 410])


@pytest.mark.parametrize(
    ("indicator", "number"),
    [("engine.requests_running", 53.0), ("engine.requests_waiting", 9.0), ("engine.kv_cache_usage", 0.36875)],
)
def test_gauges_of_the_backend_fold_over_models(indicator: str, number: float) -> None:
    """Requests add up, and the use of the caches is their mean."""
    assert values(ADAPTER, TRT, indicator) == {(): pytest.approx(number)}


def test_each_model_has_its_own_size_of_a_block() -> None:
    """6239 blocks of 64 tokens and 4000 of 32: their sum is no product of sums."""
    assert values(ADAPTER, TRT, "engine.kv_cache_capacity") == {(): 6239 * 64.0 + 4000 * 32.0}


def test_a_transfer_of_the_cache_has_a_mean() -> None:
    """940 ms of 47 requests."""
    assert means(ADAPTER, TRT, "engine.kv_transfer_time") == pytest.approx([0.02])


@pytest.mark.parametrize(
    ("indicator", "number"),
    [
        ("engine.requests_running", 7.0),
        ("engine.max_num_seqs", 64.0),
        ("engine.kv_cache_usage", 1560 / 6239),
        ("engine.kv_cache_capacity", 6239 * 64.0),
    ],
)
def test_names_before_0_7_say_the_same(indicator: str, number: float) -> None:
    """Families that end in `_statistics`, without a fraction."""
    assert values(ADAPTER, OLD, indicator) == {(): pytest.approx(number)}


def test_waiting_requests_that_the_backend_does_not_tell_are_missing() -> None:
    """Triton's own queue in front of it is empty whatever waits inside."""
    assert values(ADAPTER, OLD, "engine.requests_waiting") == {}


def test_quantiles_of_the_page_are_kept_by_model() -> None:
    """They cannot be merged: the worst of them is shown."""
    found = by_part(mapped(ADAPTER, SUMMARIES).samples)
    assert {v for (name, _), v in found.items() if name == "engine.e2e.p95"} == {6.0, 8.0}
    assert {v for (name, _), v in found.items() if name == "engine.queue_time.p95"} == {0.0031, 0.052}
    assert means(ADAPTER, SUMMARIES, "engine.e2e") == pytest.approx([1.5, 2.2])


def test_the_vllm_backend_keeps_names_of_vllm() -> None:
    """With Triton's labels: its histograms go before Triton's means."""
    page = Exposed(capture(VLLM))
    assert counted(ADAPTER, VLLM, "engine.generation_tokens") == page.total("vllm:generation_tokens_total")
    assert means(ADAPTER, VLLM, "engine.ttft") == pytest.approx(
        [page.total("vllm:time_to_first_token_seconds_sum") / page.total("vllm:time_to_first_token_seconds_count")]
    )
    assert len(means(ADAPTER, VLLM, "engine.itl")) == 1
    assert counted(ADAPTER, VLLM, "engine.requests_finished") == 307.0


def test_tokens_of_requests_that_ended_are_the_sums_of_their_lengths() -> None:
    """They have no rate: a long answer would look like none."""
    at_finish = (("counted", "at-finish"),)
    assert values(ADAPTER, TRT, "engine.generation_tokens") == {at_finish: 561240.0}
    assert values(ADAPTER, TRT, "engine.prompt_tokens") == {at_finish: 1523880.0}
    assert means(ADAPTER, TRT, "engine.output_length") == [561240 / 1836]
    assert means(ADAPTER, TRT, "engine.prompt_length") == [1523880 / 1836]


@pytest.mark.parametrize("name", [TRT, OLD, VLLM, SUMMARIES])
def test_its_page_is_never_one_of_vllm(name: str) -> None:
    """Whatever backend it runs."""
    assert taker(capture(name)) == "triton"


def test_figures_of_the_card_are_left_to_the_hardware() -> None:
    """The page has them, and no row of an engine does."""
    assert Exposed(capture(TRT)).has("nv_gpu_utilization")
    assert not [row for row in ADAPTER.metrics if row.metric.startswith(("nv_gpu", "nv_cpu", "nv_energy"))]


def test_a_server_without_a_model_is_known() -> None:
    """Its page has figures of the machine and nothing else, until one is loaded."""
    lines = capture(TRT).splitlines(keepends=True)
    idle = b"".join(line for line in lines if line.startswith((b"nv_gpu_", b"nv_cpu_")))
    assert b"nv_cpu_utilization" in idle
    assert taker(idle) == "triton"
