"""What the exact server does: its model of an engine, the form of its answers, and what goes wrong."""

from __future__ import annotations

import json
from dataclasses import dataclass, fields, replace
from typing import Any, get_type_hints


@dataclass(frozen=True, slots=True)
class Settings:
    """All of it may be changed while the server runs; a request keeps what held when it arrived."""

    # The model: FIFO in front of the slots, prefill, then a token every so often, on a schedule that never drifts.
    slots: int = 256
    itl_ms: float = 5.0
    itl_us_per_running: float = 0.0
    prefill_ms: float = 50.0
    prefill_us_per_token: float = 0.0
    step_sync: bool = False
    """All streams get their tokens at the same moments, as from a real engine."""
    kv_tokens: int = 1_000_000
    """Room for prompts and answers that run; a token that does not fit throws out the youngest request."""
    prefix_cache: bool = False
    """Blocks of 16 words that a prompt shares with the beginning of an earlier one cost no prefill."""
    tokens_per_word: float = 1.0
    template_tokens: int = 8
    model: str = "exact"
    max_model_len: int = 1_000_000
    key: str = ""
    """Where it is set, requests without this bearer token get 401."""

    # The form of an answer.
    head_early: bool = True
    """The HTTP head goes out when the request is taken, not with the first token."""
    role: str = "first"
    """When the event with the role goes out: early (with the head), first (right before the first token), never."""
    text: str = " tok"
    channel: str = "content"
    """content, or tool_calls."""
    reasoning_tokens: int = 0
    reasoning_field: str = "reasoning_content"
    eos_after: int = 0
    """End every answer after so many tokens with `stop`, whatever was asked for."""
    empty_every: int = 0
    """Each so manieth token has an event without text."""
    tokens_per_event: int = 1
    """The first token comes alone; the later ones in events of so many."""
    events_per_write: int = 1
    """The first event is written alone; the later ones so many at a time."""
    split_at: int = 0
    """Each write is cut in two at this byte (size line of the chunk included); the rest comes `split_gap_ms` later."""
    split_gap_ms: float = 1.0
    chunk_at: int = 0
    """Each event is cut into two HTTP chunks at this byte."""
    crlf: bool = False
    space: bool = True
    """A space stands behind `data:`."""
    ping_every: int = 0
    """A comment before each so manieth event."""
    event_lines: bool = False
    """`event:` and `id:` lines in each event."""
    pad_bytes: int = 0
    """Makes each event so much larger."""
    finish_apart: bool = False
    """The reason of the end has an event of its own, without text, behind the last token."""
    done: bool = True
    """The answer ends with [DONE]."""
    usage: str = "asked"
    """asked (an event of its own at the end), never, always (on each event too), last (on the last text event)."""
    close: bool = False
    """The connection is closed after each answer."""
    delimited: bool = False
    """The answer ends with the connection, as in HTTP/1.0: no chunks."""

    # What goes wrong.
    error_share: float = 0.0
    """So many of all requests, evenly spread, get `error_status` instead of an answer."""
    error_status: int = 500
    trouble_share: float = 1.0
    """So many of all requests, evenly spread, have the troubles below."""
    inband_after: int = -1
    """After so many tokens an error event, then the end of the stream."""
    reset_after: int = -1
    """After so many tokens RST."""
    cut_after: int = -1
    """After so many tokens the connection is closed, without an end of the answer."""
    hang: str = ""
    """head, first, mid: nothing more from there on, until it is emptied; the slot stays taken."""
    hang_after: int = 8
    """Tokens before the hang in the middle."""
    refuse: str = ""
    """Fields of a request that are answered with 400, with commas between."""
    garbled: bool = False
    """The answer is not HTTP."""
    metrics_status: int = 200
    metrics_hang: bool = False


_KINDS: dict[str, Any] = get_type_hints(Settings)


def changed(settings: Settings, changes: dict[str, Any]) -> Settings:
    """Settings with other values; ValueError for an unknown name or a value of another type."""
    fit: dict[str, Any] = {}
    for name, value in changes.items():
        kind = _KINDS.get(name)
        if kind is float and isinstance(value, int) and not isinstance(value, bool):
            value = float(value)  # noqa: PLW2901 - JSON has one kind of number
        if kind is None or type(value) is not kind:
            raise ValueError(f"no such setting: {name} = {value!r}")
        fit[name] = value
    return replace(settings, **fit)


def from_words(words: list[str]) -> Settings:
    """Settings from `name=value` words of a command line."""
    given: dict[str, Any] = {}
    for word in words:
        name, _, value = word.partition("=")
        given[name] = value if _KINDS.get(name) is str else json.loads(value)
    return changed(Settings(), given)


def as_dict(settings: Settings) -> dict[str, Any]:
    """Each setting by name."""
    return {field.name: getattr(settings, field.name) for field in fields(settings)}
