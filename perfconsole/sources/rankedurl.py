"""URLs of workers with a data-parallel rank behind them, as routers name them: `http://host:8000@1`. Pure."""

from __future__ import annotations

import re

_RANKED = re.compile(r"([a-z][a-z0-9+.-]*://[^@/?#\s]+:[0-9]{1,5})@[0-9]{1,3}/?", re.ASCII)
"""A host is never a bare number of three digits, so that what stands before the sign is no user."""


def without_rank(url: str) -> str:
    """The URL of the worker itself; any other text as it is."""
    ranked = _RANKED.fullmatch(url)
    return ranked[1] if ranked else url
