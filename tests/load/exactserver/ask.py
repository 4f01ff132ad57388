"""What a client asks for: the body of a completion request, and why it is refused."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tests.load.exactserver.settings import Settings

APIS = {"/v1/chat/completions": "chat", "/v1/completions": "completions"}
_BLOCK = 16
"""Words of a block of the prefix cache."""
_MAX_BLOCKS = 1_000_000


class RefusedError(Exception):
    """The request is answered with an error: HTTP status and the words of it."""

    def __init__(self, status: int, message: str, kind: str, param: str | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.body = json.dumps({"error": {"message": message, "type": kind, "param": param, "code": status}}).encode()


@dataclass(frozen=True, slots=True)
class Ask:
    """A request that can be served."""

    api: str
    words: tuple[str, ...]
    prompt_tokens: int
    want: int
    stream: bool
    usage: bool
    """`include_usage` was asked for."""
    continuous: bool
    """`continuous_usage_stats` was asked for."""


def parsed(api: str, body: bytes, bearer: str, settings: Settings) -> Ask:
    """What a body asks for; RefusedError where a real engine would refuse it, or the settings say so."""
    if settings.key and bearer != settings.key:
        raise RefusedError(401, "Unauthorized", "AuthenticationError")
    try:
        fields: dict[str, Any] = json.loads(body)
        model, prompt = fields["model"], fields["messages" if api == "chat" else "prompt"]
        words = tuple(_chat_text(prompt).split()) if api == "chat" else _prompt_words(prompt)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise RefusedError(400, f"1 validation error: {error!r}", "Bad Request") from error
    _refuse(fields, model, settings)
    tokens = math.ceil(len(words) * settings.tokens_per_word) + settings.template_tokens * (api == "chat")
    want = fields.get("max_completion_tokens") or fields.get("max_tokens") or 16
    if tokens + want > settings.max_model_len:
        raise RefusedError(
            400,
            f"This model's maximum context length is {settings.max_model_len} tokens. However, you requested {want} "
            f"output tokens and your prompt contains {tokens} input tokens.",
            "BadRequestError",
            "input_tokens",
        )
    options = fields.get("stream_options") or {}
    stream = bool(fields.get("stream"))
    return Ask(
        api,
        words,
        tokens,
        want if not settings.eos_after else min(want, settings.eos_after),
        stream,
        bool(options.get("include_usage")),
        bool(options.get("continuous_usage_stats")),
    )


def _refuse(fields: dict[str, Any], model: str, settings: Settings) -> None:
    for name in filter(None, settings.refuse.split(",")):
        if name in fields:
            raise RefusedError(400, f"Unrecognized request argument supplied: {name}", "invalid_request_error", name)
    if model != settings.model:
        raise RefusedError(404, f"The model `{model}` does not exist.", "NotFoundError", "model")


def _chat_text(messages: list[dict[str, Any]]) -> str:
    """All text of a conversation; a content may be a string or a list of parts."""
    texts = []
    for message in messages:
        content = message.get("content") or ""
        texts += [content] if isinstance(content, str) else [part.get("text", "") for part in content]
    return " ".join(texts)


def _prompt_words(prompt: str | list[Any]) -> tuple[str, ...]:
    """Words of a plain prompt; a list of token numbers has one for each."""
    if isinstance(prompt, str):
        return tuple(prompt.split())
    return tuple(word for part in prompt for word in (part.split() if isinstance(part, str) else (str(part),)))


class PrefixCache:
    """Which beginnings of prompts were seen, in blocks of words."""

    def __init__(self) -> None:
        self._seen: set[int] = set()

    def look_up(self, words: tuple[str, ...]) -> int:
        """How many words at the beginning were seen before; from now on the whole prompt was."""
        known, link, broken = 0, 0, False
        if len(self._seen) > _MAX_BLOCKS:
            self._seen.clear()
        for at in range(0, len(words) - _BLOCK + 1, _BLOCK):
            link = hash((link, words[at : at + _BLOCK]))
            broken = broken or link not in self._seen
            known += 0 if broken else _BLOCK
            self._seen.add(link)
        return known
