"""Tests of the sizes in messages of a device out of memory."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perfconsole.sources.logs.oom import Oom, read_oom

KIB, MIB, GIB = 2.0**10, 2.0**20, 2.0**30
NEW = (
    "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate {asked}. GPU 0 has a total capacity of 79.15 GiB of "
    "which {free} is free. Process 4312 has 78.12 GiB memory in use. Of the allocated memory 75.61 GiB is allocated by "
    "PyTorch, and {held} is reserved by PyTorch but unallocated. If reserved but unallocated memory is large try"
)


@pytest.mark.parametrize(
    ("message", "oom"),
    [
        pytest.param(
            "RuntimeError: CUDA out of memory. Tried to allocate 36.00 MiB (GPU 0; 7.93 GiB total capacity; 130.50 MiB "
            "already allocated; 47.00 MiB free; 188.50 MiB reserved in total by PyTorch) If reserved memory is >> "
            "allocated memory try setting max_split_size_mb",
            Oom(36 * MIB, 47 * MIB, 58 * MIB),
            id="torch 1.9",
        ),
        pytest.param(
            "torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB (GPU 0; 15.90 GiB total "
            "capacity; 13.90 GiB already allocated; 41.00 MiB free; 14.00 GiB allowed; 14.00 GiB reserved in total by "
            "PyTorch)",
            Oom(2 * GIB, 41 * MIB, 14.0 * GIB - 13.9 * GIB),
            id="torch 1.13",
        ),
        pytest.param(
            "torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 518.00 MiB. GPU 0 has a total capacty "
            "of 21.67 GiB of which 4.00 MiB is free. Process 2417585 has 21.65 GiB memory in use. Of the allocated "
            "memory 21.32 GiB is allocated by PyTorch, and 1018.00 KiB is reserved by PyTorch but unallocated.",
            Oom(518 * MIB, 4 * MIB, 1018 * KIB),
            id="torch 2.1",
        ),
        pytest.param(
            NEW.format(asked="1.50 GiB", free="0 bytes", held="737.00 MiB"),
            Oom(1.5 * GIB, 0.0, 737 * MIB),
            id="torch 2.5",
        ),
        pytest.param(
            "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 128.00 MiB. GPU 0 has a total capacity of "
            "79.33 GiB of which 16.00 MiB is free. Including non-PyTorch memory, this process has 79.29 GiB memory in "
            "use. Process 9 has 1.00 GiB memory in use. 70.00 GiB allowed; Of the allocated memory 69.59 GiB is "
            "allocated by PyTorch, with 46.00 MiB allocated in private pools (e.g., CUDA Graphs), and 118.50 MiB is "
            "reserved by PyTorch but unallocated.",
            Oom(128 * MIB, 16 * MIB, 118.5 * MIB),
            id="torch 2.8",
        ),
        pytest.param(
            "torch.OutOfMemoryError: HIP out of memory. Tried to allocate 2.00 GB. GPU 1 has a total capacity of 64.00 "
            "GB of which 1.00 GB is free.",
            Oom(2 * GIB, GIB, None),
            id="ROCm",
        ),
        pytest.param(
            "ggml_backend_cuda_buffer_type_alloc_buffer: allocating 590.50 MiB on device 0: cudaMalloc failed: out of "
            "memory",
            Oom(590.5 * MIB),
            id="llama.cpp",
        ),
        pytest.param("torch.AcceleratorError: CUDA error: out of memory", Oom(), id="no sizes"),
        pytest.param("RuntimeError: CUDA error: out of memory", Oom(), id="runtime error"),
    ],
)
def test_each_wording_is_read(message: str, oom: Oom) -> None:
    """In bytes; what is not said is missing."""
    assert read_oom(message) == oom


@pytest.mark.parametrize(
    "message",
    [
        "why do I get CUDA out of memory. Tried to allocate 2.00 GiB?",
        "Prefill out of memory. Try to lower your batch size.",
        "Decode out of memory happened. #retracted_reqs: 3",
        "ggml_backend_cuda_buffer_type_alloc_buffer: allocating 590.07 MiB on device 0",
        "Out of memory: Killed process 4312 (python3)",
        "",
    ],
)
def test_other_words_are_none(message: str) -> None:
    """The KV pool, the host, and what people write about it."""
    assert read_oom(message) is None


@given(st.integers(1, 999), st.integers(0, 999), st.sampled_from(["KiB", "MiB", "GiB"]))
def test_sizes_come_back_as_they_were_written(asked: int, free: int, unit: str) -> None:
    """Whatever the unit."""
    scale = {"KiB": KIB, "MiB": MIB, "GiB": GIB}[unit]
    message = NEW.format(asked=f"{asked}.00 {unit}", free=f"{free}.00 {unit}", held=f"1.00 {unit}")
    assert read_oom(message) == Oom(asked * scale, free * scale, scale)


@given(st.text(max_size=300))
def test_any_text_is_borne(text: str) -> None:
    """Also behind the words that begin such a message."""
    assert read_oom(f"CUDA out of memory. Tried to allocate {text}") is not None
