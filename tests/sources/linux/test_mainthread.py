"""Tests of what the first thread of a process does, in the kernel's words."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perfconsole.sources.linux.mainthread import (
    ELSEWHERE,
    EVENTS,
    LOCK,
    PIPE,
    SOCKET,
    UNSEEN,
    MainThread,
    call_words,
    channel_words,
    shares_words,
)
from tests.sources.fakeroot import FakeRoot

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("channel", "words"),
    [
        ("do_epoll_wait", EVENTS),
        ("ep_poll", EVENTS),
        ("poll_schedule_timeout.constprop.0", EVENTS),
        ("futex_do_wait", LOCK),
        ("futex_wait_queue_me", LOCK),
        ("anon_pipe_read", PIPE),
        ("hrtimer_nanosleep", "sleeps"),
        ("do_wait", "waits for a child"),
        ("wait_woken", SOCKET),
        ("unix_stream_read_generic", SOCKET),
        ("inet_csk_accept", SOCKET),
        ("folio_wait_bit_common", "waits for a disk"),
        ("__x64_sys_rt_sigsuspend", "waits for a signal"),
        ("some_driver_ioctl", ELSEWHERE),
        ("0", ""),
    ],
)
def test_a_function_of_the_kernel_says_what_it_waits_for(channel: str, words: str) -> None:
    """As kernels from 5 to 6 name them."""
    assert channel_words(channel) == words


@pytest.mark.parametrize(
    ("line", "machine", "words"),
    [
        ("232 0x3 0x7f89", "x86_64", EVENTS),
        ("202 0x5624", "x86_64", LOCK),
        ("45 0x4", "x86_64", SOCKET),
        ("22 0x3", "aarch64", EVENTS),
        ("98 0x3", "aarch64", LOCK),
        ("0 0x3", "x86_64", "waits on a socket or a pipe"),
        ("999 0x3", "x86_64", ELSEWHERE),
        ("-1 0x7ffd 0x7f", "x86_64", ""),
        ("", "x86_64", ""),
    ],
)
def test_a_system_call_says_it_too(line: str, machine: str, words: str) -> None:
    """Numbers differ from machine to machine."""
    assert call_words(line, machine) == words


def test_shares_are_those_of_the_looks() -> None:
    """The largest first, in steps of five percent."""
    assert shares_words([EVENTS] * 31 + ["runs"] * 9) == "waits for events 80%, runs 20%"


@given(st.lists(st.sampled_from([EVENTS, LOCK, "runs"]), max_size=60))
def test_few_looks_are_no_shares(looks: list[str]) -> None:
    """Below five nothing is said, and from five on each kind is."""
    words = shares_words(looks)
    assert bool(words) == (len(looks) >= 5)
    assert all(kind in words for kind in looks) or not words


@pytest.fixture
def root(tmp_path: Path) -> FakeRoot:
    """Make a host with process 10, which waits for events."""
    root = FakeRoot(tmp_path)
    root.process(10, 1, "python", "agent.py")
    root.put("proc/10/task/10/wchan", "do_epoll_wait")
    return root


def looked(root: FakeRoot, times: int = 5, state: str = "S") -> str:
    """What it says after so many looks a second apart."""
    thread = MainThread(root.base, 10, "x86_64")
    return [thread.look(float(t), state) for t in range(times)][-1]


def test_a_waiting_thread_is_read_from_its_files(root: FakeRoot) -> None:
    """Nothing is stopped for it."""
    assert looked(root) == "waits for events 100%"


@pytest.mark.parametrize(("state", "words"), [("R", "runs"), ("D", "waits for a disk"), ("T", "is stopped")])
def test_a_state_says_enough(root: FakeRoot, state: str, words: str) -> None:
    """The files are not even read."""
    assert looked(root, state=state) == f"{words} 100%"


def test_a_hidden_function_is_told_by_the_system_call(root: FakeRoot) -> None:
    """Kernels may hide their addresses."""
    root.put("proc/10/task/10/wchan", "0")
    root.put("proc/10/task/10/syscall", "202 0x5624 0x80 0x0")
    assert looked(root) == "waits for a lock 100%"


def test_what_nobody_may_see_says_so(root: FakeRoot) -> None:
    """Missing with its reason, and not left out."""
    root.put("proc/10/task/10/wchan", "0")
    assert looked(root) == f"{UNSEEN} 100%"


def test_only_the_last_minute_counts(root: FakeRoot) -> None:
    """What it did before is forgotten."""
    thread = MainThread(root.base, 10, "x86_64")
    for t in range(60):
        thread.look(float(t), "R")
    for t in range(60, 121):
        said = thread.look(float(t), "S")
    assert said == "waits for events 100%"
