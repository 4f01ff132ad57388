"""py-spy, started and ended."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

import pytest

from perfconsole.actions import pyspy
from perfconsole.actions.pyspy import PySpy, Recording, dump, dump_argv, find_tool, record_argv
from perfconsole.clock import SystemClock
from perfconsole.errors import NotPermittedError
from perfconsole.model.flameplan import FlamePlan
from tests.actions.fakepyspy import STACKS, WRITES, fake

if TYPE_CHECKING:
    from pathlib import Path

PLAN = FlamePlan(4, seconds=1)
CLOCK = SystemClock()


def done(run: PySpy, *, cancel_after: float | None = None) -> PySpy:
    """The run at its end."""
    began = CLOCK.now()
    while not run.look(CLOCK.now()):
        assert CLOCK.now() - began < 20
        if cancel_after is not None and CLOCK.now() - began > cancel_after:
            run.cancel()
        CLOCK.sleep(0.01)
    return run


def recording(folder: Path, body: str, plan: FlamePlan = PLAN) -> Recording:
    """A recording by a program of our own."""
    return Recording(plan, fake(folder, body), CLOCK.now())


def test_by_default_a_process_runs_on_and_waiting_threads_are_taken() -> None:
    """At a low rate, with names of threads and whole paths."""
    argv = record_argv(FlamePlan(4312), "/opt/py-spy", "OUT")
    assert argv[:2] == ["/opt/py-spy", "record"]
    assert {"--nonblocking", "--idle", "--threads", "--full-filenames"} <= set(argv)
    assert argv[argv.index("--rate") + 1] == "50"
    assert argv[argv.index("--pid") + 1] == "4312"


@pytest.mark.parametrize(
    ("plan", "there", "gone"),
    [
        (FlamePlan(1, native=True), "--native", "--nonblocking"),
        (FlamePlan(1, blocking=True), "--idle", "--nonblocking"),
        (FlamePlan(1, gil=True), "--gil", "--idle"),
        (FlamePlan(1, subprocesses=True), "--subprocesses", "--gil"),
        (FlamePlan(1, idle=False), "--nonblocking", "--idle"),
    ],
)
def test_options_become_flags_of_py_spy(plan: FlamePlan, there: str, gone: str) -> None:
    """What needs the process to stand still is never asked for together with what lets it run."""
    argv = record_argv(plan, "py-spy", "OUT")
    assert there in argv
    assert gone not in argv


def test_a_dump_lets_the_process_run() -> None:
    """As JSON."""
    assert dump_argv(7, "py-spy") == ["py-spy", "dump", "--json", "--nonblocking", "--pid", "7"]


def test_stacks_come_back_without_a_file(tmp_path: Path) -> None:
    """They are written into memory that only has a path while it is held."""
    run = recording(tmp_path, WRITES)
    done(run)
    assert run.folded() == STACKS
    assert run.trouble() is None
    assert [path.name for path in tmp_path.iterdir()] == ["py-spy"]


def test_what_it_says_of_a_failure_is_the_reason(tmp_path: Path) -> None:
    """The lines that begin with Error and Reason."""
    run = recording(tmp_path, "print('py-spy> hello'); sys.exit('Error: Permission Denied\\nReason: ptrace')")
    done(run)
    assert (run.trouble() or "").startswith("Permission Denied Reason: ptrace: sudo with the full path")
    assert run.folded() == ""


def test_one_that_was_killed_says_so(tmp_path: Path) -> None:
    """By somebody else, in the middle."""
    run = recording(tmp_path, "os.kill(os.getpid(), signal.SIGKILL)")
    done(run)
    assert run.trouble() == "it was killed and said nothing"
    run.folded()


def test_cancelled_it_still_writes_what_it_has(tmp_path: Path) -> None:
    """py-spy ends that way on ctrl-c."""
    body = (
        f"def end(*_):\n    with open(output, 'w') as file:\n        file.write({STACKS!r})\n    os._exit(0)\n"
        "signal.signal(signal.SIGINT, end)\ntime.sleep(30)"
    )
    run = recording(tmp_path, body)
    done(run, cancel_after=1.0)
    assert run.folded() == STACKS
    assert (run.cancelled, run.trouble()) == (True, None)


def test_one_that_does_not_end_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With all that it started."""
    monkeypatch.setattr(pyspy, "_GRACE_S", 0.2)
    run = recording(tmp_path, "time.sleep(60)")
    done(run)
    assert run.took_s < 10
    assert "was ended" in (run.trouble() or "")
    run.folded()


def test_closed_nothing_of_it_is_left(tmp_path: Path) -> None:
    """Whoever leaves the page ends it."""
    run = recording(tmp_path, "time.sleep(60)")
    run.close()
    assert run.ended
    assert run.look(CLOCK.now())
    run.folded()


def test_the_output_of_a_dump_is_what_it_said(tmp_path: Path) -> None:
    """On its standard output."""
    run = done(dump(7, fake(tmp_path, "print('[]')"), CLOCK.now()))
    assert run.said.decode() == "[]\n"


def test_py_spy_beside_this_python_is_taken_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is the version that we know."""
    (tmp_path / "bin").mkdir()
    monkeypatch.setattr(sys, "executable", str(tmp_path / "bin" / "python"))
    monkeypatch.setenv("PATH", str(tmp_path))
    elsewhere = fake(tmp_path, "")
    assert find_tool() == elsewhere
    beside = fake(tmp_path / "bin", "")
    assert find_tool() == beside


def test_without_py_spy_one_line_says_how_to_get_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither beside this Python nor in PATH."""
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(NotPermittedError, match="pip install py-spy"):
        find_tool()


def test_no_descriptor_is_left_open(tmp_path: Path) -> None:
    """Neither of the memory nor of pipes."""
    before = len(os.listdir("/proc/self/fd"))  # noqa: PTH208 - a count
    run = recording(tmp_path, WRITES)
    done(run)
    run.folded()
    assert len(os.listdir("/proc/self/fd")) == before  # noqa: PTH208 - as above
