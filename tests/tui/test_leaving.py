"""Tests of the way out, on a real pseudo-terminal: every way to end restores it and ends within a second or so.

The engine named in them accepts connections and never answers, so that there is always a source that hangs.
"""

from __future__ import annotations

import signal
import socket
import termios
from typing import TYPE_CHECKING

import pytest

from perfconsole.errors import EXIT_HANGUP
from tests.load.exactserver.server import ExactServer
from tests.load.exactserver.settings import Settings
from tests.tui.ptys import console
from tests.tui.terminals import Terminal

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.tui.ptys import Console

QUICK_S = 3.0
"""A second on a quiet machine; tests share two cores."""
RESTORED = (b"\x1b[?1049l", b"\x1b[?25h", b"\x1b[?1000l", b"\x1b[?1003l", b"\x1b[?1006l", b"\x1b[?2004l", b"\x1b[<u")


@pytest.fixture
def hung() -> Iterator[str]:
    """The URL of an engine that accepts and says nothing."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield f"http://127.0.0.1:{server.getsockname()[1]}"


def shown(running: Console) -> int:
    """Wait for the first page; how much was written by then."""
    running.wait_for("HARDWARE.*quit")
    return len(running.output)


def restored(running: Console, before: int) -> bool:
    """All modes were taken back after a point of the output."""
    return all(sequence in running.output[before:] for sequence in RESTORED)


@pytest.mark.parametrize(("keys", "code"), [("q", 0), ("\x03", 130), ("3q", 0), ("?\x03", 130), ("/ab\x03", 130)])
def test_a_key_ends_it_and_restores_the_terminal(hung: str, keys: str, code: int) -> None:
    """Quitting and Ctrl-C work on every page, also while a filter is typed."""
    with console("--engine", hung) as running:
        before = shown(running)
        running.send(keys)
        assert running.ended(QUICK_S)
        assert running.code == code
        assert restored(running, before)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it_and_restores_the_terminal(hung: str, number: signal.Signals) -> None:
    """With the code that scripts expect of it."""
    with console("--engine", hung) as running:
        before = shown(running)
        running.signal(number)
        assert running.ended(QUICK_S)
        assert running.code == 128 + number
        assert restored(running, before)


def test_a_lost_terminal_ends_it(hung: str) -> None:
    """Nothing spins on behind a connection that dropped."""
    with console("--engine", hung) as running:
        shown(running)
        running.hang_up()
        assert running.ended(QUICK_S)
        assert running.code in (EXIT_HANGUP, -signal.SIGHUP)


def test_a_hang_up_signal_alone_restores_the_terminal(hung: str) -> None:
    """The terminal may well be there still."""
    with console("--engine", hung) as running:
        before = shown(running)
        running.signal(signal.SIGHUP)
        assert running.ended(QUICK_S)
        assert running.code == EXIT_HANGUP
        assert restored(running, before)


@pytest.mark.parametrize("second", [signal.SIGTERM, signal.SIGHUP])
def test_a_second_way_out_leaves_the_terminal_usable(hung: str, second: signal.Signals) -> None:
    """It may cut the first one short before its last step."""
    with console("--engine", hung) as running:
        shown(running)
        assert not echoes(running)
        running.signal(signal.SIGTERM)
        running.signal(second)
        assert running.ended(QUICK_S)
        assert echoes(running)


def echoes(running: Console) -> bool:
    """The terminal shows what is typed, as a shell wants it."""
    return bool(termios.tcgetattr(running.fd)[3] & termios.ECHO)


def test_it_ends_before_the_first_page_as_well(hung: str) -> None:
    """Ctrl-C during the start is no traceback."""
    with console("--engine", hung) as running:
        running.until(lambda: bool(running.output))
        running.send("\x03")
        assert running.ended(QUICK_S)
        assert b"Traceback" not in running.output


def test_a_terminal_that_takes_nothing_does_not_keep_it(hung: str) -> None:
    """Output that nobody reads is dropped on leaving."""
    with console("--engine", hung, size=(250, 70)) as running:
        shown(running)
        for key in "3?u1234":
            running.send(key)
        running.signal(signal.SIGTERM)
        assert running.ended(QUICK_S)


def test_no_answer_of_the_terminal_is_left_for_the_shell(hung: str) -> None:
    """Every question that was asked has been answered to somebody who reads."""
    with console("--engine", hung) as running:
        shown(running)
        running.send("3")
        running.read(0.05)
        running.send("q")
        assert running.ended(QUICK_S)
        assert "[7;7R" not in running.text()


@pytest.mark.parametrize("how", ["the same size", "there and back", "stop and continue"])
def test_after_a_resize_or_a_stop_the_whole_page_is_there(hung: str, how: str) -> None:
    """Rows that did not change are drawn again as well."""
    with console("--engine", hung, size=(100, 30)) as running:
        shown(running)
        running.until(lambda: not running.read(0.3), what="quiet")
        before = len(running.output)
        if how == "there and back":
            running.resize(90, 25)
            running.read(0.02)
        if how == "stop and continue":
            running.signal(signal.SIGTSTP)
            running.until(lambda: running.state() == "T", what="the stop")
            running.signal(signal.SIGCONT)
        running.resize(100, 30)
        running.signal(signal.SIGWINCH)
        running.until(lambda: whole(running, before), within_s=10.0, what="the page again")


def whole(running: Console, before: int) -> bool:
    """Every fixed part of the page stands on the screen of what was written since."""
    terminal = Terminal(100, 30)
    terminal.feed(running.output[before:].decode("utf-8", "replace").rpartition("\x1b[2J")[2])
    words = ("FINDINGS", "GATEWAY", "ORCHESTRATION", "ENGINE", "HARDWARE", "quit")
    return all(word in terminal.text() for word in words)


@pytest.mark.parametrize("how", ["ctrl+c", "a lost terminal", "killed"])
def test_a_probe_leaves_nothing_open(how: str, tmp_path: Path) -> None:
    """However the console ends, its load ends with it."""
    with (
        ExactServer(Settings(slots=4, itl_ms=20.0)) as server,
        console("--engine", server.url, environment={"XDG_STATE_HOME": str(tmp_path)}) as running,
    ):
        running.until(lambda: "run 0" in running.screen(), what="the engine")
        running.send("p")
        running.until(lambda: "enter starts it" in running.screen(), what="the question")
        running.send("\r")
        running.until(lambda: server.state()["running"] > 0, what="the load")
        if how == "ctrl+c":
            running.send("\x03")
        elif how == "killed":
            running.signal(signal.SIGKILL)
        else:
            running.hang_up()
        assert running.ended(QUICK_S)
        assert server.settled()
