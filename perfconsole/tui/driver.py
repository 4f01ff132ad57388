"""Textual's driver for Linux with another way out: all output passes the painter, and Ctrl-C always ends."""

from __future__ import annotations

import os
import select
import sys
from codecs import getincrementaldecoder
from typing import TYPE_CHECKING, Any, NoReturn

from textual import events
from textual._xterm_parser import XTermParser
from textual.drivers.linux_driver import LinuxDriver

from perfconsole.clock import SystemClock
from perfconsole.errors import EXIT_HANGUP, EXIT_INTERRUPTED
from perfconsole.tui.output import Output
from perfconsole.tui.painter import Painter

if TYPE_CHECKING:
    from textual.message import Message

    from perfconsole.tui.leaving import Leaving


_ESCAPE_S, _IDLE_S = 0.1, 0.5
"""How long an escape may be the beginning of a sequence, and how long to sleep while nothing is typed."""


class ConsoleDriver(LinuxDriver):
    """Sends frames as differences through `Output`; keys and mouse come in as Textual reads them."""

    leaving: Leaving
    """Set on the class made by `driver_for`."""

    def __init__(self, app: Any, **options: Any) -> None:  # noqa: ANN401 - Textual's own types
        super().__init__(app, **options)
        self.output: Output | None = None
        self._tty = sys.__stdout__.fileno() if sys.__stdout__ else 1

    def start_application_mode(self) -> None:
        """Take the terminal; also when coming back from a stop."""
        columns, rows = self._get_terminal_size()
        self.output = self.leaving.output = Output(self._tty, Painter(columns, rows), SystemClock(), self._gone)
        self.output.pause(paused=True)  # no frame and no question before the terminal has its mode: it would be echoed
        self.output.start()
        super().start_application_mode()  # type: ignore[no-untyped-call]  # Textual's
        self.output.pause(paused=False)
        self.leaving.attributes, self.leaving.fd = self.attrs_before, self.fileno

    def write(self, data: str) -> None:
        """Control sequences of Textual itself, in order."""
        if self.output is not None:
            self.output.control(data)

    def close(self) -> None:
        """End the thread that writes."""
        super().close()
        if self.output is not None:
            self.leaving.restore()
            self.output.dispose()
            self.output = self.leaving.output = None

    def _gone(self) -> NoReturn:
        """The terminal went away."""
        self.leaving.leave(EXIT_HANGUP)

    def _get_terminal_size(self) -> tuple[int, int]:
        try:
            size = os.get_terminal_size(self._tty)
        except OSError:
            return 80, 24
        return size.columns or 80, size.lines or 24

    def run_input_thread(self) -> None:
        """Read keys. Textual's own loop looks ten times a second; this one sleeps while nothing is typed."""
        parser = XTermParser(self._debug)
        decode = getincrementaldecoder("utf-8")(errors="replace").decode
        pending = False
        while not self.exit_event.is_set():
            if select.select((self.fileno,), (), (), _ESCAPE_S if pending else _IDLE_S)[0]:
                data = self._read()
                pending = True
                for event in parser.feed(decode(data)):
                    self.process_message(event)
            else:
                pending = False
            for event in parser.tick():
                self.process_message(event)

    def _read(self) -> bytes:
        """What was typed; the end of the terminal is the end of the program, signal or not."""
        try:
            data = os.read(self.fileno, 4096)
        except OSError:
            data = b""
        return data or self._gone()

    def process_message(self, message: Message) -> None:
        """On the thread that reads keys: what must work even when the event loop does not."""
        if isinstance(message, events.CursorPosition):
            if self.output is not None:
                self.output.answered()
            return
        if isinstance(message, events.Key):
            if message.key == "ctrl+c":
                self.leaving.leave(EXIT_INTERRUPTED)
            if self.output is not None:
                self.output.key_pressed()
        elif isinstance(message, events.MouseDown | events.MouseScrollDown | events.MouseScrollUp) and self.output:
            self.output.key_pressed()
        super().process_message(message)


def driver_for(leaving: Leaving) -> type[ConsoleDriver]:
    """The driver class that ends through `leaving`: Textual makes the driver itself and takes a class."""
    return type("BoundDriver", (ConsoleDriver,), {"leaving": leaving})
