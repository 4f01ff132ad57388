"""One data file an engine; a file dropped here is known without another change."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from perfconsole.sources.adapter import Adapter


@cache
def adapters() -> tuple[Adapter, ...]:
    """Every engine adapter, by name."""
    names = sorted(module.name for module in iter_modules(__path__))
    return tuple(import_module(f"{__name__}.{name}").ADAPTER for name in names)
