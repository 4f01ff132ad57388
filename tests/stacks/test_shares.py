"""The `profile.*` indicators."""

from __future__ import annotations

import pytest

from perfconsole.stacks.shares import shares, working
from perfconsole.stacks.threads import threads_of
from tests.stacks.building import CALLBACK, SELECT, WORKER, folded, profile, source, unread

LIB = "/usr/lib/python3.11"
RECV = f"{CALLBACK};readinto ({LIB}/socket.py:706)"
JSON = f"{CALLBACK};loads ({LIB}/json/__init__.py:346)"
FREE = folded((WORKER, 100), thread="thread (8): ThreadPoolExecutor-0_0")


def told(*texts: str, idle: bool = True, native: bool = False) -> dict[str, float]:
    """Shares of these threads."""
    return shares(threads_of(profile(*texts), unread), idle=idle, native=native)


def test_a_blocked_loop_is_a_share_of_its_own_samples() -> None:
    """Idle ones included, other threads not."""
    assert told(folded((SELECT, 60), (RECV, 40)), FREE)["profile.blocked_loop_ratio"] == 0.4


def test_encoding_is_no_waiting() -> None:
    """It has a share of its own, and keeps the main thread active."""
    found = told(folded((SELECT, 40), (JSON, 60)))
    assert found["profile.blocked_loop_ratio"] == 0.0
    assert found["profile.serialise_ratio"] == 0.6
    assert found["profile.main_active_ratio"] == 0.6


def test_threads_that_only_wait_for_work_hide_nothing() -> None:
    """A pool of thirty free threads beside one that encodes all the time."""
    pool = [folded((WORKER, 100), thread=f"thread ({n}): ThreadPoolExecutor-0_{n}") for n in range(30)]
    assert told(folded((JSON, 100)), *pool)["profile.serialise_ratio"] == 1.0


def test_without_idle_samples_nothing_is_said_of_waiting() -> None:
    """A blocked loop is not in them."""
    found = told(folded((JSON, 60)), idle=False)
    assert not {"profile.blocked_loop_ratio", "profile.main_active_ratio", "profile.lock_wait_ratio"} & found.keys()


def test_where_lines_cannot_be_read_nothing_small_is_said_of_waiting() -> None:
    """0 would refute what nobody has seen; what is seen to wait can only be more."""
    assert "profile.blocked_loop_ratio" not in told(folded((CALLBACK, 60), (SELECT, 40)))
    assert told(folded((CALLBACK, 20), (RECV, 40), (SELECT, 40)))["profile.blocked_loop_ratio"] == 0.4


def test_waiting_for_work_is_no_work() -> None:
    """A tokeniser's process that waits for something to do."""
    idle = "_bootstrap (threading.py:1);event_loop (sglang/tokenizer.py:9);recv_pyobj (zmq/sugar/socket.py:9)"
    busy = folded((JSON, 50), thread="thread (9): other")
    assert told(folded((idle, 50)), busy)["profile.tokenise_ratio"] == 0.0


def test_without_a_loop_nothing_is_said_of_one() -> None:
    """A synchronous process."""
    assert "profile.blocked_loop_ratio" not in told(
        folded((f"<module> (a.py:1);loads ({LIB}/json/__init__.py:346)", 9))
    )


def test_collection_is_said_only_where_it_would_be_seen() -> None:
    """It has no frame of Python: 0 would be a guess."""
    assert "profile.gc_ratio" not in told(folded((JSON, 60)))
    native = f"{CALLBACK};gc_collect_main (gcmodule.c:1200)"
    assert told(folded((native, 30), (SELECT, 70)), native=True)["profile.gc_ratio"] == 0.3


def test_a_collection_that_is_called_is_seen_in_its_line() -> None:
    """`gc.collect()` stands there."""
    threads = threads_of(profile(folded((CALLBACK, 50), (SELECT, 50))), source(l40="gc.collect()"))
    assert shares(threads, idle=True, native=False)["profile.gc_ratio"] == 0.5


@pytest.mark.parametrize(
    ("frame", "name"),
    [
        ("_encode_plus (transformers/tokenization_utils_tokenizers.py:1063)", "tokenise"),
        ("StreamingResponse.stream_response (starlette/responses.py:254)", "relay"),
        ("Image.open (PIL/Image.py:3000)", "media"),
        ("generate_latest (prometheus_client/exposition.py:150)", "metrics"),
        ("fill_bitmask (xgrammar/matcher.py:40)", "grammar"),
        ("apply_penalties (vllm/v1/sample/ops/penalties.py:30)", "sampling"),
        ("compile_fx (torch/_inductor/compile_fx.py:700)", "compile"),
        ("synchronize (torch/cuda/streams.py:100)", "gpu_wait"),
        ("all_reduce (torch/distributed/distributed_c10d.py:2000)", "collective"),
    ],
)
def test_each_kind_of_work_has_its_share(frame: str, name: str) -> None:
    """Some frame of the stack is of it."""
    found = told(folded((f"{CALLBACK};{frame};inner (x/y.py:1)", 30), (SELECT, 70)))
    assert found[f"profile.{name}_ratio"] == pytest.approx(0.3)


def test_all_threads_count_where_none_does_anything() -> None:
    """An idle process is no division by zero."""
    threads = threads_of(profile(FREE), unread)
    assert working(threads) == threads
    assert shares([], idle=True, native=True)["profile.relay_ratio"] == 0.0
