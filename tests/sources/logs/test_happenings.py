"""Tests of the words for what goes wrong, and of the words that must say nothing."""

from __future__ import annotations

import pytest

from perfconsole.model.dictionary import DEFAULT
from perfconsole.model.dictionary.entry import Sort
from perfconsole.sources.logs.happenings import EVENTS
from tests.sources.logs.logbooks import book_of, captured, events, live


@pytest.mark.parametrize(
    ("log", "found"),
    [
        ("vllm-0.11.0-healthy.log", {}),
        ("vllm-0.11.0-cpu.log", {}),
        ("vllm-0.6.6.log", {}),
        ("sglang-0.5.4-healthy.log", {}),
        ("llamacpp-b6250.log", {}),
        ("vllm-0.11.0-oom.log", {"oom_events": 1.0}),
        ("vllm-0.19-jit.log", {"compile_lines": 3.0}),
        (
            "sglang-0.5.4-troubles.log",
            {"oom_events": 1.0, "compile_lines": 1.0, "rpc_timeouts": 1.0, "peer_disconnects": 2.0},
        ),
    ],
)
def test_events_of_a_captured_log(log: str, found: dict[str, float]) -> None:
    """On a healthy engine there are none, start-up and warm-up included."""
    assert events(book_of(captured(log))) == found


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("ERROR 06-15 13:57:57 [core.py:517] TimeoutError: RPC call to execute_model timed out.", "rpc_timeouts"),
        (
            (
                "[rank0]:[E1105 12:30:00.789 ProcessGroupNCCL.cpp:632] [Rank 0] Watchdog caught collective operation "
                "timeout: WorkNCCL(SeqNum=5)"
            ),
            "rpc_timeouts",
        ),
        ("ray.exceptions.RayChannelTimeoutError: System error: Timed out", "rpc_timeouts"),
        ("nixl._bindings.nixlRemoteDisconnectError: NIXL_ERR_REMOTE_DISCONNECT", "peer_disconnects"),
        ("TileLang JIT compilation during inference: k", "compile_lines"),
        (
            (
                "(Worker_TP1 pid=5) 2026-07-12 02:34:57  [TileLang:tilelang.jit:INFO] (kernel.py:133): TileLang begins "
                "to compile kernel `a`"
            ),
            "compile_lines",
        ),
        (
            "[2025-11-05 12:30:00 TP0] Scheduler watchdog timeout (self.watchdog_timeout=300)",
            "rpc_timeouts",
        ),
        ("AUTOTUNE mm(16x4096, 4096x4096)", "compile_lines"),
        ("flashinfer.jit: Loading JIT ops: batch_decode", "compile_lines"),
    ],
)
def test_each_wording_counts(line: str, name: str) -> None:
    """Once."""
    assert events(live(line)) == {name: 1.0}


@pytest.mark.parametrize(
    "line",
    [
        (
            "INFO 11-05 12:30:00 [logger.py:43] Received request cmpl-1: prompt: 'torch.OutOfMemoryError: CUDA out of "
            "memory. Tried to allocate 2.00 GiB', params: SamplingParams(n=1)"
        ),
        "[2025-11-05 12:30:00] Receive: obj=GenerateReqInput(text='RPC call to execute_model timed out')",
        "[2025-11-05 12:30:00] Finish: obj=GenerateReqInput(rid='1'), out={'text': 'AUTOTUNE mm(1)'}",
        'INFO:     127.0.0.1:1 - "GET /?q=RPC call to x timed out HTTP/1.1" 200 OK',
        "my users ask: what is CUDA out of memory. Tried to allocate 2.00 GiB",
        "INFO 11-05 12:30:00 [a.py:1] docs say Losing connection with prefill instance is bad",
    ],
)
def test_what_callers_write_says_nothing(line: str) -> None:
    """A prompt that a server logs may hold any of these words."""
    book = live(line)
    assert (events(book), book.facts) == ({}, {})


def test_events_are_events_of_the_dictionary() -> None:
    """Counted over an hour, as it says."""
    assert {DEFAULT.sort(name) for name in EVENTS} == {Sort.EVENT}
