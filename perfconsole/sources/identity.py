"""What a program is by its process, for the sources that poll it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from perfconsole.sources.adapter import Adapter
    from perfconsole.sources.http import Fetcher


class Identity(NamedTuple):
    """Both are None where nothing tells them."""

    adapter: Adapter | None = None
    pages: Fetcher | None = None
    """Gets from where its page is, where that is told."""
    path: str = ""
    """Path of the page there; empty for those of the adapter."""
    apart: bool = True
    """The page has a port of its own."""


NOBODY = Identity()
