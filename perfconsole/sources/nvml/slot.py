"""The last answer to one question about one GPU, and when it is asked again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfconsole.model.sample import Missing
from perfconsole.sources.nvml.question import FAST_S, SLOW_S, STATE_S
from perfconsole.sources.nvml.words import LOST, UNSUPPORTED, reason_of

if TYPE_CHECKING:
    from perfconsole.sources.nvml.question import Question
    from perfconsole.sources.nvml.reading import Reading

LIMIT_S = 5.0
"""An answer that is this much later than it should be renewed is no answer any more."""
_SLACK_S = 0.5
"""Rounds come once a second and never quite on time: a question of 5 s is due in the fifth, not in the sixth."""


class Slot:
    """Written by the worker that asks; its three parts change together."""

    def __init__(self, question: Question) -> None:
        self.question = question
        self.due_t = float("-inf")
        self._last: tuple[float, Reading | None, int] | None = None

    def store(self, t: float, reading: Reading) -> None:
        """An answer of time t."""
        self._last = (t, reading, 0)
        self.due_t = t + self.question.every_s - _SLACK_S

    def failed(self, t: float, code: int) -> None:
        """An error of time t. What a card does not support is asked again once a minute: settings change.

        A question that is asked once a minute has no answer until then: one that failed is asked again in 5 s, and in
        the next round where it said that the card is lost, since only its own answer says that the card is back.
        """
        self._last = (t, None, code)
        again_s = FAST_S if code in LOST else min(self.question.every_s, STATE_S)
        self.due_t = t + (SLOW_S if code in UNSUPPORTED else again_s - _SLACK_S)

    def renew(self, names: tuple[str, ...]) -> None:
        """Ask again in the next round, where this is the question that fills these names."""
        if self.question.fills == names:
            self.due_t = float("-inf")

    @property
    def asked(self) -> bool:
        """It was asked, whatever came of it."""
        return self._last is not None

    @property
    def code(self) -> int:
        """NVML code of the last error; 0 for a good answer, or none yet."""
        return self._last[2] if self._last else 0

    def answered(self, since: float) -> bool:
        """The driver said something about it since a moment: a value, or that there is none."""
        return self._last is not None and self._last[0] >= since and (not self.code or self.code in UNSUPPORTED)

    @property
    def broken(self) -> bool:
        """The last answer was an error that is worth a word: none that says only that there is nothing to be had."""
        return bool(self.code) and reason_of(self.code) is Missing.SOURCE_DOWN

    def failing(self, since: float) -> bool:
        """The driver failed to answer it since a moment."""
        return self._last is not None and self._last[0] >= since and self.broken

    def reading(self, now: float, since: float = float("-inf")) -> Reading | None:
        """The answer, while it holds and is not from before `since`."""
        if self._last is None or self._last[0] < since or now - self._last[0] > self.question.every_s + LIMIT_S:
            return None
        return self._last[1]

    def reason(self, name: str, now: float) -> Missing:
        """Why it does not give a value of this name."""
        if self._last is None:
            return Missing.WARMING_UP
        if self.code:
            return reason_of(self.code)
        reading = self.reading(now)
        if reading is None or name in reading.values:
            return Missing.SOURCE_DOWN  # too old to be given, or not given because the call hangs now
        return reading.missing.get(name, Missing.UNSUPPORTED)
