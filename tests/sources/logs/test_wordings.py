"""Tests of what engines say of themselves at their start, on captured logs of their releases."""

from __future__ import annotations

import pytest

from perfconsole.model.dictionary import DEFAULT
from perfconsole.sources.logs.wordings import FACTS
from tests.sources.logs.logbooks import book_of, captured, live

GIB = 2.0**30


@pytest.mark.parametrize(
    ("log", "facts"),
    [
        (
            "vllm-0.11.0-healthy.log",
            {
                "captured_batch": 128.0,
                "weight_share": 14.9596 * GIB,
                "chunked_prefill": 1.0,
                "max_batched_tokens": 8192.0,
                "max_num_seqs": 64.0,
                "kv_pool": 3.97 * GIB,
                "kv_cache_capacity": 123456.0,
                "kv_max_concurrency": 30.14,
            },
        ),
        ("vllm-0.6.6.log", {"captured_batch": 256.0, "kv_pool": 56.18 * GIB, "kv_max_concurrency": 0.87}),
        (
            "sglang-0.5.4-healthy.log",
            {
                "captured_batch": 160.0,
                "chunked_prefill": 1.0,
                "max_batched_tokens": 8192.0,
                "max_num_seqs": 2048.0,
                "kv_pool": 60.5 * GIB,
                "kv_cache_capacity": 992896.0,
                "kv_max_concurrency": 992896 / 32768,
            },
        ),
        ("llamacpp-b6250.log", {"layers_on_gpu": 20 / 33, "max_num_seqs": 4.0}),
    ],
)
def test_the_facts_of_a_start(log: str, facts: dict[str, float]) -> None:
    """All that the release says, and nothing else."""
    assert book_of(captured(log)).facts == {f"engine.{name}": pytest.approx(v) for name, v in facts.items()}


def test_graphs_are_counted_in_requests_under_speculation() -> None:
    """Three guesses and the token itself: four tokens a request, and 128 tokens make 32 requests."""
    assert book_of(captured("vllm-0.11.0-speculation.log")).facts["engine.captured_batch"] == 32.0


@pytest.mark.parametrize(
    "config",
    [
        "enforce_eager=True, compilation_config={'cudagraph_capture_sizes': [1, 2]}",
        "device_config=cpu, compilation_config={'cudagraph_capture_sizes': [1, 2]}",
        "compilation_config={'cudagraph_mode': <CUDAGraphMode.NONE: 0>, 'cudagraph_capture_sizes': [1, 2]}",
        'compilation_config={"cudagraph_mode":0,"cudagraph_capture_sizes":[1, 2]}',
        "compilation_config={'cudagraph_capture_sizes': []}",
    ],
)
def test_no_graphs_are_told_where_none_are_captured(config: str) -> None:
    """An engine that runs without them has none to miss."""
    assert live(f"Initializing a V1 LLM engine (v0.11.0) with config: {config}").facts == {}


@pytest.mark.parametrize(
    ("line", "name", "value"),
    [
        (
            (
                "Initializing a V1 LLM engine (v0.13.0) with config: {'cudagraph_mode': <CUDAGraphMode.PIECEWISE: 1>, "
                "'cudagraph_capture_sizes': [1, 2, 512], 'max_cudagraph_capture_size': 512}"
            ),
            "captured_batch",
            512.0,
        ),
        (
            "WARNING 03-08 16:44:29 [compilation.py:1233] Capping cudagraph capture sizes from max 512 to 352 to fit",
            "captured_batch",
            352.0,
        ),
        (
            "GPU KV cache size: 2,182,642 tokens, Maximum concurrency for 430,080 tokens per request: 5.07x",
            "kv_max_concurrency",
            5.07,
        ),
        ("KV Cache is allocated. #tokens: 992896, KV size: 12.50 GB", "kv_pool", 12.5 * GIB),
        ("Loading model weights took 14.98 GB", "weight_share", 14.98 * GIB),
        (
            "Load weight end. type=Llama, dtype=bfloat16, avail mem=64.31 GB, mem usage=14.98 GB.",
            "weight_share",
            14.98 * GIB,
        ),
        (
            "max_total_num_tokens=4096, chunked_prefill_size=-1, max_prefill_tokens=16384, context_len=8192",
            "chunked_prefill",
            0.0,
        ),
        ("llm_load_tensors: offloaded 33/33 layers to GPU", "layers_on_gpu", 1.0),
        ("gpu-07:12:345 [0] NCCL INFO Channel 00/0 : 0[0] -> 1[1] via SHM/direct/direct", "nccl_shm", 1.0),
        ("gpu-07:12:345 [0] NCCL INFO Channel 00/0 : 0[0] -> 1[1] via P2P/CUMEM", "nccl_shm", 0.0),
    ],
)
def test_other_wordings(line: str, name: str, value: float) -> None:
    """Of releases without a captured log."""
    assert live(line).facts[f"engine.{name}"] == pytest.approx(value)


def test_the_smallest_worker_counts() -> None:
    """Each says how much it holds; requests need all of them."""
    lines = [f"(Worker_TP{n} pid={n}) Available KV cache memory: {n}.00 GiB" for n in (3, 2, 4)]
    assert live(*lines).facts == {"engine.kv_pool": 2 * GIB}


def test_one_channel_through_host_memory_is_enough() -> None:
    """Others between the same cards may be direct."""
    lines = [f"h:1:2 [0] NCCL INFO Channel 0{n}/0 : 0[0] -> 1[1] via {way}" for n, way in enumerate(("SHM", "P2P"))]
    assert live(*lines).facts == {"engine.nccl_shm": 1.0}


def test_every_gate_stands_in_its_pattern() -> None:
    """A gate that the words do not hold would let no line through."""
    for wording in FACTS:
        literal = wording.pattern.pattern.replace("\\", "")
        assert wording.gate.decode() in literal or wording.gate == b"non-default args:" in literal.encode()


def test_names_are_in_the_dictionary() -> None:
    """As facts of an engine."""
    found = {name for log in ("vllm-0.11.0-healthy.log", "llamacpp-b6250.log") for name in book_of(captured(log)).facts}
    assert all(DEFAULT.find(name) is not None for name in found)
