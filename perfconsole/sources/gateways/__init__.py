"""One data file a gateway; a file dropped here is known without another change."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from perfconsole.sources.shelf import adapters_in

if TYPE_CHECKING:
    from perfconsole.sources.adapter import Adapter


@cache
def adapters() -> tuple[Adapter, ...]:
    """Every gateway adapter, by name."""
    return adapters_in(__name__, __path__)
