"""Which calls keep a loop or a pool from its work."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from perfconsole.model.stack import Frame
from perfconsole.stacks.blocking import blocking, pools_of
from perfconsole.stacks.threads import threads_of
from tests.stacks.building import CALLBACK, MAIN, SELECT, WORKER, folded, profile, source, unread

if TYPE_CHECKING:
    from perfconsole.model.stackreading import Blocking
    from perfconsole.stacks.doing import Source

LIB = "/usr/lib/python3.11"
RECV = f"{CALLBACK};get (/srv/app/store.py:12);readinto ({LIB}/socket.py:706)"
JOB = f"{WORKER};run ({LIB}/concurrent/futures/thread.py:58);fetch (/srv/app/jobs.py:7);readinto ({LIB}/socket.py:706)"


def found(*texts: str, read: Source = unread, waits: bool = True) -> tuple[Blocking, ...]:
    """What blocks in these threads."""
    threads = threads_of(profile(*texts), read)
    return blocking(threads, waits=waits)


def pool_thread(number: int, *lines: tuple[str, int]) -> str:
    """A thread of the first pool."""
    return folded(*lines, thread=f"thread ({100 + number}): ThreadPoolExecutor-0_{number}")


def test_a_blocking_call_has_its_share_of_the_loops_samples() -> None:
    """Three quarters in a read of a socket, with the line that made it."""
    (call,) = found(folded((SELECT, 25), (RECV, 75)))
    assert (call.kind, call.share, call.waits) == ("socket", 0.75, True)
    assert call.user == Frame("get", "/srv/app/store.py", 12)
    assert call.call == "readinto (socket.py:706)"


def test_the_largest_share_stands_first() -> None:
    """Two lines of the same function are two culprits."""
    other = RECV.replace("store.py:12", "store.py:30")
    assert [c.user.line for c in found(folded((RECV, 20), (other, 60), (SELECT, 20))) if c.user] == [30, 12]


def test_chance_is_left_out() -> None:
    """A call in one of two hundred samples."""
    assert found(folded((SELECT, 199), (RECV, 1))) == ()


def test_a_busy_line_is_told_from_a_fifth_on() -> None:
    """It keeps the loop as well, and waits for nothing; its line is the one seen most."""
    hot = f"{CALLBACK};crunch (/srv/app/math.py:5)"
    (call,) = found(folded((SELECT, 50), (hot, 20), (hot.replace(":5)", ":6)"), 30)))
    assert (call.kind, call.waits, call.share) == ("other", False, 0.5)
    assert call.user == Frame("crunch", "/srv/app/math.py", 6)


def test_the_text_of_the_line_names_a_call_into_c() -> None:
    """As it is written there."""
    (call,) = found(folded((CALLBACK, 50), (SELECT, 50)), read=source(l40="time.sleep(1)"))
    assert (call.kind, call.call, call.user) == ("sleep", "time.sleep", Frame("handle", "/srv/app/main.py", 40))


def test_without_idle_samples_a_wait_is_none() -> None:
    """What py-spy took as active was using a core."""
    assert found(folded((SELECT, 25), (RECV, 75)), waits=False) == ()


def test_a_full_pool_shows_what_fills_it() -> None:
    """The loop is free, and every thread of the pool is always taken."""
    texts = (folded((SELECT, 100)), pool_thread(0, (JOB, 100)), pool_thread(1, (JOB, 98), (WORKER, 2)))
    (call,) = found(*texts)
    assert (call.kind, call.user) == ("socket", Frame("fetch", "/srv/app/jobs.py", 7))
    assert call.where == "pool ThreadPoolExecutor-0, all 2 threads seen are taken"
    assert call.share == pytest.approx(0.99)


def test_a_pool_that_is_full_of_calls_into_c_says_so() -> None:
    """They have no frame, and the pool is full all the same."""
    run = f"_bootstrap ({LIB}/threading.py:1);WorkerThread.run (anyio/_backends/_asyncio.py:1113)"
    pool = [folded((run, 9), thread=f"thread ({number}): AnyIO worker thread") for number in (8, 9)]
    (call,) = found(folded((SELECT, 9)), *pool)
    assert (call.kind, call.share, call.user) == ("other", 1.0, None)
    assert call.call == "a job written in C, which has no frame"


def test_a_pool_with_a_free_thread_is_no_trouble() -> None:
    """Half of its time is nothing to report."""
    texts = (folded((SELECT, 100)), pool_thread(0, (JOB, 100)), pool_thread(1, (WORKER, 100)))
    assert found(*texts) == ()
    (pool,) = pools_of(threads_of(profile(*texts), unread))
    assert (pool.name, pool.threads, pool.busy, pool.full) == ("ThreadPoolExecutor-0", 2, 0.5, False)


def test_a_process_without_a_loop_shows_its_main_thread() -> None:
    """A synchronous server that waits for a database."""
    main = f"<module> (/srv/app/sync.py:3);query (/srv/app/sync.py:9);readinto ({LIB}/socket.py:706)"
    (call,) = found(folded((main, 10)))
    assert (call.kind, call.share) == ("socket", 1.0)
    assert call.where.startswith("MainThread")


def test_the_chain_is_the_longest_seen() -> None:
    """From the callback to the innermost frame."""
    deep = RECV.replace("store.py:12)", f"store.py:12);_read ({LIB}/http/client.py:290)")
    (call,) = found(folded((RECV, 10), (deep, 1), (SELECT, 10)), read=unread)[:1]
    assert call.chain[0].function == "handle"


def test_two_loops_are_told_apart() -> None:
    """Each has its own samples."""
    calls = found(folded((RECV, 50), (SELECT, 50)), folded((RECV, 10), (SELECT, 90), thread="thread (9): second"))
    assert [(c.share, c.where) for c in calls] == [(0.5, "MainThread (7)"), (0.1, "second (9)")]
    assert MAIN == "thread (7): MainThread"
