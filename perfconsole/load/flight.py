"""One request under way, and the record that is made of it at its end."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from perfconsole.load.answer import Answer
from perfconsole.model.probeload import Part, RequestRecord, Trouble

if TYPE_CHECKING:
    from perfconsole.load.seat import Seat
    from perfconsole.load.stint import Stint
    from perfconsole.probing.scenario import Call

_NANO = 1_000_000_000
_CLOSE_NS = 1_000_000
"""Text within a millisecond of the one before came in one burst with it."""
_QUARTERS = 4
_NEAR = 0.05
_FEW = 8
"""Tokens below which quarters of an answer say nothing."""


@dataclass(slots=True, eq=False)
class Flight:
    """Moments in epoch nanoseconds, 0 for not yet."""

    seat: Seat
    call: Call
    stint: Stint
    """The step that it was started in."""
    part: Part
    burst: bool
    intended: int
    body: bytes
    sent: int = 0
    deadline: int = 0
    connect_ns: int | None = None
    resolve_ns: int | None = None
    again: bool = False
    """It is on its second connection: the first one was dead before it was used."""
    waits: bool = False
    """It is of the first burst and has no text yet."""
    answer: Answer = field(default_factory=Answer)

    def tokens(self) -> int | None:
        """Output tokens by the server's count, else as they were seen; None for an answer without any."""
        answer = self.answer
        if answer.usage is not None and answer.trouble is None:
            return answer.usage.output
        return answer.seen + answer.held if answer.first else None

    def spread(self) -> tuple[int, float]:
        """Tokens that one seen stands for, where the server counted more than were seen: whole, and exact.

        Events of four tokens each and a last one of three are 3.9 a piece: near a whole number it is that number.
        """
        answer = self.answer
        if answer.usage is None or not answer.gaps or answer.usage.output <= answer.seen + answer.held + 1:
            return 1, 1.0
        share = (answer.usage.output - answer.first_tokens) / len(answer.gaps)
        whole = max(1, round(share))
        return whole, float(whole) if abs(share - whole) < _NEAR * whole else share

    def record(self, now: int) -> RequestRecord:
        """What is told of it."""
        answer = self.answer
        first_quarter, last_quarter = self._quarters()
        usage = answer.usage
        return RequestRecord(
            step=self.stint.run.index,
            part=self.part,
            burst=self.burst,
            kind=self.call.kind,
            task=self.seat.task,
            intended=self.intended / _NANO,
            sent=(self.sent or now) / _NANO,
            connect_s=None if self.connect_ns is None else self.connect_ns / _NANO,
            resolve_s=None if self.resolve_ns is None else self.resolve_ns / _NANO,
            first=_moment(answer.first),
            first_answer=_moment(answer.first_answer) if answer.reasoned else None,
            last=_moment(answer.last),
            ended=now / _NANO,
            tokens=self.tokens(),
            events=answer.events,
            usage=usage is not None,
            prompt_tokens=usage.prompt if usage else None,
            cached_tokens=usage.cached if usage else None,
            close_behind=self._close_behind(),
            itl_first=first_quarter,
            itl_last=last_quarter,
            trouble=answer.trouble,
            detail=answer.detail,
        )

    def _close_behind(self) -> int:
        answer = self.answer
        close = sum(1 for gap in answer.gaps if gap < _CLOSE_NS)
        return min(max(0, answer.events - 1), max(close, answer.clustered))

    def _quarters(self) -> tuple[float | None, float | None]:
        gaps = self.answer.gaps
        many = len(gaps) // _QUARTERS
        if len(gaps) < _FEW or self.answer.trouble is not None:
            return None, None
        share = self.spread()[1] * many * _NANO
        return sum(gaps[:many]) / share, sum(gaps[-many:]) / share

    def time_out(self) -> None:
        """It took too long."""
        self.answer.fail(
            Trouble.TIMEOUT, "no answer in time" if self.answer.quiet else "the answer did not end in time"
        )


def _moment(nanos: int) -> float | None:
    return nanos / _NANO if nanos else None
