"""What the events of one answer have in common: all bytes but those of the text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from perfconsole.load.chunklengths import LENGTHS

if TYPE_CHECKING:
    from perfconsole.load.delta import Delta

_STOPS = (b"\r\n\r\n", b"\n\n")
_QUOTE, _BACKSLASH = 0x22, 0x5C


@dataclass(frozen=True, slots=True)
class Likeness:
    """An event of text begins with `lead` and ends with `tail`, and has the `stop` of an event only there."""

    lead: bytes
    tail: bytes
    stop: bytes
    ahead: int
    """Bytes of the lead."""
    behind: int
    """Bytes from the stop to the end of the read."""
    chunked: bool

    @staticmethod
    def of(payload: bytes, delta: Delta, *, chunked: bool) -> Likeness | None:
        """What the last event of a read looks like; None where that cannot be said of the next one."""
        stop = next((s for s in _STOPS if payload.endswith(s)), None)
        if stop is None or delta.finish or delta.usage or delta.channel == "tool_calls":
            return None
        before = payload.rfind(stop, 0, len(payload) - len(stop))
        payload = payload[before + len(stop) :] if before >= 0 else payload
        if not payload.startswith(b"data:"):
            return None
        start = _start_of_text(payload, delta.channel.encode())
        close = _end_of_text(payload, start)
        if start < 0 or close <= start:
            return None
        tail = payload[close:] + (b"\r\n" if chunked else b"")
        behind = len(stop) + (2 if chunked else 0)
        return Likeness(payload[:start], tail, stop, start, behind, chunked)

    def run(self, data: bytes) -> tuple[int, int]:
        """How many events like this the data begins with, and where the last of them ends."""
        came = at = 0
        while at < len(data):
            begin, end = self._bounds(data, at)
            if not 0 <= begin < end <= len(data):
                break
            known = data.startswith(self.lead, begin) and data.endswith(self.tail, begin, end)
            if not known or data[begin + self.ahead] == _QUOTE or data.find(self.stop, begin) != end - self.behind:
                break
            came, at = came + 1, end
        return came, at

    def _bounds(self, data: bytes, at: int) -> tuple[int, int]:
        """Where an event that begins here has its data, and where it ends with its framing."""
        if not self.chunked:
            stop = data.find(self.stop, at)
            return at, stop + len(self.stop) if stop >= 0 else -1
        line = data.find(b"\r\n", at, at + 10)
        if line < 0:
            return -1, -1
        length = LENGTHS[data[at:line]]
        return line + 2, line + 2 + length + 2 if length > 0 else -1


def _start_of_text(payload: bytes, channel: bytes) -> int:
    """Where the text of the channel begins, behind its quote."""
    for form in (b'"%s":"', b'"%s": "'):
        key = form % channel
        at = payload.find(key)
        if at >= 0:
            return at + len(key) if payload.count(key) == 1 else -1
    return -1


def _end_of_text(payload: bytes, start: int) -> int:
    """Where the quote behind the text is."""
    at = payload.find(b'"', start) if start >= 0 else -1
    while at > 0:
        slashes = at
        while payload[slashes - 1] == _BACKSLASH:
            slashes -= 1
        if (at - slashes) % 2 == 0:
            return at
        at = payload.find(b'"', at + 1)
    return -1
