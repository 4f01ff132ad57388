"""The text of one call: what is shared, and with whom."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perfconsole.load.prompts import Filler, Texts
from perfconsole.load.sizer import Sizer
from perfconsole.load.wording import Wanted, pieces
from perfconsole.probing.scenario import Call, period

FILLER = Filler()
CHAT = Call("short-chat", 128, 64)
OPENING = 16


def _text(call: Call, wanted: Wanted, nonce: int = 5) -> bytes:
    return b" ".join(pieces(call, wanted, Texts(nonce, FILLER), Sizer()))


def _calls(scenario: str) -> list[Call]:
    return [call for stage in period(scenario, 128, 64, (1,))[0] for call in stage]


@settings(max_examples=40)
@given(st.lists(st.tuples(st.integers(0, 10**9), st.integers(0, 10**9)), unique_by=lambda pair: pair[1], max_size=40))
def test_no_two_requests_begin_alike(numbers: list[tuple[int, int]]) -> None:
    """Not even with equal numbers of tasks."""
    texts = {_text(CHAT, Wanted(task, number))[:OPENING] for task, number in numbers}
    assert len(texts) == len(numbers)


@given(st.integers(0, 10**6), st.integers(0, 10**6), st.text(max_size=8).filter(lambda name: name != "unique"))
def test_requests_tasks_and_names_never_begin_alike(task: int, number: int, name: str) -> None:
    """Each has numbers of its own."""
    shared = _calls("shared-prefix")[0]
    texts = [
        _text(CHAT, Wanted(task, number)),
        _text(_calls("long-conversation")[0], Wanted(task, number)),
        _text(shared, Wanted(task, number)),
        _text(CHAT, Wanted(task, number, prompt=name)),
    ]
    assert len({text[:OPENING] for text in texts}) == len(texts)


def test_a_fixed_prompt_is_the_same_in_every_request() -> None:
    """By its name, and another in another run, so that its first is new to the server."""
    first, repeat = _text(CHAT, Wanted(1, 1, "fixed 1")), _text(CHAT, Wanted(8, 9, "fixed 1"))
    assert first == repeat
    assert first[:OPENING] != _text(CHAT, Wanted(1, 1, "fixed 2"))[:OPENING]
    assert first[:OPENING] != _text(CHAT, Wanted(1, 1, "fixed 1"), nonce=6)[:OPENING]


def test_the_shared_text_is_that_of_all_and_the_question_is_not() -> None:
    """Two requests of different tasks begin alike for the common part only."""
    call = _calls("shared-prefix")[0]
    (common, asked), (again, other) = (pieces(call, Wanted(n, n), Texts(5, FILLER), Sizer()) for n in (1, 2))
    assert common == again
    assert asked[:OPENING] != other[:OPENING]


def test_calls_of_an_agent_share_the_text_of_their_task() -> None:
    """And calls of another task share nothing with them."""
    calls = _calls("agent-fan-out")
    of_one = [pieces(call, Wanted(3, number), Texts(5, FILLER), Sizer()) for number, call in enumerate(calls)]
    assert len({shared for shared, _ in of_one}) == 1
    assert len({own[:OPENING] for _, own in of_one}) == len(calls)
    assert pieces(calls[0], Wanted(4, 99), Texts(5, FILLER), Sizer())[0][:OPENING] != of_one[0][0][:OPENING]


def test_a_later_turn_begins_with_all_of_the_earlier() -> None:
    """The messages of a turn stay as they are."""
    turns = [
        pieces(call, Wanted(3, number), Texts(5, FILLER), Sizer())
        for number, call in enumerate(_calls("long-conversation"))
    ]
    for turn in turns:
        assert turns[-1][: len(turn)] == turn


@pytest.mark.parametrize(
    "scenario", ["short-chat", "long-prompt", "long-conversation", "agent-fan-out", "shared-prefix"]
)
def test_texts_are_about_as_long_as_asked(scenario: str) -> None:
    """With 1.3 tokens a word, marks of 5 for a message, and keys of 8, within 5 %."""
    for call in _calls(scenario):
        said = pieces(call, Wanted(0, 0), Texts(5, FILLER), Sizer())
        words = sum(len(piece.split()) for piece in said)
        tokens = 10 + 1.3 * words + 5 * (len(said) - 1)
        assert tokens == pytest.approx(call.prompt_tokens, rel=0.05)
