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
    """Gets from the port of its page where it has one of its own."""


NOBODY = Identity()
