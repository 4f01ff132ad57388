"""Texts of counted words that never begin alike."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from perfconsole.load.prompts import KEY_DIGITS, Filler, Texts, closed, key

FILLER = Filler()
SMALL = Filler(64)
NONCES = st.integers(0, 2**64 - 1)


@settings(max_examples=60)
@given(NONCES, st.sets(st.integers(0, 10**12), max_size=200))
def test_no_two_texts_of_a_run_share_their_first_16_characters(nonce: int, numbers: set[int]) -> None:
    """Whatever their numbers are."""
    texts = Texts(nonce, FILLER)
    assert len({texts.opening(number, 3)[:16] for number in numbers}) == len(numbers)


def test_two_runs_share_no_beginning() -> None:
    """Other nonces, as they are drawn for each run, give other keys for thousands of requests."""
    runs = (1_234_567_890_123_456_789, 9_876_543_210_987_654_321)
    assert len({key(nonce, number) for nonce in runs for number in range(5000)}) == 10_000


def test_neighbours_differ_in_their_first_digits() -> None:
    """Requests one after the other share no first token: three digits are one in many tokenizers."""
    keys = [key(99, number)[:3] for number in range(1000)]
    assert all(a != b for a, b in pairwise(keys))
    assert len(set(keys)) > 600


@settings(max_examples=60)
@given(NONCES, st.integers(0, 10**12), st.integers(1, 300))
def test_a_text_has_as_many_words_as_asked(nonce: int, number: int, words: int) -> None:
    """Behind its key, also where the filler is shorter than the text."""
    for filler in (FILLER, SMALL):
        text = Texts(nonce, filler).opening(number, words)
        assert len(text.split(b" ")) == words + 1
        assert len(text.split(b" ")[0]) == KEY_DIGITS


@settings(max_examples=40)
@given(st.integers(0, 10**6), st.integers(1, 400))
def test_a_text_needs_no_escaping(number: int, words: int) -> None:
    """Letters, digits, spaces and full stops only."""
    text = Texts(5, FILLER).opening(number, words).decode("ascii")
    assert all(char.isalnum() or char in " ." for char in text)


@settings(max_examples=40)
@given(st.integers(0, 10**6), st.integers(1, 200), st.integers(1, 200))
def test_a_text_goes_on_where_it_ended(number: int, words: int, more: int) -> None:
    """Its further words are those of a longer text."""
    texts = Texts(5, SMALL)
    assert texts.opening(number, words) + b" " + texts.further(number, words, more) == texts.opening(
        number, words + more
    )


def test_a_long_text_ends_with_a_request_to_write() -> None:
    """It has as many words as before."""
    text = Texts(5, FILLER).opening(1, 60)
    asked = closed(text, 60)
    assert asked.endswith(b"for as long as you can.")
    assert len(asked.split()) == len(text.split())


def test_a_short_text_has_no_room_for_a_request() -> None:
    """It stays as it is."""
    text = Texts(5, FILLER).opening(1, 12)
    assert closed(text, 12) == text
