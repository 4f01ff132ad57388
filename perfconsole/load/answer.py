"""One streamed answer: when text came, how many tokens, and how it ended.

An event that looks like the one before it but for its text is recognised by its bytes, without taking the framing off
or reading its JSON: 47,000 tokens a second leave 20 microseconds for each.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from perfconsole.load.body import Body
from perfconsole.load.chunklengths import LENGTHS
from perfconsole.load.delta import NOTHING, error_words, read_delta
from perfconsole.load.eventlines import EventLines
from perfconsole.load.head import GarbledError, Head, split_head
from perfconsole.load.likeness import Likeness
from perfconsole.load.merged import Merged, first_of, parted
from perfconsole.load.runningcount import RunningCount
from perfconsole.model.probeload import Trouble

if TYPE_CHECKING:
    from perfconsole.load.delta import Delta, Usage

_OK = 200
_KEPT = 64 * 1024
"""Bytes of an error page that are read for its words."""
_QUOTE = 0x22
_LAST = b"\n\n"
"""Ends the event that a stream ended in without an empty line behind it."""


class Answer:
    """Takes reads with their arrival times (nanoseconds); the only writer of what is known of one answer."""

    __slots__ = (
        "_body",
        "_count",
        "_events",
        "_known",
        "_like",
        "_merged",
        "_page",
        "_since",
        "_surplus",
        "_together",
        "clustered",
        "detail",
        "done",
        "finished",
        "first",
        "first_answer",
        "first_tokens",
        "gaps",
        "head",
        "held",
        "last",
        "reasoned",
        "reusable",
        "trouble",
        "usage",
    )

    def __init__(self) -> None:
        self.head: Head | None = None
        self._body: Body | None = None
        self._events = EventLines()
        self._page = b""
        """What came of a head that is not whole, or of an error page."""
        self._like: Likeness | None = None
        """What the next event should look like; None while something unfinished is kept, or none has been seen."""
        self._known: Likeness | None = None
        """The newest likeness, also while something unfinished is kept."""
        self.first = self.last = self.first_answer = 0
        """Moments of the first and the last text, and of the first one that was no reasoning; 0 for none."""
        self.first_tokens = 0
        self.gaps: list[int] = []
        """Nanoseconds for each token behind the first delivery."""
        self.held = 0
        """Tokens without text since the last text."""
        self.clustered = 0
        """Text events that came in one read with the one before."""
        self.reasoned = False
        self.usage: Usage | None = None
        self._count = RunningCount()
        self._since = self._together = 0
        """The moment after which this read, and a first one of several texts, came; 0 where that is not known."""
        self._merged: list[Merged] = []
        self._surplus = 0
        """Tokens seen beyond one for each text event."""
        self.finished = False
        """The server said that this was all."""
        self.done = False
        self.reusable = False
        """The connection can take another request."""
        self.trouble: Trouble | None = None
        self.detail = ""

    def feed(self, data: bytes, stamp: int, since: int = 0) -> int:
        """Take a read in; how many text events it brought. `done` says whether it was the last.

        `since` is when it is certain that nothing of this read had come yet; 0 for a process that was waiting for it.
        """
        self._since = since
        like = self._like
        if like is not None and data.endswith(like.tail):
            at = 0
            if like.chunked:
                at = data.find(b"\r\n", 0, 10) + 2
                same = at > 1 and LENGTHS[data[: at - 2]] == len(data) - at - 2
            else:
                same = True
            same = same and data.startswith(like.lead, at) and data[at + like.ahead] != _QUOTE
            if same and data.find(like.stop, at) == len(data) - like.behind:
                self.gaps.append(stamp - self.last)
                self.last = stamp
                return 1
        return self._feed(data, stamp)

    def _feed(self, data: bytes, stamp: int) -> int:
        """A read of several events, or of one that is not like those before."""
        came, at = (0, 0) if self._like is None else self._like.run(data)
        if came and at == len(data):
            self._deliver(came, came, stamp)
            return came
        try:
            return self._take(data[at:], stamp, came)
        except GarbledError as error:
            self.fail(Trouble.GARBLED, str(error))
            return came

    def _take(self, data: bytes, stamp: int, came: int) -> int:
        """The rest of a read, of which so many events are known already."""
        if self.head is None or self._body is None:
            found = split_head(self._page + data)
            if found is None:
                self._page += data
                return 0
            self._page = b""
            self.head, data = found
            self._body = Body(self.head)
        payload = self._body.take(data)
        if self.head.status == _OK and self.head.stream:
            came = self._read(payload, stamp, came)
        else:
            self._page = (self._page + payload)[:_KEPT]
        if self._body.done and not self.done:
            self._end(stamp)
        return came

    def _read(self, payload: bytes, stamp: int, came: int = 0) -> int:
        """Take the events of one read in, and those of it that are known already; they are one delivery."""
        tokens = came
        delta = NOTHING
        for event in self._events.take(payload):
            delta = read_delta(event)
            if delta.channel:
                came += 1
                tokens += 1 + self.held
                self.held = 0
            self.held += delta.held
            self._note(delta, stamp)
            if self.done:
                break
        if came:
            self._deliver(self._count.tokens(self.usage, tokens, first=not self.first), came, stamp)
        self._expect(payload, delta)
        return came

    def _expect(self, payload: bytes, delta: Delta) -> None:
        """What the next event should look like: the last one if that was text, else those before it."""
        body = self._body
        if body is None or not body.between or not self._events.empty or self.held or self._count.runs:
            self._like = None
            return
        if delta.channel:
            self._known = Likeness.of(payload, delta, chunked=body.chunked) or self._known
        self._like = self._known

    def _note(self, delta: Delta, stamp: int) -> None:
        self.reasoned = self.reasoned or delta.reasoning
        if delta.channel and not delta.reasoning and not self.first_answer:
            self.first_answer = stamp
        if delta.usage is not None:
            self.usage = delta.usage
        self.finished = self.finished or delta.done or delta.finish
        if delta.error:
            self.fail(Trouble.IN_BAND, delta.error)

    def _deliver(self, tokens: int, events: int, stamp: int) -> None:
        self.clustered += events - 1
        self._surplus += tokens - events
        if self.first:
            gap = stamp - self.last
            if events > 1:
                self._merged.append(Merged(len(self.gaps), tokens, gap, min(gap, max(0, self._since - self.last))))
            self.gaps += [gap // tokens] * tokens
        else:
            self.first, self.first_tokens = stamp, tokens
            self._together = self._since if events == tokens > 1 else 0
        self.last = stamp

    def _end(self, stamp: int) -> None:
        """All of it is there."""
        self._part()
        head, body = self.head, self._body
        assert head is not None and body is not None  # noqa: S101, PT018 - the callers have read both
        if head.stream and head.status == _OK:
            self._read(b"" if self._events.empty else _LAST, stamp)
        self.reusable = head.keeps and not body.extra and self.trouble is None
        if self.trouble is None:
            self.trouble, self.detail = _verdict(head, self._page, text=bool(self.first))
        self.done = True

    def _part(self) -> None:
        """Say when each token of a merged read came, as far as that can be known."""
        gaps, tokens = parted(self.gaps, self._merged), self.first_tokens
        if self._together:
            first = first_of(tokens, self.first, self._together, gaps, self._merged)
            gaps = [(self.first - first) // (tokens - 1)] * (tokens - 1) + gaps
            self.first_answer = first if self.first_answer == self.first else self.first_answer
            self.first, self.first_tokens = first, 1
        self.gaps = gaps

    def closed(self, stamp: int) -> None:
        """The connection ended."""
        if self.done:
            return
        if self.head is not None and self._body is not None and (self.finished or not self._body.bounded):
            self._end(stamp)
            self.reusable = False
        else:
            where = "before the answer began" if self.head is None else "in the middle of the answer"
            self.fail(Trouble.RESET, f"the connection ended {where}")

    def fail(self, trouble: Trouble, detail: str) -> None:
        """It did not end well, and nothing more of it counts."""
        self.trouble, self.detail, self.done, self.reusable = trouble, detail, True, False

    @property
    def seen(self) -> int:
        """Tokens that came as text, one for each text event unless it is known to be more."""
        return self.first_tokens + len(self.gaps)

    @property
    def events(self) -> int:
        """Text events."""
        return self.seen - self._surplus

    @property
    def quiet(self) -> bool:
        """Nothing of the answer has come yet."""
        return self.head is None and not self._page


def _verdict(head: Head, page: bytes, *, text: bool) -> tuple[Trouble | None, str]:
    """What is wrong with an answer that came to its end."""
    if head.status != _OK:
        return Trouble.STATUS, f"{head.status} {_page_words(page)}".strip()
    if not head.stream:
        return Trouble.GARBLED, "the answer is no stream of events"
    return (None, "") if text else (Trouble.EMPTY, "the answer ended without any text")


def _page_words(page: bytes) -> str:
    text = page.decode("utf-8", "replace")
    try:
        return error_words(json.loads(text))
    except (ValueError, RecursionError):
        return " ".join(text.split())[:200]
