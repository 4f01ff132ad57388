"""What really happened to a request: the record that a client's numbers are held against."""

from __future__ import annotations

from array import array
from dataclasses import dataclass, field
from typing import Any

DONE, ABORTED, REFUSED, IN_BAND, RESET, CUT = "done", "aborted", "refused", "in-band", "reset", "cut"
GARBLED = "garbled"


@dataclass(slots=True, eq=False)
class Truth:
    """One request. Moments are nanoseconds: `_ns` of the wall clock, `_mono` of the monotonic one."""

    number: int
    """In order of arrival, from 0."""
    connection: int
    """Which connection it came on, in order of accepting, from 0."""
    nth: int
    """The how manieth request on that connection, from 0."""
    api: str
    """chat or completions."""
    arrival_ns: int
    """When its last byte was read."""
    arrival_mono: int
    stream: bool = True
    status: int = 200
    prompt_tokens: int = 0
    cached_tokens: int = 0
    want: int = 0
    """Tokens that it is going to get if nothing happens."""
    finish: str = "length"
    reasoning: int = 0
    """So many of its first tokens are reasoning."""
    waiting_before: int = 0
    """Requests in the queue when it arrived."""
    running_before: int = 0
    admitted_mono: int | None = None
    """When its slot was free, by schedule."""
    running_at_admission: int = 0
    """Itself included."""
    due_mono: array[int] = field(default_factory=lambda: array("q"))
    """The scheduled moment of each token."""
    wrote_ns: array[int] = field(default_factory=lambda: array("q"))
    """When each token was handed to the kernel: of the same write, the same moment."""
    empty: array[int] = field(default_factory=lambda: array("q"))
    """Indices of tokens whose event has no text."""
    preemptions: int = 0
    ended: str = ""
    """done, aborted (by the client), refused (an error status), in-band, reset, cut, garbled; empty while it runs."""
    ended_ns: int = 0

    # What the schedule keeps; not part of the record.
    due: int = 0
    halt: int = -1
    """Token before which it stops by itself; -1 for never."""
    parked: bool = False
    held: int = 0
    """KV tokens that it takes."""

    def as_dict(self) -> dict[str, Any]:
        """The record for JSON."""
        names = [name for name in self.__slots__ if name not in ("due", "halt", "parked", "held")]
        values = {name: getattr(self, name) for name in names}
        return {name: list(value) if isinstance(value, array) else value for name, value in values.items()}
