"""Tests of running the command of a check: never waits, never outlives its page."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

import pytest

from perfconsole.actions.errand import MOST_BYTES, TIMEOUT_S, Errand
from perfconsole.actions.run import end_all
from perfconsole.clock import SystemClock
from tests.actions.test_run import gone

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

WAIT_S = 15.0
CLOCK = SystemClock()


@pytest.fixture(autouse=True)
def _leave_none() -> Iterator[None]:
    """No child outlives its test."""
    yield
    assert end_all(2.0) == ()


def run(*argv: str, until: bytes = b"") -> Errand:
    """An errand looked at until it ended, or has written something; its own time stands still."""
    errand = Errand(argv, 0.0)
    deadline = CLOCK.now() + WAIT_S
    while errand.ended is None and not (until and until in errand.output) and CLOCK.now() < deadline:
        errand.look(0.0)
        CLOCK.sleep(0.01)
    return errand


def python(code: str, until: bytes = b"") -> Errand:
    """A Python program."""
    return run(sys.executable, "-c", code, until=until)


def test_output_and_errors_come_in_their_order_with_the_exit_code() -> None:
    """As on a terminal."""
    errand = run("sh", "-c", "echo one; echo two >&2; echo three; exit 3")
    assert (errand.output.decode(), errand.ended) == ("one\ntwo\nthree\n", "exit code 3")


def test_words_are_handed_over_as_they_are() -> None:
    """No shell sees them."""
    assert run("printf", "%s", "$(reboot); `x` *").output.decode() == "$(reboot); `x` *"


def test_it_reads_nothing() -> None:
    """A program that asks gets the end of file at once."""
    assert run("cat").ended == "exit code 0"


def test_a_missing_tool_is_one_clear_line() -> None:
    """Nothing is started."""
    assert run("no-such-tool").ended == "no-such-tool is not installed here: nothing of that name is in PATH"


def test_a_missing_tool_inside_a_line_is_said_beside_the_exit_code() -> None:
    """The shell names it in the output."""
    errand = run("sh", "-c", "no-such-tool")
    assert (b"no-such-tool" in errand.output, errand.ended) == (
        True,
        "exit code 127: a command of it is not installed here",
    )


def test_what_may_not_be_run_is_said(tmp_path: Path) -> None:
    """A folder is there and cannot be executed."""
    errand = run("sh", "-c", f"exec {tmp_path}")
    assert errand.ended == "exit code 126: no permission to run it"


def test_it_ends_at_the_time_out_with_all_that_it_started() -> None:
    """The whole group."""
    errand = python(
        "import subprocess as s, time\nprint(s.Popen(['sleep', '60']).pid, flush=True)\ntime.sleep(60)", until=b"\n"
    )
    assert errand.look(TIMEOUT_S)
    assert errand.ended == "stopped after 30 s: it had not ended by itself"
    assert gone(int(errand.output))


def test_a_flood_is_cut_and_ended() -> None:
    """Each look takes a bounded piece."""
    errand = run("yes")
    assert (len(errand.output), errand.ended) == (
        MOST_BYTES,
        "stopped at 256 KiB of output: the rest is not shown",
    )


def test_what_is_left_in_the_background_ends_with_it() -> None:
    """Also when the command itself has ended well."""
    errand = run("sh", "-c", "sleep 60 >/dev/null 2>&1 & echo $!")
    assert (errand.ended, gone(int(errand.output))) == ("exit code 0", True)


def test_stopping_kills_the_group_at_once() -> None:
    """Even one that ignores the polite signal."""
    errand = python(
        "import os, signal, time\nsignal.signal(15, signal.SIG_IGN)\nprint(os.getpid(), flush=True)\ntime.sleep(60)",
        until=b"\n",
    )
    pid = int(errand.output)
    assert os.getpgid(pid) == pid != os.getpgid(0)
    errand.stop()
    assert (errand.ended, gone(pid)) == ("stopped by you", True)


def test_an_errand_that_is_over_stays_as_it_is() -> None:
    """Looking or stopping again changes nothing."""
    errand = run("true")
    errand.stop()
    assert (errand.look(99.0), errand.ended) == (False, "exit code 0")
