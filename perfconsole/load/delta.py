"""What one event of a streamed answer says: text, in which channel, how many tokens, an error, the end."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from perfconsole.load.eventlines import SentEvent

REASONING = ("reasoning_content", "reasoning", "reasoning_details")
ANSWER = ("content", "text", "refusal")
_DETAIL = 200
_DECODE = json.JSONDecoder().decode


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens by the server's own count."""

    output: int
    prompt: int | None
    cached: int | None


@dataclass(frozen=True, slots=True)
class Delta:
    """One event, read."""

    channel: str = ""
    """Name of the field with text; empty for an event without any."""
    held: bool = False
    """A token without text of its own: half a character, whose other half comes with a later one."""
    usage: Usage | None = None
    error: str = ""
    done: bool = False
    finish: bool = False
    """The model says that it is the last."""

    @property
    def reasoning(self) -> bool:
        """The text is not yet the answer itself."""
        return self.channel in REASONING


_DONE = Delta(done=True)
NOTHING = Delta()


def read_delta(event: SentEvent) -> Delta:
    """What the event says; one that is no JSON object is an error."""
    if event.data.strip() == b"[DONE]":
        return _DONE
    try:
        document = _DECODE(event.data.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return Delta(error=_words(event.data.decode("utf-8", "replace")) or "an empty event")
    if not isinstance(document, dict):
        return Delta(error=_words(str(document)))
    fault = document.get("error")
    if fault or event.name == b"error":
        return Delta(error=error_words(document))
    return _read(document)


def _read(document: dict[str, object]) -> Delta:
    usage = _usage(document.get("usage"))
    choices = document.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices else None
    if not isinstance(choice, dict):
        return Delta(usage=usage) if usage else NOTHING
    part = choice.get("delta")
    fields = part if isinstance(part, dict) else choice
    finish = choice.get("finish_reason") is not None
    channel = _channel(fields)
    held = not channel and not finish and "role" not in fields and any(fields.get(name) == "" for name in ANSWER)
    return Delta(channel, held, usage, finish=finish)


def _channel(fields: dict[str, object]) -> str:
    for name in (*ANSWER, *REASONING):
        if fields.get(name):
            return name
    calls = fields.get("tool_calls")
    for call in calls if isinstance(calls, list) else ():
        function = call.get("function") if isinstance(call, dict) else None
        if isinstance(function, dict) and (function.get("arguments") or function.get("name")):
            return "tool_calls"
    return ""


def _usage(found: object) -> Usage | None:
    if not isinstance(found, dict):
        return None
    output = _whole(found.get("completion_tokens"))
    if output is None:
        return None
    details = found.get("prompt_tokens_details")
    cached = _whole(details.get("cached_tokens")) if isinstance(details, dict) else None
    return Usage(output, _whole(found.get("prompt_tokens")), cached)


def _whole(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def error_words(document: object) -> str:
    """The message of an error document, in one line; its JSON where it has none."""
    found = document
    for _ in range(3):
        if not isinstance(found, dict):
            break
        found = next((found[name] for name in ("error", "message", "detail") if found.get(name)), None)
    return _words(found if isinstance(found, str) else json.dumps(document))


def _words(text: str) -> str:
    return " ".join(text.split())[:_DETAIL]
