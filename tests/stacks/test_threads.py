"""Stacks by thread, and what each thread is for."""

from __future__ import annotations

import pytest

from perfconsole.model.stackreading import Role
from perfconsole.stacks.threads import Thread, threads_of
from tests.stacks.building import CALLBACK, SELECT, WORKER, folded, profile, unread

LIB = "/usr/lib/python3.11"


def threads(*texts: str) -> list[Thread]:
    """Threads of these lines."""
    return threads_of(profile(*texts), unread)


def test_a_loop_a_pool_and_others_are_told_apart() -> None:
    """By the frames that stand in most of their stacks."""
    other = folded((f"_bootstrap ({LIB}/threading.py:1);poll (x/metrics.py:4)", 5), thread="thread (9): exporter")
    pool = folded((WORKER, 9), thread="thread (8): ThreadPoolExecutor-0_0")
    assert [t.role for t in threads(folded((SELECT, 10)), pool, other)] == [Role.EVENT_LOOP, Role.WORKER, Role.OTHER]


@pytest.mark.parametrize(
    "loop",
    [
        "run (uvloop/__init__.py:92);run (asyncio/runners.py:118)",
        "start (tornado/ioloop.py:500);_run_callback (tornado/ioloop.py:700)",
        "run (trio/_core/_run.py:2400);unrolled_run (trio/_core/_run.py:2700)",
        "run (anyio/_core/_eventloop.py:74);run_until_complete (asyncio/base_events.py:650)",
        "run_forever (asyncio/base_events.py:607)",
    ],
)
def test_every_kind_of_event_loop_is_known(loop: str) -> None:
    """asyncio, uvloop, trio, anyio and Tornado."""
    assert threads(folded((f"<module> (a.py:1);{loop};handle (a.py:9)", 3)))[0].role is Role.EVENT_LOOP


def test_a_worker_of_anyio_is_no_loop() -> None:
    """Its function is called `run` too."""
    stack = f"_bootstrap ({LIB}/threading.py:1);WorkerThread.run (anyio/_backends/_asyncio.py:1113);job (a.py:3)"
    assert threads(folded((stack, 3), thread="thread (5): AnyIO worker thread"))[0].role is Role.WORKER


def test_the_main_thread_has_its_name_or_the_number_of_its_process() -> None:
    """Names can be changed."""
    one = threads(folded((SELECT, 1), thread='process 4:"x";thread (4): renamed'))[0]
    assert one.main
    assert not threads(folded((SELECT, 1), thread='process 4:"x";thread (5): renamed'))[0].main


def test_idleness_is_a_share_of_a_threads_own_samples() -> None:
    """Three quarters in the selector."""
    (thread,) = threads(folded((SELECT, 75), (CALLBACK, 25)))
    assert (thread.samples, thread.idle()) == (100, 0.75)


def test_without_names_of_threads_roots_tell_them_apart() -> None:
    """The program, what it started, and stacks that lost their outer frames."""
    text = (
        f"{SELECT} 9\nThread._bootstrap (threading.py:1002);job (a.py:3) 5\nwait (asyncio/locks.py:213);f (a.py:1) 1\n"
    )
    assert [t.key.thread for t in threads(text)] == ["MainThread", "other threads", "torn stacks"]


def test_a_thread_without_samples_has_no_share() -> None:
    """A weight of 0 is no division."""
    assert threads(folded((SELECT, 0)))[0].idle() == 0.0
