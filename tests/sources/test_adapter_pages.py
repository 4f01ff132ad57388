"""Tests of every adapter on its pages: a table and a page in their folders are all that these need."""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING

import pytest

from perfconsole.model.dictionary import DEFAULT
from perfconsole.model.dictionary.entry import Sort
from perfconsole.model.dictionary.ranges import range_of
from perfconsole.model.entity import Entity
from perfconsole.model.sample import Histogram, Sample
from perfconsole.sources.catalogue import LAYERS, adapters_of
from perfconsole.sources.layer import ENGINE
from perfconsole.sources.mapping.mapper import PageMapper
from perfconsole.sources.whosepage import joined, recognise
from tests.sources.adapterpages import Table, pages_of, read, tables

if TYPE_CHECKING:
    from pathlib import Path

    from perfconsole.sources.adapter import Metric
    from perfconsole.sources.exposition import Page

TABLES = tables()
PAGES = [(table, page) for table in TABLES for page in pages_of(table)]
MOST_SECONDS = 1e6
"""Above this a bound is no number of seconds but of milliseconds or less."""

each_table = pytest.mark.parametrize("table", TABLES, ids=str)


def _id(value: Table | Path) -> str:
    return str(value) if isinstance(value, Table) else value.name


each_page = pytest.mark.parametrize(("table", "path"), PAGES, ids=_id)


def parsed(path: Path, table: Table) -> Page:
    """A page that was found to be one."""
    page = read(path, table.adapter)
    assert page is not None
    return page


def samples(table: Table, path: Path) -> tuple[Sample, ...]:
    """What the table makes of a page."""
    entity = Entity(table.layer.kind, table.adapter.name)
    return PageMapper(table.adapter, DEFAULT).map(parsed(path, table), entity).samples


@each_table
def test_a_table_has_a_page(table: Table) -> None:
    """No table without something to try it on."""
    assert pages_of(table)


@each_page
def test_a_page_is_taken_by_its_own_table(table: Table, path: Path) -> None:
    """Asked layer by layer as discovery does, its own table says first that the page is its own."""
    page = parsed(path, table)
    named = [name for name, layer in LAYERS.items() if layer is table.layer]
    for name in LAYERS:
        found = recognise(page, adapters_of(name))
        if name in named:
            assert found is table.adapter or _beside_only(table, path)
            return
        assert found is None or _in_both(table, found.name)


def _beside_only(table: Table, path: Path) -> bool:
    """A page that stands beside the main one is never taken by itself, nor one of an engine without statistics."""
    return path.suffix == ".json" or bool(table.adapter.silent_hint)


def _in_both(table: Table, name: str) -> bool:
    """Programs whose page has both an engine and what stands in front of it."""
    return name == table.adapter.name


@each_table
def test_every_row_is_filled_by_some_page(table: Table) -> None:
    """A name that no page has is a mistake, unless the row says that it is optional."""
    page = joined(*(parsed(path, table) for path in pages_of(table)))
    names = {series.name for series in page.series}
    missing = [row.metric for row in table.adapter.metrics if not row.optional and not _names(row) <= names]
    assert missing == []


def _names(row: Metric) -> set[str]:
    """Sample names without which the row has no value."""
    if row.zero_with:
        return set()
    entry = DEFAULT.find(row.indicator)
    assert entry is not None
    whole = row.indicator == entry.name and entry.sort is Sort.HISTOGRAM and row.count is None
    own = {f"{row.metric}_sum", f"{row.metric}_count"} if whole else {row.metric}
    return own | {operand.metric for operand in (row.times, row.over, row.count) if operand}


@each_table
def test_a_table_states_nothing_that_nobody_reads(table: Table) -> None:
    """Info routes, command lines and side pages are read of engines only."""
    adapter = table.adapter
    engines_own = (adapter.info_facts, adapter.flags, adapter.defaults, adapter.beside, adapter.version_route)
    assert table.layer is ENGINE or not any(engines_own)


@each_table
def test_a_row_of_every_indicator_maps_into_the_dictionary(table: Table) -> None:
    """A table fills entities of its own layer only."""
    kinds = {_scope(row.indicator) for row in table.adapter.metrics}
    assert kinds <= {table.layer.kind, "rank"}


def _scope(indicator: str) -> str:
    entry = DEFAULT.find(indicator)
    assert entry is not None
    return entry.scope


@each_page
def test_what_is_mapped_is_in_base_units(table: Table, path: Path) -> None:
    """Finite, within what the indicator can be, and seconds that are seconds."""
    for sample in samples(table, path):
        entry = DEFAULT.find(sample.key.indicator)
        assert entry is not None
        value = sample.value
        if isinstance(value, Histogram):
            assert isfinite(value.total)
            assert entry.unit != "s" or all(b < MOST_SECONDS for b in value.bounds[:-1])
            continue
        assert isfinite(value)
        low, high = range_of(entry)
        assert low <= value <= high or _counts(sample.key.labels)


def _counts(labels: tuple[tuple[str, str], ...]) -> bool:
    """A part of a ratio made of counters, such as a place of a draft, or a counter that stands for a rate."""
    return any(name in ("part", "counted", "position") for name, _ in labels)


@each_page
def test_no_two_series_fill_one_part(table: Table, path: Path) -> None:
    """What is told apart on the page is told apart in what is handed on."""
    keys = [sample.key for sample in samples(table, path)]
    assert len(keys) == len(set(keys))


@pytest.mark.parametrize(("table", "path"), [pair for pair in PAGES if pair[0].adapter.copy_labels], ids=_id)
def test_each_copy_counts_once(table: Table, path: Path) -> None:
    """A page whose series stand there again for another tensor rank gives the same counts."""
    page = parsed(path, table)
    label = table.adapter.copy_labels[0]
    kind = type(page.series[0])
    again = [
        kind(s.name, tuple((n, "7" if n == label else v) for n, v in s.labels))
        for s in page.series
        if label in dict(s.labels)
    ]
    values = [v for s, v in zip(page.series, page.values, strict=True) if label in dict(s.labels)]
    entity = Entity(table.layer.kind, "x")
    once = PageMapper(table.adapter, DEFAULT).map(page, entity).samples
    twice = type(page)([*page.series, *again], [*page.values, *values], page.types, {})
    assert PageMapper(table.adapter, DEFAULT).map(twice, entity).samples == once
