"""Whole requests: heads with the right length, JSON with what was asked for, nothing that was refused."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perfconsole.load.bodies import Bodies
from perfconsole.load.prompts import Filler, Texts
from perfconsole.load.sizer import Sizer
from perfconsole.load.wording import Wanted
from perfconsole.model.probeorders import Target
from perfconsole.model.probeplan import SCENARIOS
from perfconsole.probing.scenario import Call, period

FILLER = Filler()
TARGET = Target("http", "127.0.0.1", 8000)
CALL = Call("short-chat", 128, 64)
FIELDS = st.dictionaries(st.sampled_from(("top_k", "seed", "stop")), st.integers() | st.text(), max_size=3)


def _bodies(api: str = "chat", model: str = "m", target: Target = TARGET) -> Bodies:
    return Bodies(target, api, model, Texts(7, FILLER), Sizer())


def _read(request: bytes) -> tuple[list[str], dict[str, Any]]:
    """Lines of the head and the body, which is as long as the head says."""
    head, _, body = request.partition(b"\r\n\r\n")
    lines = head.decode().split("\r\n")
    length = next(line for line in lines if line.startswith("Content-Length:"))
    assert int(length.split()[1]) == len(body)
    read: dict[str, Any] = json.loads(body)
    return lines, read


def test_a_chat_request_asks_for_a_stream_with_usage() -> None:
    """What the probe needs of every server is in the body."""
    lines, body = _read(_bodies().request(CALL, Wanted(0, 0)))
    assert lines[0] == "POST /v1/chat/completions HTTP/1.1"
    assert body.pop("messages")[0]["role"] == "user"
    assert body == {
        "model": "m",
        "max_tokens": 64,
        "stream": True,
        "stream_options": {"include_usage": True},
        "ignore_eos": True,
    }


def test_completions_have_a_prompt() -> None:
    """The older API takes one text and no messages."""
    lines, body = _read(_bodies("completions").request(CALL, Wanted(0, 0)))
    assert lines[0] == "POST /v1/completions HTTP/1.1"
    assert len(body["prompt"].split()) == Sizer().words(128) + 1
    assert "messages" not in body


@settings(max_examples=80, deadline=None)
@given(
    st.sampled_from([name for name in SCENARIOS if name != "mixed"]),
    st.integers(1, 4000),
    st.integers(1, 4000),
    st.sampled_from(("chat", "completions")),
    FIELDS,
    st.sets(st.sampled_from(("max_tokens", "stream_options", "ignore_eos", "min_tokens", "top_k"))),
)
def test_any_request_is_whole_and_carries_what_was_asked(
    scenario: str, prompt: int, output: int, api: str, fields: dict[str, Any], refused: set[str]
) -> None:
    """Any call, any fields and any refusals give a body that parses, holds the rest, and is as long as it says."""
    bodies = _bodies(api, 'a "model" ü')
    for option in refused:
        bodies.drop(option)
    wanted = Wanted(1, 2, extra=json.dumps(fields))
    for stage in period(scenario, prompt, output, (1,))[0]:
        for call in stage:
            _, body = _read(bodies.request(call, wanted))
            assert body["model"] == 'a "model" ü'
            limit = "max_completion_tokens" if "max_tokens" in refused else "max_tokens"
            assert body[limit] == call.output_tokens
            assert all(body[name] == value for name, value in fields.items() if name not in refused)
            assert not refused & body.keys()


def test_min_tokens_takes_the_place_of_a_refused_ignore_eos() -> None:
    """One of the two is enough, and the second is tried only where the first is not known."""
    bodies = _bodies()
    bodies.drop("ignore_eos")
    _, body = _read(bodies.request(CALL, Wanted(0, 0)))
    assert body["min_tokens"] == 64
    assert "min_tokens" in bodies.options()
    bodies.drop("min_tokens")
    _, body = _read(bodies.request(CALL, Wanted(0, 0)))
    assert "min_tokens" not in body


def test_a_step_may_turn_ignore_eos_off() -> None:
    """A schema ends an answer: then neither of the two is forced."""
    _, body = _read(_bodies().request(CALL, Wanted(0, 0, extra='{"ignore_eos": false}')))
    assert body["ignore_eos"] is False
    assert "min_tokens" not in body


def test_what_a_step_is_about_is_no_option_to_drop() -> None:
    """Without its schema the step would compare nothing; a sampling parameter that is not known may go."""
    extra = '{"response_format": {"type": "json_object"}, "top_k": -1}'
    assert _bodies().options(extra) == ("ignore_eos", "max_tokens", "stream_options", "top_k")


def test_options_come_to_an_end() -> None:
    """However often a server refuses, there is nothing left at last."""
    bodies = _bodies()
    for _ in range(10):
        for option in bodies.options()[:1]:
            bodies.drop(option)
    assert bodies.options() == ()


def test_a_conversation_is_messages_in_turn() -> None:
    """User and assistant alternate, and the last word is the user's."""
    turns = [stage[0] for stage in period("long-conversation", 128, 64, (1,))[0]]
    said = [_read(_bodies().request(call, Wanted(5, number)))[1]["messages"] for number, call in enumerate(turns)]
    assert [[m["role"] for m in messages] for messages in said] == [
        (["user", "assistant"] * turn) + ["user"] for turn in range(len(turns))
    ]
    assert all(later[: len(earlier)] == earlier for earlier, later in pairwise(said))


def test_a_picture_stands_behind_the_text_and_is_another_each_time() -> None:
    """A server that keeps what it made of a picture has no use of it."""
    bodies = _bodies()
    urls = []
    for number in range(3):
        _, body = _read(bodies.request(CALL, Wanted(0, number, extra='{"image_pixels": 32}')))
        text, picture = body["messages"][0]["content"]
        assert text["type"] == "text"
        assert "image_pixels" not in body
        urls.append(picture["image_url"]["url"])
    assert len(set(urls)) == 3


def test_what_cannot_be_added_is_said_before_a_request() -> None:
    """A step with a wrong addition fails as a whole."""
    with pytest.raises(ValueError, match="stream cannot be added"):
        _bodies().options('{"stream": false}')
