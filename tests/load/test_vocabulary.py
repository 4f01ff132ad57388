"""The words of prompts."""

from __future__ import annotations

from perfconsole.load.vocabulary import WORDS


def test_words_are_plain_and_short() -> None:
    """Small letters only, so that nothing is escaped, and at most eight of them, so that most are one token."""
    words = WORDS.split()
    assert len(set(words)) == len(words) > 400
    assert all(word.isascii() and word.isalpha() and word.islower() and len(word) <= 8 for word in words)
