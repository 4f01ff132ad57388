"""The further pages of a target that are read beside its page of metrics."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfconsole.sources.exposition import Page, PageError
from perfconsole.sources.http import FetchError
from perfconsole.sources.otherpages.converters import convert

if TYPE_CHECKING:
    from perfconsole.sources.adapter import Adapter
    from perfconsole.sources.http import Fetcher


def side_pages(adapter: Adapter | None, fetcher: Fetcher) -> tuple[Page, ...]:
    """Those of the adapter that came and are what they should be; what another one would say is missing."""
    found = []
    for side in adapter.beside if adapter else ():
        try:
            reply = fetcher.get(side.path)
            found += [convert(side.converter, reply.body)] if reply.status == 200 else []
        except (FetchError, PageError):
            continue
    return tuple(found)
