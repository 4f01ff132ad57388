"""Programs started below the launcher: they read nothing, speak through one pipe, and end with the console."""

from __future__ import annotations

import os
import signal
import sys
from typing import TYPE_CHECKING

import pytest

from perfconsole.actions.launcher import NOT_ALLOWED, NOT_FOUND, launch
from perfconsole.actions.run import end_all, living
from perfconsole.clock import SystemClock

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from perfconsole.actions.run import Child

WAIT_S = 15.0
MOST = 1 << 16
DEATH_SIGNAL = (
    "import ctypes; number = ctypes.c_int(); ctypes.CDLL(None).prctl(2, ctypes.byref(number), 0, 0, 0); "
    "print(number.value)"
)


@pytest.fixture(autouse=True)
def _leave_none() -> Iterator[None]:
    """No child outlives its test, and none that another test has just killed is counted in it."""
    end_all(2.0)
    yield
    assert end_all(2.0) == ()


def ended(child: Child) -> tuple[str, int | None]:
    """What it said, and its exit code."""
    child.wait(WAIT_S)
    said = child.take(MOST).decode()
    child.close()
    return said, child.code()


def test_it_speaks_through_one_pipe_in_its_order() -> None:
    """Errors stand where they belong."""
    assert ended(launch(["sh", "-c", "echo a; echo b >&2; echo c; exit 3"])) == ("a\nb\nc\n", 3)


def test_it_reads_the_end_of_file() -> None:
    """A program that asks something never waits for the user."""
    assert ended(launch(["cat"])) == ("", 0)


def test_its_words_are_handed_over_as_they_are() -> None:
    """No shell sees them, and one that begins like a flag of Python is none."""
    assert ended(launch(["printf", "%s|", "$(id)", "-c", "a b"])) == ("$(id)|-c|a b|", 0)


def test_a_program_that_is_not_there_says_so_with_the_code_of_shells() -> None:
    """The launcher itself could be started, so nothing is raised."""
    assert ended(launch(["no-such-tool"])) == ("no-such-tool: No such file or directory\n", NOT_FOUND)


def test_a_program_that_may_not_be_run_says_so_with_the_code_of_shells(tmp_path: Path) -> None:
    """A file without the permission."""
    file = tmp_path / "tool"
    file.touch(mode=0o600)
    assert ended(launch([str(file)])) == (f"{file}: Permission denied\n", NOT_ALLOWED)


def test_the_kernel_ends_it_with_the_console() -> None:
    """What the launcher asked for is kept by the program that it becomes."""
    assert ended(launch([sys.executable, "-I", "-S", "-c", DEATH_SIGNAL])) == (f"{int(signal.SIGKILL)}\n", 0)


def test_it_leads_a_process_group_of_its_own() -> None:
    """Ctrl-C in the terminal does not reach it, and what it starts ends with it."""
    child = launch(["sleep", "60"])
    assert os.getpgid(child.pid) == child.pid
    child.signal_group(signal.SIGKILL)
    assert ended(child) == ("", -signal.SIGKILL)


def test_nothing_of_the_user_s_own_python_is_loaded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It could say something, or take its time."""
    (tmp_path / "sitecustomize.py").write_text("print('hello')\n", encoding="utf-8")
    (tmp_path / "ctypes.py").write_text("raise SystemExit(9)\n", encoding="utf-8")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    assert ended(launch(["true"])) == ("", 0)


def test_the_program_has_the_user_s_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """Proxies and credentials of a tool stand there."""
    monkeypatch.setenv("PERFCONSOLE_TEST", "here")
    assert ended(launch(["printenv", "PERFCONSOLE_TEST"])) == ("here\n", 0)


def test_those_that_were_killed_before_are_taken_note_of() -> None:
    """Nobody looks at them any more, and they would stay as zombies."""
    first = launch(["sleep", "60"])
    first.signal_group(signal.SIGKILL)
    first.close()
    os.waitid(os.P_PID, first.pid, os.WEXITED | os.WNOWAIT)
    second = launch(["true"])
    with pytest.raises(ChildProcessError):
        os.waitid(os.P_PID, first.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    ended(second)
    assert living() == ()


def test_it_runs_beside_the_console() -> None:
    """Starting one waits for nothing."""
    clock = SystemClock()
    began = clock.now()
    child = launch(["sleep", "60"])
    assert (child.code(), clock.now() - began < WAIT_S) == (None, True)
    child.end()
