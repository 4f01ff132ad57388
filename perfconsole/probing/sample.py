"""A recorded sample of real traffic: when requests came, and how long they were. Pure; the lines are given.

Only moments and lengths are taken. Texts of users are never sent anywhere: where a row has a text and no count, its
length stands for the tokens. That requests began alike (`hash_ids`) is not taken either.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime
from itertools import islice
from typing import TYPE_CHECKING, Any

from perfconsole.model.probeorders import Arrival

if TYPE_CHECKING:
    from collections.abc import Iterable

MOST = 100_000
"""Requests of a sample."""
CHARACTERS_PER_TOKEN = 4
"""Of English text."""
_MOMENT = ("t", "timestamp")
_PROMPT = ("prompt_tokens", "input_length", "input_tokens")
_OUTPUT = ("output_tokens", "output_length", "completion_tokens")
_LONGEST = 10_000_000
_MILLISECONDS_FROM = 1e11
"""A moment above it is epoch milliseconds: as seconds it would be the year 5138."""
_LATEST = 1e15


def read_sample(lines: Iterable[str], name: str, most: int = MOST) -> tuple[Arrival, ...]:
    """The requests of a JSONL file, sorted, the first at 0; empty lines are passed over.

    A row has `t` or `timestamp` (epoch seconds or milliseconds, seconds from any start, or ISO 8601; milliseconds in
    rows with `hash_ids`, as Mooncake's traces), the length of the prompt (`prompt_tokens`, `input_length`, or a
    `prompt` or `messages`), and of the answer (`output_tokens`, `output_length`).

    ValueError with `name`, the line and what is wrong with it; also for more than `most` requests, or none.
    """
    rows = ((number, line) for number, line in enumerate(lines, start=1) if line.strip())
    found = [_arrival(name, number, line) for number, line in islice(rows, most)]
    further = next(rows, None)
    if further is not None:
        raise ValueError(f"{name} line {further[0]}: more than {most} requests; cut the sample")
    if not found:
        raise ValueError(f"{name}: no request in it")
    first = min(arrival.at for arrival in found)
    moved = (Arrival(row.at - first, row.prompt_tokens, row.output_tokens) for row in found)
    return tuple(sorted(moved, key=lambda arrival: arrival.at))


def _arrival(name: str, number: int, line: str) -> Arrival:
    try:
        row = _row(line)
        return Arrival(_moment(row), _prompt(row), _tokens(row, _OUTPUT))
    except ValueError as error:
        raise ValueError(f"{name} line {number}: {error}") from None


def _row(line: str) -> dict[str, Any]:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):
        raise ValueError("not JSON") from None
    if not isinstance(row, dict):
        raise ValueError("not a JSON object")  # noqa: TRY004 - a file that is wrong, not a caller
    return row


def _moment(row: dict[str, Any]) -> float:
    field = next((field for field in _MOMENT if field in row), None)
    if field is None:
        raise ValueError("no t and no timestamp")
    value = row[field]
    if isinstance(value, str):
        return _iso(field, value)
    if type(value) not in (int, float) or not 0 <= value < _LATEST:
        raise ValueError(f"{field} is no moment: {str(value)[:40]}")
    milliseconds = value > _MILLISECONDS_FROM or (field == "timestamp" and "hash_ids" in row)
    return value / 1000 if milliseconds else float(value)


def _iso(field: str, text: str) -> float:
    """Epoch seconds; a time without a zone is taken as UTC, since only differences count."""
    try:
        found = datetime.fromisoformat(text)
        return (found if found.tzinfo else found.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError):
        raise ValueError(f"{field} is no moment: {text[:40]}") from None


def _prompt(row: dict[str, Any]) -> int:
    if any(field in row for field in _PROMPT):
        return _tokens(row, _PROMPT)
    characters = _characters(row.get("prompt")) + _characters(row.get("messages"))
    if not characters:
        raise ValueError(f"no length of the prompt: {', '.join(_PROMPT)}, prompt or messages")
    return max(1, min(_LONGEST, characters // CHARACTERS_PER_TOKEN))


def _tokens(row: dict[str, Any], fields: tuple[str, ...]) -> int:
    field = next((field for field in fields if field in row), None)
    if field is None:
        raise ValueError(f"no {', '.join(fields[:-1])} or {fields[-1]}")
    value = row[field]
    if type(value) is not int or not 1 <= value <= _LONGEST:
        raise ValueError(f"{field} is no number of tokens from 1 on: {str(value)[:40]}")
    return value


def _characters(held: object) -> int:
    """Of a text, of messages, or of the text parts in them."""
    if isinstance(held, str):
        return len(held)
    if isinstance(held, dict):
        return _characters(held.get("content")) + _characters(held.get("text"))
    return sum(_characters(part) for part in held) if isinstance(held, list) else 0
