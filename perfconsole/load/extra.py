"""Fields that a step adds to every request: read and checked once, before the first of them is sent. Pure."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

IMAGE = "image_pixels"
"""The one name that is ours: a square picture with so many pixels a side stands behind the text of each request.
It is made anew for each, as a server keeps what it made of one that it knows."""
_SIDE_MOST = 2_048
_OURS = frozenset(
    ("model", "messages", "prompt", "stream", "stream_options", "max_tokens", "max_completion_tokens", "n", "best_of")
)
"""What the probe itself sets, or what would make several answers of one."""


@dataclass(frozen=True, slots=True)
class Extra:
    """What one step adds."""

    fields: dict[str, Any] = field(default_factory=dict)
    """Top-level fields of the body."""
    image_pixels: int | None = None


def parse_extra(text: str, api: str) -> Extra:
    """Of a JSON object, or of nothing; ValueError says what cannot be added, or to which API."""
    if not text:
        return Extra()
    fields = _object(text)
    taken = sorted(_OURS & fields.keys())
    if taken:
        raise ValueError(f"{', '.join(taken)} cannot be added: the probe sets it")
    side = fields.pop(IMAGE, None)
    if side is None:
        return Extra(fields)
    if api != "chat":
        raise ValueError("only chat takes pictures")
    if type(side) is not int or not 1 <= side <= _SIDE_MOST:
        raise ValueError(f"{IMAGE} is 1 to {_SIDE_MOST}: {side!r}")
    return Extra(fields, side)


def _object(text: str) -> dict[str, Any]:
    try:
        fields = json.loads(text)
        json.dumps(fields, allow_nan=False)
    except (ValueError, RecursionError):
        raise ValueError("the fields to add are no JSON") from None
    if not isinstance(fields, dict):
        raise ValueError("the fields to add are no JSON object")  # noqa: TRY004 - a text that is wrong, not a caller
    return fields
