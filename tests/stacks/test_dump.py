"""Dumps of one process, and of all ranks of an engine."""

from __future__ import annotations

import json

import pytest

from perfconsole.model.stackdump import ProcessNow
from perfconsole.stacks.dump import parse_dump, process_now, read_dumps
from tests.stacks.building import unread

LIB = "/usr/lib/python3.11"
REDUCE = ("all_reduce", "torch/distributed/distributed_c10d.py", 2000)
SLEEP = ("work", "/srv/app/rank.py", 7)
QUEUE = ("get", f"{LIB}/queue.py", 171)


def text(*frames: tuple[str, str, int], name: str = "MainThread", number: int = 7, active: bool = False) -> str:
    """What py-spy writes of one thread, innermost frame first."""
    told = [{"name": n, "filename": f, "short_filename": f, "line": line} for n, f, line in frames]
    thread = {
        "pid": 7,
        "thread_id": 1,
        "os_thread_id": number,
        "thread_name": name,
        "active": active,
        "owns_gil": False,
    }
    return json.dumps([{**thread, "frames": told}])


def process(pid: int, *looks: str, role: str = "worker", state: str = "S") -> ProcessNow:
    """A process after two looks; one that did not move where one is given."""
    first, second = (looks * 2)[:2]
    bare = ProcessNow(pid, f"rank {pid}", role, state, (), "", gathered=False, odd="")
    return process_now(bare, parse_dump(first), parse_dump(second), unread)


def test_frames_stand_from_the_outermost_inwards() -> None:
    """As everywhere else here; py-spy writes them the other way round."""
    (thread,) = parse_dump(text(SLEEP, ("main", "a.py", 1), active=True))
    assert [frame.function for frame in thread.frames] == ["main", "work"]
    assert (thread.number, thread.name, thread.active) == (7, "MainThread", True)


@pytest.mark.parametrize("wrong", ["", "Error: no", "[{]", "[1]", '[{"frames": [{}]}]'])
def test_what_is_no_dump_is_refused_or_empty(wrong: str) -> None:
    """In words, never with a traceback."""
    try:
        assert parse_dump(wrong) == ()
    except ValueError as error:
        assert "no dump" in str(error)  # noqa: PT017 - either is right


def test_a_thread_at_the_same_place_twice_has_not_moved() -> None:
    """Another line is a move."""
    assert process(7, text(SLEEP)).threads[0].still
    assert not process(7, text(SLEEP), text(("work", "/srv/app/rank.py", 9))).threads[0].still


def test_a_thread_that_could_run_while_another_has_the_lock_waits_for_it() -> None:
    """Or it runs in C, which a dump cannot tell apart."""
    holder = {**json.loads(text(SLEEP, name="holder", number=9, active=True))[0], "owns_gil": True}
    both = json.dumps([*json.loads(text(SLEEP, active=True)), holder])
    told = {t.stack.name: t.words for t in process(7, both).threads}
    assert told["holder"] == "runs"
    assert told["MainThread"] == "waits for the interpreter lock, or runs in C"


def test_threads_that_wait_for_work_stand_last() -> None:
    """Whoever reads it looks for the one that does not."""
    queue = json.loads(text(QUEUE, name="output", number=9))
    both = json.dumps([*queue, *json.loads(text(SLEEP))])
    assert [t.stack.name for t in process(7, both).threads] == ["MainThread", "output"]


def test_the_rank_that_is_not_in_the_collective_stands_first() -> None:
    """Three wait for it."""
    reading = read_dumps([process(pid, text(REDUCE)) for pid in (1, 2, 3)] + [process(4, text(SLEEP))])
    assert reading.processes[0].pid == 4
    assert "not in the collective" in reading.processes[0].odd
    assert reading.shares["profile.odd_ranks"] == 1


def test_a_rank_that_comes_and_goes_is_not_odd() -> None:
    """Three compute first and gather then, one the other way round: they take turns."""
    turns = [process(pid, text(SLEEP), text(REDUCE)) for pid in (1, 2, 3)]
    assert read_dumps([*turns, process(4, text(REDUCE), text(SLEEP))]).shares["profile.odd_ranks"] == 0


def test_where_all_are_in_the_collective_none_is_odd() -> None:
    """The network may be slow, but no rank is."""
    reading = read_dumps([process(pid, text(REDUCE)) for pid in (1, 2)])
    assert reading.shares["profile.odd_ranks"] == 0
    assert not any(p.odd for p in reading.processes)


def test_a_stopped_process_stands_first_and_says_so() -> None:
    """Whatever its stack looks like."""
    reading = read_dumps([process(1, text(QUEUE)), process(2, text(QUEUE), state="T")])
    assert (reading.processes[0].pid, reading.processes[0].odd) == (2, "stopped by a signal (state T)")
    assert reading.shares["profile.odd_ranks"] == 1


def test_one_process_has_no_odd_ranks() -> None:
    """There is nobody to compare it with."""
    assert read_dumps([process(1, text(SLEEP))]).shares == {}
