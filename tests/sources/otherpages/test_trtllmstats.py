"""Tests of the JSON of TensorRT-LLM's steps as series: the newest step counts, and anything else is refused."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perfconsole.sources.exposition import PageError
from perfconsole.sources.otherpages.converters import convert
from perfconsole.sources.otherpages.trtllmstats import iteration_stats
from tests.sources.enginepages import capture

_COUNT = st.integers(0, 2**53)
_STEP = st.fixed_dictionaries(
    {"iter": st.integers(0, 10**9), "numActiveRequests": _COUNT, "numQueuedRequests": _COUNT},
    optional={
        "iterLatencyMS": st.floats(0, 1e6),
        "kvCacheStats": st.fixed_dictionaries({"maxNumBlocks": _COUNT, "usedNumBlocks": _COUNT}),
        "specDecodingStats": st.none(),
    },
)
_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


def values(body: bytes) -> dict[str, float]:
    """Numbers by name."""
    page = convert("trtllm-iterations", body)
    return {s.name: v for s, v in zip(page.series, page.values, strict=True)}


def test_the_newest_step_is_the_state() -> None:
    """The last of three: what runs and waits after it, blocks in use, and blocks reused since the start."""
    found = values(capture("trtllm_json/steps.json"))
    assert found["trtllm_iterations_read"] == 3.0
    assert (found["trtllm_num_requests_running"], found["trtllm_num_requests_waiting"]) == (37.0, 5.0)
    assert (found["trtllm_kv_cache_used_blocks"], found["trtllm_kv_cache_max_blocks"]) == (3744.0, 12480.0)
    assert found["trtllm_kv_cache_reused_blocks_total"] == 6302.0
    assert found["trtllm_iteration_latency_seconds"] == pytest.approx(0.0215)


def test_what_a_step_counts_for_itself_is_left_out() -> None:
    """Another reader may have taken the steps in between: their sum would be a counter of nothing."""
    assert not [name for name in values(capture("trtllm_json/steps.json")) if "completed" in name or "draft" in name]


def test_no_steps_say_nothing_of_the_engine() -> None:
    """An idle engine makes none, and a reader may just have been here: it is not known that nothing runs."""
    assert values(b"[]") == {"trtllm_iterations_read": 0.0}


def test_sums_since_the_start_are_counters() -> None:
    """As on the other page."""
    types = iteration_stats(capture("trtllm_json/steps.json")).types
    assert types["trtllm_kv_cache_missed_blocks_total"] == "counter"
    assert types["trtllm_num_requests_running"] == "gauge"


@given(st.lists(_STEP, min_size=1, max_size=6))
def test_whatever_the_order_the_step_of_the_highest_number_counts(steps: list[dict[str, object]]) -> None:
    """Every number of it under its name, and nothing of the others."""
    newest = max(steps, key=lambda step: float(str(step["iter"])))
    found = values(json.dumps(steps).encode())
    assert found["trtllm_num_requests_running"] == float(str(newest["numActiveRequests"]))
    assert ("trtllm_kv_cache_max_blocks" in found) == ("kvCacheStats" in newest)
    assert ("trtllm_iteration_latency_seconds" in found) == ("iterLatencyMS" in newest)


@given(_JSON)
def test_other_json_is_refused_or_empty(document: object) -> None:
    """Never anything but a page without steps or a PageError."""
    try:
        page = iteration_stats(json.dumps(document).encode())
    except PageError:
        return
    assert document == []
    assert page.values == [0.0]


@given(st.binary(max_size=100))
def test_other_bytes_are_refused(body: bytes) -> None:
    """They are no JSON list of steps."""
    if body.strip() != b"[]":
        with pytest.raises(PageError):
            iteration_stats(body)


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(b'[{"iter": 1, "numActiveRequests": "3"}]', id="a text for a number"),
        pytest.param(b'[{"iter": 1, "numActiveRequests": true}]', id="a truth for a number"),
        pytest.param(b'[{"iter": 1, "iterLatencyMS": NaN}]', id="no number"),
        pytest.param(b'[{"iter": 1, "kvCacheStats": [1]}]', id="a list for an object"),
        pytest.param(b'[{"iter": 1, "numActiveRequests": 1' + b"0" * 400 + b"}]", id="beyond every float"),
        pytest.param(b'[{"iter": null}]', id="no step number"),
        pytest.param(b'[{"numActiveRequests": 3}]', id="without a step number"),
        pytest.param(b'[{"iter": 1}', id="cut off"),
        pytest.param(b"[" * 100_000, id="nested too deep"),
        pytest.param(capture("ollama/two.json"), id="Ollama"),
    ],
)
def test_look_alikes_are_refused(body: bytes) -> None:
    """A step is taken whole or not at all."""
    with pytest.raises(PageError, match="no list of steps of TensorRT-LLM"):
        iteration_stats(body)
