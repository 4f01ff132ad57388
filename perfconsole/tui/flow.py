"""How much may be on the way to the terminal, so that a key's answer never waits behind old frames.

A terminal is asked for its cursor after every piece (all of them answer) and the answer tells how fast it takes what
is sent, also behind SSH, where the local end takes everything at once. One that does not answer gets live data slowly
and what a person waits for at once. Pure: time is an argument.
"""

from __future__ import annotations

SMALLEST = 96
"""Bytes: at 2 kB/s they take 50 ms, which leaves a key the other 50."""
LARGEST = 16_384
_START = 4096
_QUEUED_S = 0.05
"""Longer than this behind the fastest answer seen means that what was sent is waiting somewhere."""
MUTE_S = 2.0
"""A first question unanswered for so long: this terminal does not answer."""
_LOST_S = 15.0
"""A later question unanswered for so long was lost."""
_TRICKLE = 1600.0
"""Bytes a second of live data for a terminal that does not answer: a line of 2 kB/s stays free for keys."""
_BURST = 400.0
_FIRST = 12_000
"""Bytes of the first screen, which anyone may have at once."""


class Flow:
    """The account of what is on the way."""

    def __init__(self) -> None:
        self._window = _START
        self._asked: tuple[float, int] | None = None
        """When the open question was sent, and how many bytes went with it."""
        self._fastest: float | None = None
        self._extra = False
        """Something urgent was sent while the question was open: one piece may, so that no key waits a round trip."""
        self.answers: bool | None = None
        """The terminal answers; None until that is known."""
        self._credit = float(_FIRST)
        self._credit_t: float | None = None

    @property
    def asking(self) -> bool:
        """A question is open, and the terminal may answer it."""
        return self._asked is not None and self.answers is not False

    def allowance(self, now: float, *, urgent: bool) -> int:
        """Bytes that may be sent now; urgent ones are what a person at the keyboard waits for."""
        self._give_up(now)
        if self.answers:
            held = self._asked is not None and (self._extra or not urgent)
            return 0 if held else self._window
        self._refill(now)
        if urgent:
            return LARGEST
        if self._credit < SMALLEST:
            return 0
        return int(self._credit) if self.answers is None else SMALLEST

    def wait_s(self, now: float) -> float:
        """Seconds until the allowance may have grown by itself."""
        if self.answers:
            return _LOST_S if self._asked is None else max(0.05, self._asked[0] + _LOST_S - now)
        return max(0.02, (SMALLEST - self._credit) / _TRICKLE)

    def sent(self, size: int, now: float) -> bool:
        """Account for bytes sent; True when a question goes behind them."""
        if not self.answers:
            self._refill(now)
            self._credit = max(self._credit - size, -2 * _TRICKLE)
        self._extra = self._asked is not None
        if self._extra or self.answers is False:
            return False
        self._asked = (now, size)
        return True

    def answered(self, now: float) -> None:
        """The terminal answered: what was sent has arrived."""
        self.answers = True
        if self._asked is None:
            return
        took = now - self._asked[0]
        queued = took - (took if self._fastest is None else self._fastest)
        self._fastest = took if self._fastest is None else min(took, self._fastest)
        if queued > _QUEUED_S:
            rate = self._asked[1] / took
            self._window = int(max(SMALLEST, min(self._window / 2, rate * _QUEUED_S)))
        elif self._asked[1] >= self._window // 2:
            self._window = min(LARGEST, self._window * 2)
        self._asked, self._extra = None, False

    def _give_up(self, now: float) -> None:
        """Stop waiting for an answer that does not come."""
        if self._asked is None:
            return
        if self.answers is None and now - self._asked[0] > MUTE_S:
            self.answers, self._asked = False, None
            self._credit = min(self._credit, _BURST)
        elif self.answers and now - self._asked[0] > _LOST_S:
            self._asked = None

    def _refill(self, now: float) -> None:
        before = now if self._credit_t is None else self._credit_t
        self._credit_t = now
        ceiling = max(_BURST, self._credit)
        self._credit = min(ceiling, self._credit + _TRICKLE * (now - before))
