"""Which models a target serves, by the one question that a probe asks itself: GET /v1/models."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from perfconsole.sources.http import Fetcher, FetchError, Limits
from perfconsole.sources.web.failure import printable

if TYPE_CHECKING:
    from collections.abc import Mapping

PATH = "/v1/models"
_WAIT_S = 5.0
_MOST_NAMES = 1_000
_LONGEST = 200
_KEYED = (401, 403)
_NAMED = "--model NAME"


@dataclass(frozen=True, slots=True)
class Served:
    """What the target said."""

    models: tuple[str, ...] = ()
    trouble: str = ""
    """Why there is no name, in words; empty where there is one."""
    option: str = ""
    """What `perfconsole probe` takes that helps."""
    answered: bool = True
    """It speaks HTTP, whatever it said."""


def served_models(url: str, headers: Mapping[str, str]) -> Served:
    """Ask the target at a base URL; waits 5 s at most. UsageError for a URL or a header that cannot be used."""
    fetcher = Fetcher(url, headers=headers, limits=Limits(total_s=_WAIT_S))
    try:
        reply = fetcher.get(PATH)
    except FetchError as error:
        return Served(trouble=str(error), answered=False)
    finally:
        fetcher.close()
    if reply.status in _KEYED:
        return Served(trouble=f"HTTP {reply.status} from {reply.url}: it wants a key", option="--token-env VARIABLE")
    if reply.status != 200:
        return Served(trouble=f"HTTP {reply.status} from {reply.url}: is the path right?", option=_NAMED)
    models = _names(reply.body)
    return Served(models) if models else Served(trouble=f"{reply.url} names no model", option=_NAMED)


def _names(body: bytes) -> tuple[str, ...]:
    """The ids of OpenAI's list; nothing of a page that is none."""
    try:
        document = json.loads(body)
    except (ValueError, RecursionError):
        return ()
    rows = document.get("data") if isinstance(document, dict) else None
    found = (row.get("id") for row in rows[:_MOST_NAMES] if isinstance(row, dict)) if isinstance(rows, list) else ()
    return tuple(name for name in found if isinstance(name, str) and _usable(name))


def _usable(name: str) -> bool:
    return 0 < len(name) <= _LONGEST and printable(name) == name
