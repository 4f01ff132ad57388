"""Whose page it is that came: read as text or by a converter, and given to the table that says it is its own. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfconsole.sources.exposition import Page, PageError, PageParser
from perfconsole.sources.otherpages.converters import convert

if TYPE_CHECKING:
    from perfconsole.sources.adapter import Adapter


def recognise(page: Page, adapters: tuple[Adapter, ...]) -> Adapter | None:
    """The adapter whose own series are on the page, with what only the program itself has there."""
    names = {s.name for s in page.series}
    for adapter in adapters:
        if not any(name.startswith(adapter.prefixes) for name in names) or not names.issuperset(
            adapter.requires_series
        ):
            continue
        own = (s for s in page.series if s.name.startswith(adapter.prefixes))
        if not adapter.requires_label or any(adapter.requires_label in dict(s.labels) for s in own):
            return adapter
    return None


def whose(body: bytes, adapters: tuple[Adapter, ...]) -> Adapter | None:
    """The adapter that takes a page as it came; None for what nobody takes, or what is no page."""
    try:
        return recognise(read_page(body, PageParser(), adapters), adapters)
    except PageError:
        return None


def read_page(body: bytes, parser: PageParser, adapters: tuple[Adapter, ...], *, openmetrics: bool = False) -> Page:
    """The page as Prometheus text or, where it is none, as a converter of the adapters reads it.

    PageError, of the text unless the one adapter that there is has pages of another kind.
    """
    names = dict.fromkeys(adapter.converter for adapter in adapters if adapter.converter)
    try:
        return parser.parse(body, openmetrics=openmetrics)
    except PageError as error:
        refused = error
    for name in names:
        try:
            return convert(name, body)
        except PageError as error:
            refused = error if len(adapters) == 1 else refused
    raise refused


def joined(*pages: Page) -> Page:
    """Several pages of one program as one."""
    if len(pages) == 1:
        return pages[0]
    return Page(
        [s for page in pages for s in page.series],
        [v for page in pages for v in page.values],
        {name: kind for page in pages for name, kind in page.types.items()},
        {},
    )
