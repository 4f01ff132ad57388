"""Tests of the table of NIM: bare names, the names of vLLM, and pages of others with the same bare names."""

from __future__ import annotations

import pytest

from perfconsole.sources.engines.nim import ADAPTER
from tests.sources.enginepages import capture
from tests.sources.engines.reading import counted, means, taker, values
from tests.sources.exposed import Exposed

BARE, PREFIXED = "nim/load.prom", "nim_vllm/load.prom"
MINDIE = b"""\
request_received_total{model_name="qwen2-72b"} 120
request_success_total{model_name="qwen2-72b"} 118
request_failed_total{model_name="qwen2-72b"} 2
num_preemptions_total{model_name="qwen2-72b"} 0
num_requests_running{model_name="qwen2-72b"} 7
num_requests_waiting{model_name="qwen2-72b"} 1
num_requests_swapped{model_name="qwen2-72b"} 0
npu_cache_usage_perc{model_name="qwen2-72b"} 0.4
prompt_tokens_total{model_name="qwen2-72b"} 9000
"""


@pytest.mark.parametrize(
    ("indicator", "name"),
    [
        ("engine.requests_running", "num_requests_running"),
        ("engine.requests_waiting", "num_requests_waiting"),
        ("engine.max_num_seqs", "num_request_max"),
        ("engine.kv_cache_usage", "gpu_cache_usage_perc"),
        ("engine.prompt_tokens", "prompt_tokens_total"),
        ("engine.generation_tokens", "generation_tokens_total"),
        ("engine.requests_finished", "request_finish_total"),
        ("engine.requests_failed", "request_failure_total"),
    ],
)
def test_numbers_are_those_of_the_page(indicator: str, name: str) -> None:
    """Read by another parser."""
    assert counted(ADAPTER, BARE, indicator) == Exposed(capture(BARE)).total(name)


def test_a_caller_that_left_is_one_of_the_reasons() -> None:
    """Of all that ended."""
    assert counted(ADAPTER, BARE, "engine.requests_aborted") == 5.0


def test_latencies_are_there_under_bare_names() -> None:
    """First token, gap, and the whole."""
    assert all(means(ADAPTER, BARE, f"engine.{name}") for name in ("ttft", "itl", "e2e"))


def test_a_page_with_the_names_of_vllm_is_read_too() -> None:
    """The cap is the one bare name left."""
    assert values(ADAPTER, PREFIXED, "engine.max_num_seqs") == {(): 1024.0}
    assert counted(ADAPTER, PREFIXED, "engine.requests_running") == 3.0
    assert counted(ADAPTER, PREFIXED, "engine.requests_finished") == 17.0


@pytest.mark.parametrize("name", [BARE, PREFIXED])
def test_the_cap_is_what_it_is_known_by(name: str) -> None:
    """Neither one with the names of vLLM nor one with bare names is taken for anything else."""
    assert taker(capture(name)) == "nim"


def test_a_page_of_mindie_is_nobody_s() -> None:
    """It has most of the bare names and no cap, and nothing here knows it."""
    assert taker(MINDIE) == ""


def test_a_page_of_vllm_stays_one() -> None:
    """It has no cap."""
    assert taker(capture("vllm/load.prom")) == "vllm"
