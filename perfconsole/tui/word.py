"""A word to the person in the header, for some seconds: what was copied, what went wrong, what the start left out."""

from __future__ import annotations

import threading
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from perfconsole.errors import PerfconsoleError
from perfconsole.tui.frames import output_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from perfconsole.tui.app import ConsoleApp
    from perfconsole.tui.feed import Feed

_SAID_S, _REMARK_S = 4.0, 15.0
"""How long a word stands, and a remark about the start."""
_SILENT_S = 4.0
"""Pictures come once a second; a busy host may hold one back for some."""


class Word:
    """Writes the message of the application's mode, and takes it away again."""

    def __init__(self, app: ConsoleApp) -> None:
        self._app = app
        self._remarked = False

    def say(self, text: str, seconds: float = _SAID_S) -> None:
        """Show it; a newer word takes its place at once."""
        self._show(text)
        self._app.set_timer(seconds, lambda: self._show("") if self._app.mode.message == text else None)

    def of_the_feed(self, feed: Feed) -> None:
        """Why no more pictures come, and once what the start left out (said again when the screen is left)."""
        if feed.fault:
            self._stopped(feed.fault)
        elif feed.remarks and not self._remarked:
            self._remarked = True
            more = f" (and {len(feed.remarks) - 1} more)" if len(feed.remarks) > 1 else ""
            self.say(feed.remarks[0] + more, _REMARK_S)

    def check_news(self) -> None:
        """Say so when no picture has come for some seconds: numbers that stand still must not look alive."""
        feed, now = self._app.setting.feed, self._app.setting.now
        if feed.fault or feed.newest is None or now is None:
            return
        age = now() - feed.newest.t
        self._stopped(f"no news for {age:.0f} s" if age > _SILENT_S else "")

    def _stopped(self, why: str) -> None:
        if self._app.mode.stopped != why:
            self._app.mode = replace(self._app.mode, stopped=why)
            self._app.redraw()

    def of_work(self, work: Callable[[], str], name: str, seconds: float) -> None:
        """Do something that may take its time on a thread of its own, and say its words, or why it failed."""
        threading.Thread(target=self._work, args=(work, seconds), name=name, daemon=True).start()

    def _work(self, work: Callable[[], str], seconds: float) -> None:
        try:
            words = work()
        except PerfconsoleError as error:
            words = str(error)
        except Exception as error:  # noqa: BLE001 - a thread that ends without a word would leave people waiting
            words = f"fault in perfconsole, please report it: {type(error).__name__}: {error}"
        with suppress(RuntimeError):  # the screen is gone
            self._app.call_from_thread(self.say, words, seconds)

    def copy(self, text: str) -> None:
        """To the clipboard of the terminal that the person sits at."""
        from perfconsole.view.clipboard import osc52  # noqa: PLC0415 - not before the first page

        sequence = osc52(text, tmux=self._app.setting.tmux)
        output = output_of(self._app)
        if sequence and output is not None:
            output.control(sequence)
        self.say(f"sent to the clipboard of your terminal: {text}" if sequence else "too long to copy")

    def _show(self, text: str) -> None:
        self._app.mode = replace(self._app.mode, message=text)
        self._app.redraw()
