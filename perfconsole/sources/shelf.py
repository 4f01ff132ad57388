"""Finds the adapters of a package: one data file each, so that a file dropped there is known without another change."""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from perfconsole.sources.adapter import Adapter


def adapters_in(package: str, folders: Iterable[str]) -> tuple[Adapter, ...]:
    """The ADAPTER of every module of a package, by name of the module, those that are generic behind all others."""
    names = sorted(module.name for module in iter_modules(folders))
    found: list[Adapter] = [import_module(f"{package}.{name}").ADAPTER for name in names]
    return tuple(sorted(found, key=lambda adapter: adapter.generic))
