"""Tests of ending with one's parent."""

from __future__ import annotations

import os
import select
import signal

from perfconsole.actions.deathsignal import end_with

LIMIT_S = 10.0


def test_a_child_ends_when_its_parent_is_killed() -> None:
    """However the parent ends: it is killed here, and runs nothing on its way out."""
    reader, writer = os.pipe()
    parent = os.fork()
    if parent == 0:
        own = os.getpid()
        if os.fork() == 0:
            end_with(own)
            os.write(writer, b"ready")
            signal.pause()
        signal.pause()
        os._exit(0)
    os.close(writer)
    assert os.read(reader, 16) == b"ready"
    os.kill(parent, signal.SIGKILL)
    os.waitpid(parent, 0)
    ended = select.select((reader,), (), (), LIMIT_S)[0]
    assert ended, "the pipe closes with the last process that holds it"
    assert os.read(reader, 16) == b""
    os.close(reader)


def test_a_parent_that_is_gone_already_ends_the_child_at_once() -> None:
    """Nobody would send the signal any more."""
    child = os.fork()
    if child == 0:
        end_with(1 if os.getppid() != 1 else 2)
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 1
