"""What the simulated engine takes and gives as OpenAI's chat completions: streamed, and nothing that looks like text.

Pure. A word of a prompt is a token, and each message adds some: the engine model wants to know lengths only.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from perfconsole.demo.model.enginepage import MODEL
from perfconsole.demo.model.request import Ask

MODELS = json.dumps({"object": "list", "data": [{"id": MODEL, "object": "model", "max_model_len": 8192}]}).encode()
MESSAGE_TOKENS = 4
"""Marks of a message, as in a chat template."""
_USUAL_OUTPUT = 140
"""Of an answer whose length nobody asked for."""
_WORD = " sim"
DONE = b"data: [DONE]\n\n"


class ChatError(ValueError):
    """A request that is not taken, with the status that says so."""

    def __init__(self, status: str, message: str) -> None:
        super().__init__(message)
        self.status = status

    @property
    def body(self) -> bytes:
        """The error as engines write it."""
        code = int(self.status.split(" ", 1)[0])
        return json.dumps({"error": {"message": str(self), "type": "BadRequestError", "code": code}}).encode()


@dataclass(frozen=True, slots=True)
class Chat:
    """One request."""

    ask: Ask
    usage: bool
    """How many tokens there were is to be told at the end."""


def read_chat(document: dict[str, Any], longest: int) -> Chat:
    """The request in a body; ChatError for one that is not taken. `longest` is the most tokens of prompt and answer."""
    if document.get("model") != MODEL:
        raise ChatError("404 Not Found", f"The model `{document.get('model')}` does not exist.")
    if not document.get("stream"):
        raise ChatError("400 Bad Request", 'the simulated engine only streams: add "stream": true')
    messages = document.get("messages")
    if not isinstance(messages, list) or not messages:
        raise ChatError("400 Bad Request", "messages must be a list with a message in it")
    prompt = sum(map(_tokens, messages))
    output = document.get("max_tokens") or document.get("max_completion_tokens") or _USUAL_OUTPUT
    if not isinstance(output, int) or output < 1:
        raise ChatError("400 Bad Request", f"max_tokens must be at least 1, got {output!r}.")
    if prompt + output > longest:
        said = f"{prompt} in the messages, {output} in the completion"
        raise ChatError("400 Bad Request", f"This model's maximum context length is {longest} tokens ({said}).")
    options = document.get("stream_options")
    return Chat(Ask(prompt, output, each=True), isinstance(options, dict) and bool(options.get("include_usage")))


def _tokens(message: object) -> int:
    content = message.get("content") if isinstance(message, dict) else None
    if not isinstance(content, str):
        raise ChatError("400 Bad Request", "the simulated engine takes text only")
    return MESSAGE_TOKENS + len(content.split())


class Words:
    """The events of one answer, made ready once: a token costs no more than its bytes."""

    def __init__(self, number: int, born: int) -> None:
        self._head = {"id": f"chatcmpl-sim-{number}", "object": "chat.completion.chunk", "created": born}
        self.first = self._event({"role": "assistant", "content": _WORD})
        self.next = self._event({"content": _WORD})

    def end(self) -> bytes:
        """That it is as long as it was asked for."""
        return self._event({}, "length")

    def usage(self, prompt: int, output: int) -> bytes:
        """How many tokens there were."""
        counts = {"prompt_tokens": prompt, "completion_tokens": output, "total_tokens": prompt + output}
        return _line({**self._head, "model": MODEL, "choices": [], "usage": counts})

    def _event(self, delta: dict[str, str], reason: str | None = None) -> bytes:
        choice = {"index": 0, "delta": delta, "finish_reason": reason}
        return _line({**self._head, "model": MODEL, "choices": [choice]})


def _line(document: dict[str, Any]) -> bytes:
    return b"data: " + json.dumps(document, separators=(",", ":")).encode() + b"\n\n"
