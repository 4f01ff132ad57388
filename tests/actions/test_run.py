"""Tests of starting programs: lines over pipes, groups that end, and what is left when the console dies."""

from __future__ import annotations

import os
import signal
import subprocess  # noqa: TID251 - a console that dies must be another process than the test
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from perfconsole.actions import run
from perfconsole.actions.run import Child, end, end_all, living, start
from perfconsole.clock import SystemClock
from perfconsole.errors import NotPermittedError

if TYPE_CHECKING:
    from collections.abc import Iterator

WAIT_S = 10.0
ECHO = "import sys\nfor line in sys.stdin: print(line.strip().upper(), flush=True)"
STUBBORN = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('on', flush=True); time.sleep(60)"
PARENT = """
import subprocess, sys, time
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
print(child.pid, flush=True)
time.sleep(60)
"""


STARTED: list[Child] = []


@pytest.fixture(autouse=True)
def _leave_none() -> Iterator[None]:
    """No child and no pipe outlives its test."""
    yield
    assert end_all(2.0) == ()
    while STARTED:
        STARTED.pop().close()


def python(code: str) -> Child:
    """A child that runs this code."""
    STARTED.append(start([sys.executable, "-c", code]))
    return STARTED[-1]


def gone(pid: int) -> bool:
    """Whether a process ends within the time."""
    clock = SystemClock()
    deadline = clock.now() + WAIT_S
    stat = Path(f"/proc/{pid}/stat")
    while clock.now() < deadline:
        try:
            if stat.read_text(encoding="utf-8").rpartition(")")[2].split()[0] == "Z":
                return True
        except OSError:
            return True
        clock.sleep(0.02)
    return False


def test_a_line_in_gives_a_line_out() -> None:
    """Question and answer over the pipes."""
    child = python(ECHO)
    assert child.send(b"hello\n")
    assert child.line(WAIT_S) == b"HELLO"


def test_no_line_is_none_after_the_time() -> None:
    """A silent program does not hold its reader."""
    assert python(ECHO).line(0.05) is None


def test_lines_that_come_together_are_given_one_by_one() -> None:
    """None is lost and none is joined."""
    child = python("print('a'); print('b', flush=True); input()")
    assert [child.line(WAIT_S), child.line(WAIT_S)] == [b"a", b"b"]


def test_an_unfinished_line_is_no_line() -> None:
    """Half an answer would be read as a whole one."""
    child = python("import sys; sys.stdout.write('half'); sys.stdout.flush(); input()")
    assert child.line(0.5) is None


def test_a_program_that_ended_says_its_code_and_last_words() -> None:
    """What a person needs to know of it."""
    child = python("import sys; sys.stderr.write('first\\nlast words\\n'); sys.exit(3)")
    assert child.wait(WAIT_S)
    assert (child.code(), child.last_words(), child.line(0.0), child.mute) == (3, "last words", None, True)


def test_nothing_can_be_sent_to_a_program_that_ended() -> None:
    """The pipe is broken, which is an answer and no fault."""
    child = python("pass")
    assert child.wait(WAIT_S)
    assert not child.send(b"\n")


def test_much_on_stderr_does_not_stop_a_program() -> None:
    """Its pipe is emptied while its lines are read."""
    child = python("import sys\nsys.stderr.write('x' * 300_000)\nprint('done', flush=True)")
    lines = [child.line(0.2) for _ in range(20)]
    assert b"done" in lines


def test_a_program_that_is_not_there_is_said() -> None:
    """Its name, and the system's reason."""
    with pytest.raises(NotPermittedError, match="cannot start /no/such: No such file"):
        start(["/no/such"])


def test_a_child_leads_its_own_group() -> None:
    """Ctrl-C at the console does not reach it."""
    child = python(ECHO)
    assert os.getpgid(child.pid) == child.pid != os.getpgid(0)


def test_children_are_known_while_they_live() -> None:
    """And not after."""
    child = python("input()")
    assert child in living()
    child.send(b"\n")
    assert child.wait(WAIT_S)
    assert child not in living()


def test_a_signal_handler_may_end_children_at_any_moment() -> None:
    """Also while the main thread it runs in is just noting one."""
    child = python(ECHO)
    ended: list[tuple[int, ...]] = []
    before = signal.signal(signal.SIGUSR1, lambda *_: ended.append(end_all(WAIT_S)))
    try:
        with run._LOCK:
            signal.raise_signal(signal.SIGUSR1)
    finally:
        signal.signal(signal.SIGUSR1, before)
    assert (ended, child in living()) == ([()], False)


def test_the_whole_group_ends() -> None:
    """What a child started ends with it."""
    child = python(PARENT)
    line = child.line(WAIT_S)
    assert line is not None
    assert child.end()
    assert gone(int(line))


def test_a_program_that_ignores_the_polite_signal_is_killed() -> None:
    """The second half of the time is for that."""
    child = python(STUBBORN)
    assert child.line(WAIT_S) == b"on"
    assert child.end(1.0)
    assert child.code() == -signal.SIGKILL


def test_one_that_cannot_be_ended_is_named_and_left() -> None:
    """A call stuck in the kernel keeps a process for good: nobody waits for it."""

    class Stuck(Child):
        def signal_group(self, number: signal.Signals) -> None:
            """Do nothing, as the kernel would."""

    child = python("import time; time.sleep(60)")
    child.__class__ = Stuck
    clock = SystemClock()
    begun = clock.now()
    assert end([child], 0.2) == (child.pid,)
    assert clock.now() - begun < 5.0
    child.__class__ = Child


def test_a_program_that_ends_itself_may_be_started_from_any_thread() -> None:
    """Its stdin closes with the console; nothing of ours runs in it before it is the program."""
    started: list[Child] = []
    thread = threading.Thread(target=lambda: started.append(start([sys.executable, "-c", ECHO], ends_itself=True)))
    thread.start()
    thread.join(WAIT_S)
    STARTED.extend(started)
    (child,) = started
    assert child.send(b"hello\n")
    assert child.line(WAIT_S) == b"HELLO"
    assert os.getpgid(child.pid) == child.pid


def test_children_end_when_the_console_is_killed() -> None:
    """Even by a signal that nobody can catch."""
    code = (
        "import sys, time; from perfconsole.actions.run import start; "
        "print(start([sys.executable, '-c', 'import time; time.sleep(60)']).pid, flush=True); time.sleep(60)"
    )
    console = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE)  # noqa: S603 - our own code
    assert console.stdout is not None
    pid = int(console.stdout.readline())
    console.kill()
    console.wait(WAIT_S)
    console.stdout.close()
    assert gone(pid)
