"""Two kinds of request that differ in one thing, for `compare-variants`. Pure."""

from __future__ import annotations

import json
from typing import Any

SAMPLING, SCHEMA, MEDIA = "sampling", "schema", "media"
VARIES = (SAMPLING, SCHEMA, MEDIA)

Variant = tuple[str, str]
"""Label of its steps, and the JSON object that they add to every request."""

_NEUTRAL: dict[str, Any] = {
    "temperature": 1.0,
    "top_p": 1.0,
    "top_k": -1,
    "min_p": 0.0,
    "repetition_penalty": 1.0,
    "repeat_penalty": 1.0,
    "presence_penalty": 0.0,
    "frequency_penalty": 0.0,
}
"""Turns off whatever a server's defaults turn on: `repetition_penalty` in vLLM and SGLang, `repeat_penalty` in
llama.cpp; what a server refuses is left out. `logprobs` is not among them: none has it on by default, and its type
differs between chat and completions."""
_PIXELS = 224
"""Side of a picture: the usual input of a vision encoder, one tile in most."""
_TOKENS_PER_FIELD, _FIELDS_MOST = 12, 48
"""A name, its marks and a short value; a schema with more fields takes a compiler seconds."""


def variants(vary: str, output_tokens: int) -> tuple[Variant, Variant]:
    """The two variants, the one that is usual first; ValueError for what cannot be varied.

    sampling: `default` and `neutral`; schema: `plain` and `schema`; media: `text` and `media`.
    """
    if vary == SAMPLING:
        return ("default", ""), ("neutral", json.dumps(_NEUTRAL))
    if vary == SCHEMA:
        return _schema_variants(output_tokens)
    if vary == MEDIA:
        return ("text", ""), ("media", json.dumps({"image_pixels": _PIXELS}))
    raise ValueError(f"no such thing to vary: {vary}; one of {', '.join(VARIES)}")


def _schema_variants(output_tokens: int) -> tuple[Variant, Variant]:
    """A schema ends an answer by itself; a server that may not end there would go on with what no schema allows.

    So neither variant ignores the end, or they would differ in two things.
    """
    wanted = {
        "type": "json_schema",
        "json_schema": {"name": "report", "strict": True, "schema": _schema(output_tokens)},
    }
    ends = {"ignore_eos": False}
    return ("plain", json.dumps(ends)), ("schema", json.dumps({**ends, "response_format": wanted}))


def _schema(output_tokens: int) -> dict[str, Any]:
    """An object with so many fields that its answer is about as long as wanted; all are required, of changing types."""
    kinds: tuple[dict[str, Any], ...] = (
        {"type": "string"},
        {"type": "number"},
        {"type": "array", "items": {"type": "string"}},
        {"type": "string", "enum": ["low", "medium", "high"]},
    )
    many = max(2, min(_FIELDS_MOST, output_tokens // _TOKENS_PER_FIELD))
    fields = {f"field_{index}": kinds[index % len(kinds)] for index in range(many)}
    return {"type": "object", "properties": fields, "required": list(fields), "additionalProperties": False}
