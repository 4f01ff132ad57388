"""Prompts of a wanted token length, without a tokenizer: common English words, counted; no two texts begin alike.

Only letters, digits, spaces and full stops, so that nothing has to be escaped in JSON and a character is a byte.
A text costs two copies: the words lie ready in one long filler, and each text is cut from another place of it.
"""

from __future__ import annotations

from itertools import accumulate
from random import Random

from perfconsole.load.vocabulary import WORDS

KEY_DIGITS = 16
"""A text begins with so many digits. Most tokenizers cut digits by ones or threes, so that each key has as many tokens
as the next and belongs to the fixed part of a prompt's length."""
_KEYS = 10**KEY_DIGITS
_STRIDE = 6_180_339_887_498_949
"""Odd and no multiple of 5, so that counting by it modulo 10**16 meets every key once; and near to 0.618 of the range,
so that numbers one after the other differ from the first digit on."""

FILLER_WORDS = 16_384
"""Longer texts go round in it."""
_SHIFT = 6_151
"""Words between the places where two texts are cut: a prime, so that every place has its turn."""

_SENTENCE = 11
"""Words between two full stops."""
_CLOSING = b" Go on with this text for as long as you can."
_CLOSING_WORDS = len(_CLOSING.split())


class Filler:
    """The long text that prompts are cut from; the same in every process. Building it takes about 10 ms."""

    def __init__(self, words: int = FILLER_WORDS) -> None:
        random = Random(words)  # noqa: S311 - no secret
        drawn = [f"{word} " for word in random.choices(WORDS.split(), k=words)]
        drawn[_SENTENCE - 1 :: _SENTENCE] = [f"{word[:-1]}. " for word in drawn[_SENTENCE - 1 :: _SENTENCE]]
        self._words = words
        self._text = "".join(drawn).encode()
        self._twice = self._text * 2
        ends = list(accumulate(map(len, drawn)))
        self._starts = [0, *ends, *(len(self._text) + end for end in ends)]

    def cut(self, place: int, words: int) -> bytes:
        """So many words from a place on, without a space at the end."""
        first = place % self._words
        rounds, rest = divmod(words, self._words)
        begin = self._starts[first]
        text = self._twice[begin : self._starts[first + rest]]
        if rounds:
            text = self._twice[begin : begin + len(self._text)] * rounds + text
        return text[:-1]


def key(nonce: int, number: int) -> bytes:
    """16 digits: another for each number of one run, and with another nonce another run (but for a chance of 1e-8).

    `nonce` is drawn anew for every run, so that no cache of the server knows a text from an earlier one.
    """
    return b"%016d" % ((nonce + number * _STRIDE) % _KEYS)


class Texts:
    """The texts of one run, each known by a number: one gives one text, and two never give texts that begin alike."""

    def __init__(self, nonce: int, filler: Filler | None = None) -> None:
        self._nonce = nonce
        self._filler = Filler() if filler is None else filler

    def opening(self, number: int, words: int) -> bytes:
        """A key and so many words; more words begin with the same as fewer."""
        return key(self._nonce, number) + b" " + self._filler.cut(number * _SHIFT, words)

    def further(self, number: int, done: int, words: int) -> bytes:
        """So many words of the text, behind the first `done` of them."""
        return self._filler.cut(number * _SHIFT + done, words)


def closed(piece: bytes, words: int) -> bytes:
    """The piece (of so many words) with its last words made a request to write at length; a short one as it is.

    A server that does not know `ignore_eos` answers a text without any question in a few words.
    """
    if words < 3 * _CLOSING_WORDS:
        return piece
    kept = piece.rsplit(b" ", _CLOSING_WORDS)[0]
    return kept + _CLOSING
