"""Tests of the page of indicators: its rows, and that the page in the documentation is up to date."""

from __future__ import annotations

from pathlib import Path

from perfconsole.model.dictionary import DEFAULT, Entry, Fold, Sort
from perfconsole.model.entity import Kind
from perfconsole.view.dictionary_page import dictionary_markdown

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "indicators.md"

ENTRY = Entry(
    name="engine.ttft",
    sort=Sort.HISTOGRAM,
    unit="s",
    scope=Kind.ENGINE,
    definition="a | b, a < b, a * b",
    warn="p95 > 1s",
    critical="p99 > 5s",
    mark_note="proposal",
    origins=("live", "log"),
    owner="inference",
    fold=Fold.SUM,
)


def test_the_page_in_the_documentation_is_the_rendering() -> None:
    """docs/reference/indicators.md equals dictionary_markdown(DEFAULT.entries); write it anew when this fails."""
    assert PAGE.read_text(encoding="utf-8") == dictionary_markdown(DEFAULT.entries)


def test_a_row_holds_all_columns() -> None:
    """Everything that an entry says stands in its row, marks in code and text escaped for a table."""
    assert dictionary_markdown([ENTRY]).splitlines()[-1] == (
        "| `engine.ttft` | histogram | s | engine | a \\| b, a &lt; b, a \\* b "
        "| warn `p95 > 1s`, critical `p99 > 5s`; proposal | sum | live, log | inference |"
    )


def test_each_layer_has_a_heading_with_its_count() -> None:
    """The nine layers follow in order, each with the number of its names."""
    lines = dictionary_markdown(DEFAULT.entries).splitlines()
    headings = [line.removeprefix("## ") for line in lines if line.startswith("## ")]
    assert headings == [
        "client (11)",
        "gateway (51)",
        "orchestration (28)",
        "engine (120)",
        "gpu (64)",
        "host (47)",
        "net (13)",
        "probe (19)",
        "profile (16)",
    ]


def test_every_indicator_has_one_row() -> None:
    """No name is left out or shown twice."""
    rows = [line.split("`")[1] for line in dictionary_markdown(DEFAULT.entries).splitlines() if line.startswith("| `")]
    assert rows == [entry.name for entry in DEFAULT.entries]


def test_no_entries_give_the_introduction_alone() -> None:
    """An empty dictionary is a page without tables."""
    assert "|" not in dictionary_markdown([])
