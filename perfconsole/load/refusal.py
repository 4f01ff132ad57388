"""Which option of a request a server did not take: read from the words of its refusal. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_STATUSES = (400, 422)
_WORDS = (
    "extra_forbidden",  # pydantic: vLLM of old, SGLang, Mistral
    "extra inputs are not permitted",
    "not permitted",
    "unrecognized",  # OpenAI: Unrecognized request argument supplied: ignore_eos
    "unrecognised",
    "unknown",  # serde (TGI, routers): unknown field `ignore_eos`; OpenAI: Unknown parameter
    "unsupported",
    "not supported",
    "not support",  # LiteLLM: openai does not support parameters: ['ignore_eos']
    "not allowed",
    "unexpected",  # Python: got an unexpected keyword argument 'min_tokens'
    "additional properties",
)
_NEAR = 120
"""Characters between the option and the word that refuses it."""
_LISTED = ("expected one of", "use '", "allowed parameters", "supported parameters are")
"""From here on a message names what the server does take."""
_LONGEST = 4_000


def refused_option(status: int, body: str, options: Iterable[str]) -> str | None:
    """The one of `options` that the message refuses; None where it speaks of something else (a length, a model, a key).

    Too large a `max_tokens` is no refusal of the option.
    """
    if status not in _STATUSES:
        return None
    text = body[:_LONGEST].lower()
    text = text[: min((at for mark in _LISTED if (at := text.find(mark)) >= 0), default=len(text))]
    words = [(at, at + len(word)) for word in _WORDS for at in _places(text, word)]
    found = [
        (_gap(word, (at, at + len(option))), option)
        for option in options
        for at in _places(text, option.lower())
        for word in words
        if _alone(text, at, at + len(option))
    ]
    gap, option = min(found, default=(_NEAR + 1, ""))
    return option if gap <= _NEAR else None


def _places(text: str, word: str) -> Iterator[int]:
    at = text.find(word)
    while at >= 0:
        yield at
        at = text.find(word, at + 1)


def _alone(text: str, begin: int, end: int) -> bool:
    """Not a part of a longer name."""
    beside = text[max(0, begin - 1) : begin] + text[end : end + 1]
    return not any(char.isalnum() or char == "_" for char in beside)


def _gap(one: tuple[int, int], other: tuple[int, int]) -> int:
    """Characters between two stretches."""
    return max(0, one[0] - other[1], other[0] - one[1])
