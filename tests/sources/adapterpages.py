"""Every adapter with its pages, found by their names: `tests/captures/NAME/` and `NAME_VARIANT/`.

Of a name that tables of several layers have, `NAME_LAYER*/` (as `dynamo_gateway/`) holds pages of that layer only.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from perfconsole.sources.catalogue import LAYERS, adapters_of
from perfconsole.sources.exposition import Page, PageError, PageParser
from perfconsole.sources.otherpages.converters import CONVERTERS, convert

if TYPE_CHECKING:
    from perfconsole.sources.adapter import Adapter
    from perfconsole.sources.layer import Layer

CAPTURES = Path(__file__).parent.parent / "captures"
WRITTEN = b"# written from the catalogue: "
_ENDINGS = {".prom", ".txt", ".json"}


class Table(NamedTuple):
    """An adapter in its layer."""

    layer: Layer
    adapter: Adapter

    def __str__(self) -> str:
        return f"{self.layer.noun}-{self.adapter.name}"


def tables() -> list[Table]:
    """Every adapter that has rows."""
    shelves = ((layer, adapters_of(name)) for name, layer in LAYERS.items())
    return [Table(layer, adapter) for layer, shelf in shelves for adapter in shelf if adapter.metrics]


def pages_of(table: Table) -> list[Path]:
    """Files of its pages: those that are read as one are the adapter's, whatever else lies beside them."""
    name = table.adapter.name
    theirs = {layer.noun: f"{name}_{layer.noun}" for layer in LAYERS.values()}
    own = theirs.pop(table.layer.noun)
    every = [f for f in sorted(CAPTURES.iterdir()) if f.name == name or f.name.startswith(f"{name}_")]
    named = [f for f in every if f.name.startswith(own)]
    folders = named or [f for f in every if not f.name.startswith(tuple(theirs.values()))]
    files = (file for folder in folders for file in sorted(folder.iterdir()) if file.suffix in _ENDINGS)
    return [file for file in files if read(file, table.adapter) is not None]


def read(path: Path, adapter: Adapter) -> Page | None:
    """A page as Prometheus text or by one of the adapter's converters; None for a file that is none."""
    body = path.read_bytes()
    names = (adapter.converter, *(side.converter for side in adapter.beside))
    for name in names:
        if name in CONVERTERS:
            try:
                return convert(name, body)
            except PageError:
                continue
    try:
        page = PageParser().parse(body)
    except PageError:
        return None
    return page if page.series else None
