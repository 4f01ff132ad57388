"""One streamed answer on its way through the simulated gateway: what is passed on when, and what is counted. Pure."""

from __future__ import annotations

import json

from perfconsole.demo.model.gateway import Passed


class Passing:
    """`take` each piece, then the `rest`; times are monotonic seconds."""

    def __init__(self, started: float, *, buffers: bool) -> None:
        self.status = 200
        self._started = started
        self._buffers = buffers
        """It is kept back until it is whole."""
        self._held: list[bytes] = []
        self._first: float | None = None
        self._prompt = self._output = 0

    def take(self, piece: bytes, now: float) -> list[bytes]:
        """What to pass on now that this piece is there."""
        if b'"usage":{' in piece:
            self._count(piece)
        if self._buffers:
            self._held.append(piece)
            return []
        self._first = self._first or now
        return [piece]

    def rest(self, now: float) -> list[bytes]:
        """What to pass on now that all is there."""
        if self._held:
            self._first = now
        return self._held

    def passed(self, now: float) -> Passed:
        """What it counts as, when it has ended."""
        took = now - self._started
        first = None if self._first is None else self._first - self._started
        return Passed(self.status, took, took, first, self._prompt, self._output)

    def _count(self, piece: bytes) -> None:
        event = next(event for event in piece.split(b"\n\n") if b'"usage":{' in event)
        usage = json.loads(event.removeprefix(b"data: "))["usage"]
        self._prompt, self._output = usage["prompt_tokens"], usage["completion_tokens"]
