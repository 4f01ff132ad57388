"""What the simulated engine takes and gives as chat completions, read by the client of a probe."""

from __future__ import annotations

import json
from typing import Any

import pytest

from perfconsole.demo.model.chat import DONE, MESSAGE_TOKENS, MODELS, ChatError, Words, read_chat
from perfconsole.demo.model.enginepage import MODEL
from perfconsole.demo.model.request import Ask
from perfconsole.load.delta import Usage, read_delta
from perfconsole.load.eventlines import SentEvent

LONGEST = 8192


def body(**changes: object) -> dict[str, Any]:
    """A request for twelve tokens; None leaves a field out."""
    usual: dict[str, Any] = {
        "model": MODEL,
        "stream": True,
        "messages": [{"role": "user", "content": "say it again"}],
        "max_tokens": 12,
        "stream_options": {"include_usage": True},
    }
    return {name: value for name, value in {**usual, **changes}.items() if value is not None}


def data(event: bytes) -> SentEvent:
    """An event as the client cuts it out."""
    return SentEvent(b"message", event.removeprefix(b"data: ").removesuffix(b"\n\n"))


def test_a_word_is_a_token() -> None:
    """Beside those of each message."""
    talk = [{"role": "user", "content": "one two"}, {"role": "assistant", "content": "three"}]
    chat = read_chat(body(messages=talk), LONGEST)
    assert chat.ask == Ask(3 + 2 * MESSAGE_TOKENS, 12, each=True)
    assert chat.usage


@pytest.mark.parametrize("options", [None, {"include_usage": False}, 3])
def test_usage_is_told_only_where_it_is_asked_for(options: object) -> None:
    """As engines do."""
    assert not read_chat(body(stream_options=options), LONGEST).usage


@pytest.mark.parametrize(("changes", "output"), [({"max_tokens": None, "max_completion_tokens": 7}, 7), ({}, 12)])
def test_the_length_of_an_answer_has_two_names(changes: dict[str, object], output: int) -> None:
    """An old one and a new one."""
    assert read_chat(body(**changes), LONGEST).ask.output == output


@pytest.mark.parametrize(
    ("changes", "status"),
    [
        ({"model": "other"}, 404),
        ({"model": None}, 404),
        ({"stream": False}, 400),
        ({"messages": None}, 400),
        ({"messages": []}, 400),
        ({"messages": ["hello"]}, 400),
        ({"messages": [{"role": "user", "content": [{"type": "image_url"}]}]}, 400),
        ({"max_tokens": "many"}, 400),
        ({"max_tokens": -1}, 400),
        ({"max_tokens": LONGEST}, 400),
    ],
)
def test_what_is_not_taken_says_why(changes: dict[str, object], status: int) -> None:
    """In the form that clients read."""
    with pytest.raises(ChatError) as refused:
        read_chat(body(**changes), LONGEST)
    document = json.loads(refused.value.body)["error"]
    assert (document["code"], document["message"]) == (status, str(refused.value))
    assert refused.value.status.startswith(str(status))


def test_each_token_is_an_event_with_text() -> None:
    """The first one too, which names the role beside."""
    words = Words(7, 1_800_000_000)
    assert [read_delta(data(event)).channel for event in (words.first, words.next)] == ["content", "content"]


def test_the_end_has_no_text_and_a_reason() -> None:
    """Then the tokens by the engine's count, and the mark."""
    words = Words(7, 1_800_000_000)
    end = read_delta(data(words.end()))
    assert (end.channel, end.finish) == ("", True)
    assert read_delta(data(words.usage(20, 12))).usage == Usage(12, 20, None)
    assert read_delta(data(DONE)).done


def test_the_model_is_named() -> None:
    """By the name of the metrics page."""
    assert [row["id"] for row in json.loads(MODELS)["data"]] == [MODEL]
