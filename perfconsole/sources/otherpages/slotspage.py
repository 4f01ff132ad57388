"""The slots of a llama.cpp server as four numbers. Prompts, parameters and answers that stand there are not looked at.

`/slots` is a list of objects. What a slot holds is told in one of these ways, newest first: `n_prompt_tokens`, from
late 2025 on the whole sequence and before that the prompt alone, with the tokens made so far in `next_token` (an object
that became a list of one); `n_past`; or not at all. A slot is at work by `is_processing`, in old builds by `state`.
"""

from __future__ import annotations

from perfconsole.sources.exposition import Page, PageError, RawSeries
from perfconsole.sources.otherpages.jsonpage import document

MOST_SLOTS = 4096
_REFUSED = "it is no list of llama.cpp's slots"
_NAMES = ("llamacpp:slots", "llamacpp:slots_busy", "llamacpp:slots_context_tokens", "llamacpp:slots_held_tokens")


def slots_page(body: bytes) -> Page:
    """Number of slots, of those at work, their context together, and the tokens that those at work hold.

    The last one is left out where some slot at work does not tell; PageError for what is no list of slots.
    """
    slots = _slots(body)
    busy = [slot for slot in slots if _is_busy(slot)]
    context = [_count(slot, "n_ctx") for slot in slots]
    if not slots or any(size is None for size in context):
        raise PageError(_REFUSED)
    held = [_held(slot) for slot in busy]
    values: list[float] = [len(slots), len(busy), sum(c for c in context if c is not None)]
    if None not in held:
        values.append(sum(h for h in held if h is not None))
    series = [RawSeries(name, ()) for name, _ in zip(_NAMES, values, strict=False)]
    return Page(series, [float(v) for v in values], dict.fromkeys(_NAMES[: len(values)], "gauge"), {})


def _slots(body: bytes) -> list[dict[str, object]]:
    listed = document(body, _REFUSED)
    if not isinstance(listed, list) or len(listed) > MOST_SLOTS:
        raise PageError(_REFUSED)
    slots = [slot for slot in listed if isinstance(slot, dict) and "id" in slot]
    if len(slots) != len(listed):
        raise PageError(_REFUSED)
    return slots


def _is_busy(slot: dict[str, object]) -> bool:
    at_work = slot.get("is_processing")
    return at_work if isinstance(at_work, bool) else bool(_count(slot, "state"))


def _held(slot: dict[str, object]) -> int | None:
    """Tokens in the cache for this slot, None where it does not say; never more than its context."""
    prompt, context = _count(slot, "n_prompt_tokens"), _count(slot, "n_ctx") or 0
    if prompt is None:
        past = _count(slot, "n_past")
        return None if past is None else min(past, context)
    made = _made(slot)
    worked = sum(_count(slot, name) or 0 for name in ("n_prompt_tokens_cache", "n_prompt_tokens_processed"))
    whole = prompt >= worked + made - 1  # the last token made is not yet in the cache
    return min(prompt if whole else prompt + made, context)


def _made(slot: dict[str, object]) -> int:
    following = slot.get("next_token")
    if isinstance(following, list):
        following = following[0] if following else None
    return (_count(following, "n_decoded") or 0) if isinstance(following, dict) else 0


def _count(slot: dict[str, object], name: str) -> int | None:
    """A whole number of at least 0, as JSON has it; None for anything else."""
    value = slot.get(name)
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**53 else None
