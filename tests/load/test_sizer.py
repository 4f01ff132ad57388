"""Tokens of words, learned from what a server says."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perfconsole.load.sizer import Sizer
from perfconsole.probing.scenario import warm_up


def _tokens(words: int, slope: float, overhead: float) -> int:
    return round(words * slope + overhead)


@settings(max_examples=200)
@given(st.floats(0.9, 3.5), st.floats(0, 300), st.integers(64, 8000), st.floats(0.15, 1))
def test_two_prompts_tell_both_numbers(slope: float, overhead: float, prompt: int, part: float) -> None:
    """After a warm-up any length up to its own comes out within 2 % and 2 tokens."""
    sizer = Sizer()
    for call in warm_up("short-chat", prompt, 16, 2):
        words = sizer.words(call.prompt_tokens)
        sizer.learn(words, _tokens(words, slope, overhead))
    wanted = round(prompt * part)
    least = _tokens(1, slope, overhead)
    assert abs(_tokens(sizer.words(wanted), slope, overhead) - max(wanted, least)) <= 0.02 * wanted + 2


def test_the_first_guess_is_that_of_common_tokenizers() -> None:
    """1.3 tokens a word and a short template."""
    assert Sizer().words(140) == 100


def test_one_prompt_moves_the_tokens_of_a_word() -> None:
    """A tokenizer of bytes is known from the first answer on."""
    sizer = Sizer()
    sizer.learn(100, 660)
    assert sizer.words(660) == 100


def test_a_usual_template_is_overhead() -> None:
    """40 tokens more than 50 words have do not make long words."""
    sizer = Sizer()
    sizer.learn(50, 105)
    assert sizer.per_word == 1.3
    assert sizer.overhead == 40


def test_a_long_template_is_overhead() -> None:
    """Short prompts under a system prompt of 2,000 tokens do not make words of 40 tokens."""
    sizer = Sizer()
    sizer.learn(50, 2_065)
    assert sizer.per_word == 1.3
    assert sizer.overhead == 2000


@pytest.mark.parametrize("wrong", [None, 0, -5, 3, 10**9])
def test_figures_that_no_tokenizer_gives_are_passed_over(wrong: int | None) -> None:
    """Nothing changes by them, before or behind sane ones."""
    sizer = Sizer()
    sizer.learn(100, wrong)
    assert sizer.words(140) == 100
    sizer.learn(20, 40)
    sizer.learn(100, 200)
    sizer.learn(60, wrong)
    assert sizer.words(240) == 120


def test_one_wrong_figure_of_several_bends_nothing() -> None:
    """A server that once counts a retry twice is not believed in this."""
    sizer = Sizer()
    for words, tokens in ((100, 140), (12, 26), (100, 700), (12, 26), (100, 140), (50, 75)):
        sizer.learn(words, tokens)
    assert abs(sizer.words(140) - 100) <= 3


@given(st.integers(-10, 10**6), st.lists(st.tuples(st.integers(1, 10**5), st.integers(-(10**9), 10**9)), max_size=20))
def test_there_is_always_a_word(prompt: int, pairs: list[tuple[int, int]]) -> None:
    """Whatever was learned and asked for."""
    sizer = Sizer()
    for words, tokens in pairs:
        sizer.learn(words, tokens)
    assert sizer.words(prompt) >= 1
    assert sizer.further(prompt, 5) >= 1
