"""Server-sent events, however they are cut into reads."""

from __future__ import annotations

from typing import NamedTuple

from perfconsole.load.head import GarbledError

MOST_BYTES = 8 << 20
"""Of one event: an image in base64 fits, a stream without end does not."""


class SentEvent(NamedTuple):
    """One event: its name (`message` where it has none) and its data."""

    name: bytes
    data: bytes


class EventLines:
    """Cuts a stream into events; what is not finished is kept for the next read."""

    __slots__ = ("_lines", "_rest")

    def __init__(self) -> None:
        self._rest = b""
        self._lines: list[bytes] = []

    @property
    def empty(self) -> bool:
        """Nothing of an event that has begun is left."""
        return not self._rest and not self._lines

    def take(self, data: bytes) -> list[SentEvent]:
        """Events that end in this piece of the stream; GarbledError for one too long."""
        if not self._rest and not self._lines and (plain := _plain_events(data)):
            return plain
        *lines, self._rest = (self._rest + data).split(b"\n")
        if len(self._rest) > MOST_BYTES:
            raise GarbledError(f"an event of more than {MOST_BYTES >> 20} MiB")
        found = []
        for line in lines:
            bare = line.removesuffix(b"\r")
            if bare:
                self._lines.append(bare)
            elif self._lines:
                event = _event(self._lines)
                self._lines = []
                if event is not None:
                    found.append(event)
        return found


def _plain_events(data: bytes) -> list[SentEvent]:
    """The events of a piece that is nothing but whole ones of one line each, as most are; empty for any other."""
    if not data.endswith(b"\n\n") or b"\r" in data:
        return []
    pieces = data[:-2].split(b"\n\n")
    if not all(piece.startswith(b"data: ") and b"\n" not in piece for piece in pieces):
        return []
    return [SentEvent(b"message", piece[6:]) for piece in pieces]


def _event(lines: list[bytes]) -> SentEvent | None:
    """What the lines say; None for comments alone."""
    name, data = b"message", []
    for line in lines:
        field, _, value = line.partition(b":")
        value = value.removeprefix(b" ")
        if field == b"data":
            data.append(value)
        elif field == b"event":
            name = value
    return SentEvent(name, b"\n".join(data)) if data else None
