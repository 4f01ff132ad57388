"""How many words make a prompt of so many tokens: learned from what the server says of the first requests. Pure."""

from __future__ import annotations

from itertools import combinations

FIRST_TOKENS_PER_WORD, FIRST_OVERHEAD = 1.3, 10.0
"""Until the first answer: common English words in the tokenizers of today, and a short chat template."""
MESSAGE_TOKENS = 5
"""Marks of a further message of a conversation, as in the template of ChatML."""
KEY_TOKENS = 8
"""A key within a prompt; the one it begins with is in the overhead."""

_LEAST, _MOST = 0.5, 12.0
"""Tokens of a word that are believed: a tokenizer of bytes has about 6."""
_OVERHEAD_MOST = 20_000
"""A server that puts a longer text than this before every prompt is not believed either."""
_USUAL_OVERHEAD = 64
"""Templates with a date or a default system prompt have 20 to 50 tokens, and a key has 16 at most."""
_APART = 4
"""Words between two prompts whose difference says something."""
_REMEMBERED = 16


class Sizer:
    """Tokens of a prompt = overhead + tokens per word x words. Only the warm-up teaches it."""

    def __init__(self) -> None:
        self.per_word = FIRST_TOKENS_PER_WORD
        self.overhead = FIRST_OVERHEAD
        """Chat template, key, and whatever else stands in every prompt."""
        self._pairs: list[tuple[int, int]] = []

    def learn(self, words: int, prompt_tokens: int | None) -> None:
        """Take in what a prompt of so many words came to; None and figures that no tokenizer gives are passed over."""
        if prompt_tokens is None or not words * _LEAST <= prompt_tokens <= words * _MOST + _OVERHEAD_MOST:
            return
        self._pairs = [*self._pairs, (words, prompt_tokens)][-_REMEMBERED:]
        slope = _slope(self._pairs)
        if slope is None:
            self.per_word, self.overhead = _of_one(self._pairs)
        else:
            self.per_word = slope
            self.overhead = max(0.0, _median([tokens - slope * count for count, tokens in self._pairs]))

    def words(self, prompt_tokens: int) -> int:
        """Words of a prompt that comes to so many tokens; at least 1."""
        return self.further(prompt_tokens, self.overhead)

    def further(self, tokens: int, marks: float) -> int:
        """Words of a later piece of a prompt, of whose tokens its marks take some; at least 1."""
        return max(1, round((tokens - marks) / self.per_word))


def _slope(pairs: list[tuple[int, int]]) -> float | None:
    """Median of the slopes between any two: one wrong figure of several bends nothing. None where none is sane."""
    found = [(t - s) / (w - v) for (v, s), (w, t) in combinations(pairs, 2) if abs(w - v) >= _APART]
    sane = [slope for slope in found if _LEAST <= slope <= _MOST]
    return _median(sane) if sane else None


def _of_one(pairs: list[tuple[int, int]]) -> tuple[float, float]:
    """Prompts of one length say one number: it is the template's as long as that is a usual one, else the words'."""
    words, tokens = pairs[0]
    overhead = tokens - FIRST_TOKENS_PER_WORD * words
    slope = (tokens - FIRST_OVERHEAD) / words
    if 0 <= overhead <= _USUAL_OVERHEAD or not _LEAST <= slope <= _MOST:
        return FIRST_TOKENS_PER_WORD, max(0.0, overhead)
    return slope, FIRST_OVERHEAD


def _median(values: list[float]) -> float:
    ordered = sorted(values)
    middle = len(ordered) // 2
    return (ordered[middle] + ordered[~middle]) / 2
