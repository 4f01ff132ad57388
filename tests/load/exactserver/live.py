"""One request while it is answered: writes what its tokens are on the wire, and makes the troubles that were set."""

from __future__ import annotations

import time  # noqa: TID251 - the moment of each write is the truth that clients are measured by
from typing import TYPE_CHECKING

from tests.load.exactserver.truth import CUT, DONE, IN_BAND, RESET

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.load.exactserver.answer import Answer
    from tests.load.exactserver.connection import Connection
    from tests.load.exactserver.figures import Figures
    from tests.load.exactserver.settings import Settings
    from tests.load.exactserver.truth import Truth


class Live:
    """Owns the writes of one answer. `later` asks for `finish_split` after so many nanoseconds."""

    def __init__(self, connection: Connection, truth: Truth, answer: Answer, settings: Settings) -> None:
        self.connection = connection
        self.truth = truth
        self.settings = settings
        self.troubled = False
        self._answer = answer
        self._middle = answer.middle
        self._head_sent = False
        self._rest, self._rest_until = b"", 0
        """Second part of a write, and how many tokens there are with it."""
        self._stop_at = -1
        self._last = truth.want - 1

    def begin(self, *, troubled: bool) -> None:
        """Send what goes out before the first token."""
        settings, truth = self.settings, self.truth
        self.troubled = troubled
        if troubled:
            halts = {"head": 0, "first": 0, "mid": settings.hang_after}
            truth.halt = halts.get(settings.hang, -1)
            self._stop_at = max(settings.inband_after, settings.reset_after, settings.cut_after)
        if settings.head_early and truth.stream and not (troubled and settings.hang == "head"):
            self._send_head()

    def token(self, figures: Figures, later: Callable[[int, Live], None]) -> str:
        """Write the token that is due. How the request ended by it; empty while it goes on."""
        truth = self.truth
        index = len(truth.due_mono) - 1
        if index == self._stop_at:
            return self._break_off(figures)
        usual = self._middle if 0 < index < self._last else None
        data = self._answer.token(index) if usual is None else usual
        if not self._head_sent:
            self._send_head()
        if self._rest:
            self.finish_split(figures)
        if data and 0 < self.settings.split_at < len(data):
            self.connection.send(data[: self.settings.split_at])
            self._rest, self._rest_until = data[self.settings.split_at :], len(truth.due_mono)
            later(int(self.settings.split_gap_ms * 1e6), self)
        elif data:
            self._write(data, figures, len(truth.due_mono))
        return self._finish(figures) if index == self._last and not self._rest else ""

    def finish_split(self, figures: Figures) -> str:
        """Write the second part of a write that was cut in two; how the request ended by it."""
        if not self._rest:
            return ""
        data, self._rest = self._rest, b""
        self._write(data, figures, self._rest_until)
        return self._finish(figures) if len(self.truth.wrote_ns) > self._last else ""

    def _write(self, data: bytes, figures: Figures, until: int) -> None:
        """Hand it to the kernel; the moment is that of all tokens up to this one that were not written before."""
        count = until - len(self.truth.wrote_ns)
        moment = time.time_ns()
        self.connection.send(data)
        self._note(moment, count, figures)

    def _note(self, moment: int, count: int, figures: Figures) -> None:
        figures.wrote(self.truth, moment, count)
        if count == 1:
            self.truth.wrote_ns.append(moment)
        else:
            self.truth.wrote_ns.extend([moment] * count)

    def _finish(self, figures: Figures) -> str:
        if not self.truth.stream:
            self._note(time.time_ns(), len(self.truth.due_mono), figures)
        self.connection.closing = self.settings.close or (self.settings.delimited and self.truth.stream)
        self.connection.send(self._answer.tail())
        return DONE

    def _send_head(self) -> None:
        self._head_sent = True
        self.connection.send(self._answer.head())

    def _break_off(self, figures: Figures) -> str:
        """The trouble in place of a token."""
        self.truth.due_mono.pop()
        if self._rest:
            self.finish_split(figures)
        if not self._head_sent:
            self._send_head()
        if held := self._answer.rest():
            self._write(held, figures, len(self.truth.due_mono))
        if self.settings.reset_after >= 0:
            self.connection.reset()
            return RESET
        if self.settings.cut_after >= 0:
            self.connection.closing = True
            return CUT
        self.connection.send(self._answer.trouble())
        self.connection.closing = self.settings.close or self.settings.delimited
        return IN_BAND
