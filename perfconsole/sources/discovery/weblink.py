"""URLs of what a target calls, cut down to what may be kept: scheme, host and port. Pure."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from perfconsole.errors import UsageError
from perfconsole.sources.rankedurl import without_rank
from perfconsole.sources.web.address import parse_address

if TYPE_CHECKING:
    from collections.abc import Iterable

_MAX = 64
"""Upstreams of one target that are kept."""
_LISTED = re.compile(r",\s*(?=https?://)")
"""Between the URLs of a list in one word. Not any comma: one may stand in a password."""


@lru_cache(maxsize=4096)
def base_url(text: str) -> str:
    """Scheme, host and port of a URL; empty for what is none: no user, key, path or query stays."""
    if "://" not in text:
        return ""
    try:
        address = parse_address(without_rank(text).partition("?")[0].partition("#")[0])
    except UsageError:
        return ""
    return f"{address.scheme}://{address.shown}"


def base_urls(texts: Iterable[str]) -> tuple[str, ...]:
    """The URLs among the texts, each once, in their order; a text may be a list of them with commas."""
    words = (word for text in texts for word in _LISTED.split(text))
    return tuple(dict.fromkeys(url for word in words if (url := base_url(word))))[:_MAX]


@lru_cache(maxsize=4096)
def place_of(url: str) -> tuple[str, int]:
    """Host and port of a base URL; the host is 127.0.0.1 for every name of this host."""
    address = parse_address(url)
    return ("127.0.0.1" if address.loopback or address.host == "0.0.0.0" else address.host), address.origin[2]  # noqa: S104
