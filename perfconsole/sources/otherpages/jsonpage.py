"""The JSON of a page that is no Prometheus text. Pure."""

from __future__ import annotations

import json

from perfconsole.sources.exposition import PageError


def document(body: bytes, refused: str) -> object:
    """What the body says as JSON; PageError with the words `refused` for what is none."""
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        raise PageError(refused) from None
