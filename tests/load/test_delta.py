"""What events of an answer say."""

from __future__ import annotations

import json

import pytest

from perfconsole.load.delta import Delta, Usage, error_words, read_delta
from perfconsole.load.eventlines import SentEvent


def said(document: object, name: bytes = b"message") -> Delta:
    """The event of this document."""
    return read_delta(SentEvent(name, json.dumps(document).encode()))


def chat(**delta: object) -> Delta:
    """A chat event with this delta."""
    return said({"choices": [{"delta": delta, "finish_reason": None}]})


@pytest.mark.parametrize("name", ["content", "reasoning_content", "reasoning", "refusal"])
def test_text_in_any_channel_is_text(name: str) -> None:
    """The first token of a model that thinks is a thought."""
    assert chat(**{name: "x"}).channel == name


def test_details_of_reasoning_are_reasoning() -> None:
    """Some gateways send them as a list."""
    assert chat(reasoning_details=[{"text": "x"}]).reasoning


def test_the_answer_counts_before_the_thought() -> None:
    """An event may carry both."""
    assert not chat(content="a", reasoning="b").reasoning


def test_a_tool_call_is_text() -> None:
    """Its name, or a piece of its arguments."""
    assert chat(tool_calls=[{"function": {"name": "f", "arguments": ""}}]).channel == "tool_calls"
    assert chat(tool_calls=[{"function": {"arguments": "{"}}]).channel == "tool_calls"
    assert chat(tool_calls=[{"function": {"arguments": ""}}]).channel == ""


def test_a_completion_has_its_text_in_the_choice() -> None:
    """There is no delta."""
    assert said({"choices": [{"text": "x", "finish_reason": None}]}).channel == "text"


def test_a_role_is_no_token() -> None:
    """With or without an empty text beside it."""
    assert chat(role="assistant", content="") == Delta()
    assert chat(role="assistant", content=None) == Delta()


def test_an_empty_text_is_a_token_held_back() -> None:
    """Half a character: the other half comes with the next."""
    assert chat(content="").held


def test_the_last_event_holds_nothing_back() -> None:
    """Its text is empty because there is none."""
    last = said({"choices": [{"delta": {"content": ""}, "finish_reason": "length"}]})
    assert (last.held, last.finish) == (False, True)


def test_usage_is_read_with_cached_tokens() -> None:
    """It comes without any choice, or beside one."""
    usage = {"prompt_tokens": 9, "completion_tokens": 4, "prompt_tokens_details": {"cached_tokens": 6}}
    assert said({"choices": [], "usage": usage}).usage == Usage(4, 9, 6)
    beside = said({"choices": [{"delta": {"content": "x"}}], "usage": {"completion_tokens": 1}})
    assert (beside.usage, beside.channel) == (Usage(1, None, None), "content")


@pytest.mark.parametrize("usage", [None, {}, {"completion_tokens": None}, {"completion_tokens": True}, "many"])
def test_what_is_no_usage_is_none(usage: object) -> None:
    """Nothing is made up."""
    assert said({"choices": [], "usage": usage}).usage is None


def test_done_is_the_end() -> None:
    """With blanks around it, too."""
    assert read_delta(SentEvent(b"message", b" [DONE]")).done


@pytest.mark.parametrize(
    ("document", "words"),
    [
        ({"error": {"message": "engine dead", "code": 500}}, "engine dead"),
        ({"error": "no"}, "no"),
        ({"detail": [{"msg": "field required"}]}, '{"detail": [{"msg": "field required"}]}'),
        ({"message": "a\nb"}, "a b"),
    ],
)
def test_an_error_keeps_its_words(document: object, words: str) -> None:
    """In one line."""
    assert error_words(document) == words


def test_an_event_named_error_is_one() -> None:
    """Whatever its fields are called."""
    assert said({"message": "boom"}, b"error").error == "boom"


@pytest.mark.parametrize("data", [b"overloaded", b"[1]", b"7", b"[" * 100_000])
def test_what_is_no_object_is_an_error(data: bytes) -> None:
    """Plain words in a stream are a gateway's."""
    assert read_delta(SentEvent(b"message", data)).error
