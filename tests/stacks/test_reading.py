"""A recording, read: also those of a real engine."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from perfconsole.model.stack import Profile
from perfconsole.stacks.folded import read_folded
from perfconsole.stacks.reading import read_profile
from tests.stacks.building import CALLBACK, SELECT, WORKER, folded, profile, unread

CAPTURES = Path(__file__).parents[1] / "captures" / "pyspy"
LIB = "/usr/lib/python3.11"


def limits(text: str, *, idle: bool | None = None) -> str:
    """What cannot be told from these lines."""
    return "\n".join(read_profile(read_folded(text, idle=idle), unread).limits)


def test_functions_are_ordered_by_their_own_time() -> None:
    """Waiting for work is nobody's time."""
    reading = read_profile(profile(folded((SELECT, 60), (f"{CALLBACK};f (a.py:1)", 30), (CALLBACK, 10))), unread)
    assert [(hot.function, hot.share) for hot in reading.hot] == [("f", 0.3), ("handle", 0.1)]


def test_a_recording_without_idle_says_what_it_hides() -> None:
    """A blocked loop is not in it."""
    assert "no --idle" in limits(folded((CALLBACK, 90)), idle=False)


def test_threads_with_as_many_samples_each_were_recorded_with_idle_ones() -> None:
    """Nobody says so, and the counts do."""
    pool = folded((WORKER, 99), thread="thread (8): ThreadPoolExecutor-0_0")
    assert "--idle" not in limits(folded((CALLBACK, 100)) + pool)
    assert "no --idle" in limits(folded((CALLBACK, 100)) + pool.replace(" 99", " 5"))


def test_a_single_busy_thread_leaves_that_open() -> None:
    """It may never have waited."""
    assert "nobody says" in limits(folded((CALLBACK, 100)))


def test_few_samples_are_said_to_be_few() -> None:
    """A share of 20% of ten samples is two of them."""
    assert "only 10 samples" in limits(folded((CALLBACK, 10)), idle=True)


def test_of_lock_holders_only_their_share_of_the_looks_is_told() -> None:
    """Every other thread is missing from the samples."""
    found = replace(profile(folded((CALLBACK, 90)), idle=False), looks=100)
    reading = read_profile(found, unread)
    assert reading.shares == {"profile.gil_ratio": 0.9}
    assert "only holders of the interpreter lock" in reading.limits[0]


def test_nothing_recorded_is_said() -> None:
    """No share of nothing."""
    reading = read_profile(Profile((), "samples", 0, idle=True, unread=0), unread)
    assert (reading.shares, reading.blocking) == ({}, ())
    assert "no sample" in reading.limits[0]


def test_torn_stacks_are_told() -> None:
    """Read while they changed: they begin in the middle."""
    text = folded((CALLBACK, 80), ("handle (/srv/app/main.py:40);f (a.py:1)", 20))
    assert "20% of the stacks are torn" in limits(text, idle=True)


@pytest.mark.parametrize(
    ("name", "samples", "role"),
    [
        ("vllm-api", 143, "event-loop"),
        ("vllm-core", 99, "other"),
        ("vllm-worker", 191, "other"),
        ("vllm-tree", 465, None),
    ],
)
def test_recordings_of_a_real_engine_are_read(name: str, samples: int, role: str | None) -> None:
    """Every sample counts, and the front-end's main thread runs a loop."""
    profile = read_folded((CAPTURES / f"{name}.raw").read_text(encoding="utf-8"))
    reading = read_profile(profile, unread)
    assert (reading.samples, profile.unread) == (samples, 0)
    assert role is None or reading.threads[0].role == role


def test_a_real_front_end_relays_and_says_that_it_cannot_tell_blocking() -> None:
    """It was recorded without idle threads and without their names."""
    reading = read_profile(read_folded((CAPTURES / "vllm-api.raw").read_text(encoding="utf-8")), unread)
    assert reading.shares["profile.relay_ratio"] > 0.3
    assert "profile.blocked_loop_ratio" not in reading.shares
    assert {"no --idle", "no --threads", "uvloop"} <= {
        word for word in ("no --idle", "no --threads", "uvloop") if word in "\n".join(reading.limits)
    }


def test_a_real_core_waits_for_its_worker() -> None:
    """It spins on the answer, which is no work of its own."""
    reading = read_profile(read_folded((CAPTURES / "vllm-core.raw").read_text(encoding="utf-8")), unread)
    assert reading.shares["profile.main_active_ratio"] < 0.6


def test_processes_of_a_tree_are_told_apart() -> None:
    """Front-end, core and worker in one file."""
    reading = read_profile(read_folded((CAPTURES / "vllm-tree.raw").read_text(encoding="utf-8")), unread)
    assert len({thread.process for thread in reading.threads}) == 3
