"""Tests of keeping a helper: asked, replaced when it died or is silent, ended without waiting."""

from __future__ import annotations

import os
import signal
import sys
import threading
from typing import TYPE_CHECKING

import pytest

from perfconsole.actions import run
from perfconsole.actions.run import Child
from perfconsole.clock import SystemClock
from perfconsole.sources.nvml import keeper as keeper_module
from perfconsole.sources.nvml.keeper import MOST_LEFT, YOUNG_S, Keeper

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

CLOCK = SystemClock()
ECHO = "import os, sys\nfor _ in sys.stdin: print(os.getpid(), flush=True)"
SILENT = "import sys\nfor _ in sys.stdin: pass"
GOING = threading.Event()


class Shifted:
    """The real clock, which a test may put forward."""

    def __init__(self) -> None:
        self.ahead_s = 0.0

    def now(self) -> float:
        """Monotonic seconds."""
        return CLOCK.now() + self.ahead_s

    def wall(self) -> float:
        """Epoch seconds."""
        return CLOCK.wall()

    def sleep(self, seconds: float) -> None:
        """Wait for real."""
        CLOCK.sleep(seconds)


@pytest.fixture
def clock() -> Shifted:
    """A clock of the test's own."""
    return Shifted()


@pytest.fixture
def keep(clock: Shifted) -> Iterator[Callable[[str], Keeper]]:
    """Makes keepers of Python code; none of their helpers outlives the test."""
    made: list[Keeper] = []

    def make(code: str) -> Keeper:
        made.append(Keeper([sys.executable, "-c", code], clock, "GPU helper"))
        made[-1].start()
        return made[-1]

    yield make
    for one in made:
        one.close()
    run.end_all(2.0)


def pid_of(keeper: Keeper) -> int:
    """Number of the helper that there is."""
    assert keeper.child is not None
    return keeper.child.pid


def ask(keeper: Keeper, wait_s: float = 20.0) -> bytes | str:
    """A question, after a start where it is time."""
    return keeper.restart() or keeper.ask(wait_s, GOING)


def test_a_helper_answers(keep: Callable[[str], Keeper]) -> None:
    """The same one each time."""
    keeper = keep(ECHO)
    pid = str(pid_of(keeper)).encode()
    assert [ask(keeper), ask(keeper)] == [pid, pid]


def test_a_helper_that_died_is_replaced_after_a_pause(keep: Callable[[str], Keeper], clock: Shifted) -> None:
    """It is said how it ended, and when the next one comes."""
    keeper = keep(ECHO)
    first = pid_of(keeper)
    os.kill(first, signal.SIGSEGV)
    assert keeper.child is not None
    assert keeper.child.wait(20.0)
    assert ask(keeper) == f"the GPU helper (pid {first}) ended by signal 11"
    assert "ended by signal 11; the next one starts in" in str(ask(keeper))
    clock.ahead_s += 2.0
    answer = ask(keeper)
    assert answer == str(pid_of(keeper)).encode()
    assert pid_of(keeper) != first


def test_pauses_grow_to_a_minute(keep: Callable[[str], Keeper], clock: Shifted) -> None:
    """A helper that dies at once must not cost a core."""
    keeper = keep("pass")
    pauses = []
    for _ in range(7):
        while keeper.child is not None:
            ask(keeper, 20.0)
        pauses.append(round(keeper._start_t - clock.now()))
        clock.ahead_s = keeper._start_t - CLOCK.now()
        assert keeper.restart() == ""
    assert pauses == [2, 4, 8, 16, 32, 60, 60]


def test_after_a_good_time_the_pause_is_short_again(keep: Callable[[str], Keeper], clock: Shifted) -> None:
    """A helper that worked for long is worth a quick start."""
    keeper = keep(ECHO)
    keeper._pause_s = 60.0
    assert isinstance(ask(keeper), bytes)
    clock.ahead_s += 1000.0
    os.kill(pid_of(keeper), signal.SIGKILL)
    while keeper.child is not None:
        ask(keeper)
    assert round(keeper._start_t - clock.now()) == 2


def test_a_silent_helper_is_replaced(keep: Callable[[str], Keeper], clock: Shifted) -> None:
    """After ten seconds; until then its answer may still come."""
    keeper = keep(SILENT)
    first = pid_of(keeper)
    assert "is being started" in str(ask(keeper, 0.05))
    clock.ahead_s += YOUNG_S
    assert "has not answered for 3" in str(ask(keeper, 0.05))
    assert pid_of(keeper) == first
    clock.ahead_s += 10.0 - YOUNG_S
    assert "has not answered for 10" in str(ask(keeper, 0.05))
    clock.ahead_s += 2.0
    assert "is being started" in str(ask(keeper, 0.05))
    assert pid_of(keeper) != first
    assert keeper.left_behind == []


def test_a_stopped_helper_is_said_at_once(keep: Callable[[str], Keeper]) -> None:
    """There is nothing to wait for."""
    keeper = keep(ECHO)
    assert isinstance(ask(keeper), bytes)
    os.kill(pid_of(keeper), signal.SIGSTOP)
    begun = CLOCK.now()
    assert ask(keeper, 60.0) == f"the GPU helper (pid {pid_of(keeper)}) is stopped by a signal"
    assert CLOCK.now() - begun < 20.0
    os.kill(pid_of(keeper), signal.SIGCONT)
    assert isinstance(ask(keeper), bytes)


def test_a_stopped_helper_is_ended_all_the_same(keep: Callable[[str], Keeper]) -> None:
    """By the signal that stopping does not keep off."""
    keeper = keep(ECHO)
    os.kill(pid_of(keeper), signal.SIGSTOP)
    keeper.close()
    assert keeper.child is not None
    assert keeper.child.code() == -signal.SIGKILL


def test_nothing_is_started_after_the_end(keep: Callable[[str], Keeper]) -> None:
    """A thread that is just polling must not bring one back."""
    keeper = keep(ECHO)
    keeper.close()
    while keeper.child is not None:
        ask(keeper)
    assert ask(keeper) == "the GPU helper was ended"


def test_helpers_that_cannot_be_ended_are_left_and_named(
    keep: Callable[[str], Keeper], clock: Shifted, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A few of them; then no further one is started until one ends."""
    monkeypatch.setattr(keeper_module, "_END_S", 0.01)
    monkeypatch.setattr(Child, "signal_group", lambda _child, _number: None)
    keeper = keep("import signal, sys, time\nsys.stdin.readline()\ntime.sleep(60)")
    pids = []
    for _ in range(MOST_LEFT):
        pids.append(pid_of(keeper))
        ask(keeper, 0.01)
        clock.ahead_s += 10.0
        ask(keeper, 0.01)
        clock.ahead_s += 60.0
        said = keeper.restart()
    assert said.startswith("3 GPU helpers hang in the driver (pid ")
    assert all(str(pid) in said for pid in pids)
    os.kill(pids[0], signal.SIGKILL)
    assert next(child for child in keeper.left_behind if child.pid == pids[0]).wait(20.0)
    assert keeper.restart() == ""
    for child in keeper.left_behind:
        os.kill(child.pid, signal.SIGKILL)


def test_a_program_that_is_not_there_is_said_and_tried_again(clock: Shifted) -> None:
    """With its name."""
    keeper = Keeper(["/no/such"], clock, "GPU helper")
    assert keeper.restart() == "cannot start /no/such: No such file or directory"
    assert "the next one starts in" in keeper.restart()
