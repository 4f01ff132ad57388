"""Tests of the driver: what the terminal's size, answers and end mean to it."""

from __future__ import annotations

import asyncio
import os
from typing import TYPE_CHECKING, NoReturn, cast

import pytest
from textual import events

from perfconsole.tui.driver import ConsoleDriver, driver_for

if TYPE_CHECKING:
    from perfconsole.tui.leaving import Leaving
    from perfconsole.tui.output import Output


class Left(Exception):  # noqa: N818 - not an error: the way out of a test
    """The program would have ended here."""


class HandLeaving:
    """Ends the test instead of the process."""

    def leave(self, code: int, *_: str) -> NoReturn:
        """Say with which code."""
        raise Left(code)


class HandOutput:
    """Counts what it is told."""

    def __init__(self) -> None:
        self.answers = self.keys = 0

    def answered(self) -> None:
        """The terminal answered."""
        self.answers += 1

    def key_pressed(self) -> None:
        """A person waits."""
        self.keys += 1


class HandApp:
    """Takes messages and does nothing."""

    async def _post_message(self, message: object) -> bool:
        return message is not None


def driver() -> ConsoleDriver:
    """A driver that has taken no terminal."""

    async def make() -> ConsoleDriver:
        made = driver_for(cast("Leaving", HandLeaving()))(HandApp(), mouse=False)
        made.output = cast("Output", HandOutput())
        return made

    return asyncio.run(make())


def test_ctrl_c_leaves_from_the_thread_that_reads_keys() -> None:
    """It must work when the event loop does not."""
    with pytest.raises(Left, match="130"):
        driver().process_message(events.Key("ctrl+c", "\x03"))


def test_a_cursor_report_is_the_answer_to_the_painter_and_nothing_else() -> None:
    """No page ever sees it."""
    made = driver()
    made.process_message(events.CursorPosition(1, 1))
    assert cast("HandOutput", made.output).answers == 1


def test_the_end_of_the_terminal_is_the_end_of_the_program() -> None:
    """Also where no signal says so."""
    made = driver()
    reader, writer = os.pipe()
    os.close(writer)
    made.fileno = reader
    with pytest.raises(Left, match="129"):
        made.run_input_thread()
    os.close(reader)
