"""Tests of the list of gateways: every file in the folder is one, and each table fits the dictionary."""

from __future__ import annotations

from pathlib import Path

import pytest

from perfconsole.model.dictionary import DEFAULT
from perfconsole.model.entity import Kind
from perfconsole.sources import gateways
from perfconsole.sources.gateways import adapters

_MAPPED = sorted({row.indicator for a in adapters() for row in a.metrics})


def test_a_file_in_the_folder_is_an_adapter() -> None:
    """Dropping a file in is all it takes."""
    files = {p.stem.replace("_", "-") for p in Path(next(iter(gateways.__path__))).glob("*.py")} - {"--init--"}
    assert {a.name for a in adapters()} == files


@pytest.mark.parametrize("indicator", _MAPPED)
def test_every_mapped_indicator_is_one_of_its_layer(indicator: str) -> None:
    """A table cannot invent a name."""
    entry = DEFAULT.find(indicator)
    assert entry is not None
    assert entry.scope is Kind.GATEWAY


def test_adapters_are_made_once() -> None:
    """The same objects each time, so that their identity tells them."""
    assert adapters() is adapters()
