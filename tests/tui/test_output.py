"""Tests of the writing thread on a pipe: order of what must arrive, frames that are dropped, last words."""

from __future__ import annotations

import os
import select
from typing import TYPE_CHECKING

import pytest

from perfconsole.clock import SystemClock
from perfconsole.tui.output import Output
from perfconsole.tui.painter import Painter
from tests.tui.terminals import Terminal

if TYPE_CHECKING:
    from collections.abc import Iterator

LIMIT_S = 10.0


class Pipe:
    """An output whose terminal is a pipe that the test reads when it likes."""

    def __init__(self) -> None:
        self.reader, self._writer = os.pipe()
        os.set_blocking(self._writer, False)
        self.output = Output(self._writer, Painter(20, 3), SystemClock(), lambda: None)

    def row(self, text: str, y: int = 0) -> None:
        """Want a row."""
        self.output.frame([(y, 0, [(c, "") for c in text.ljust(20)])])

    def read(self, until: str) -> str:
        """What was written, up to some text."""
        clock, found = SystemClock(), ""
        end = clock.now() + LIMIT_S
        while until not in found:
            assert clock.now() < end, found
            if select.select((self.reader,), (), (), 0.1)[0]:
                found += os.read(self.reader, 65_536).decode()
        return found


@pytest.fixture
def pipe() -> Iterator[Pipe]:
    """A pipe that is closed at the end."""
    made = Pipe()
    yield made
    made.output.close()
    os.close(made.reader)


def test_a_frame_is_written_and_the_terminal_is_asked_for_its_cursor(pipe: Pipe) -> None:
    """The question goes behind the frame."""
    pipe.row("hello")
    pipe.output.start()
    found = pipe.read("\x1b[6n")
    assert found.index("hello") < found.index("\x1b[6n")


def test_control_sequences_arrive_in_order(pipe: Pipe) -> None:
    """Modes must not overtake one another."""
    pipe.output.control("\x1b[?1049h")
    pipe.output.control("\x1b[?25l")
    pipe.output.start()
    found = pipe.read("\x1b[?25l")
    assert found.index("\x1b[?1049h") < found.index("\x1b[?25l")


def test_of_many_frames_only_the_newest_need_be_written(pipe: Pipe) -> None:
    """Frames that came while nobody wrote are dropped, and the last one stands."""
    for number in range(100):
        pipe.row(f"frame {number}")
    pipe.output.start()
    found = pipe.read("frame 99")
    assert "frame 50" not in found


def test_nothing_is_painted_while_somebody_else_has_the_terminal(pipe: Pipe) -> None:
    """After the pause everything is painted anew."""
    pipe.output.pause(paused=True)
    pipe.row("secret")
    pipe.output.start()
    pipe.output.control("mode")
    assert "secret" not in pipe.read("mode")
    pipe.output.pause(paused=False)
    assert "secret" in pipe.read("secret")


def test_a_terminal_that_takes_nothing_does_not_keep_the_caller(pipe: Pipe) -> None:
    """Frames, keys and the end go on although the pipe is full."""
    while select.select((), (pipe.output.fd,), (), 0)[1]:
        os.write(pipe.output.fd, b"x" * 4096)
    pipe.output.start()
    for number in range(1000):
        pipe.row(f"frame {number}")
    clock = SystemClock()
    before = clock.now()
    pipe.output.close("last words")
    assert clock.now() - before < 5.0


def test_last_words_are_written_at_once(pipe: Pipe) -> None:
    """Even when the thread never ran."""
    pipe.output.close("bye")
    assert pipe.read("bye") == "bye"


def test_a_resize_paints_for_the_new_size(pipe: Pipe) -> None:
    """Rows that are no longer there are not painted."""
    pipe.output.start()
    pipe.row("first")
    pipe.read("first")
    pipe.output.answered()
    pipe.output.resize(10, 2)
    pipe.row("second")
    terminal = Terminal(10, 2)
    terminal.feed(pipe.read("\x1b[6n"))
    pipe.output.answered()
    terminal.feed(pipe.read("second") if "second" not in terminal.text() else "")
    assert terminal.text().splitlines()[0] == "second"
