"""Tests of the Markdown page of a probe."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings

from perfconsole.view.probemarkdown import probe_markdown
from tests.view.flames import NAMES
from tests.view.probes import EMPTY, QUEUE_BOUND, RESULTS, named

PICTURE = "![x](http://evil.example/x) `a` <img> | b\n# heading"


def test_it_begins_with_the_verdict() -> None:
    """Line by line."""
    assert probe_markdown(QUEUE_BOUND, "confirmed").split("\n")[:7] == [
        "# Probe of http://127.0.0.1:8000",
        "",
        (
            "**knee at 16: queueing (2,992 tokens/s at 16 at a time, +0% at 64 at a time; "
            "TTFT p50 went from 52 ms to 1.97 s)**"
        ),
        "",
        "- asked by: Requests wait although memory is free",
        "- the finding: confirmed",
        "- goodput: 23.4 requests/s at 16: 94-100% within TTFT 1.5 s, TPOT 80 ms",
    ]


@pytest.mark.parametrize("name", RESULTS)
def test_every_row_of_a_table_has_as_many_cells_as_its_head(name: str) -> None:
    """Else it is shown as text."""
    heads = 0
    for line in probe_markdown(RESULTS[name]).split("\n"):
        cells = line.count("|")
        heads = heads or cells
        assert cells in (0, heads) or line.startswith((" ", "`")) or "p50 |" in line
        heads = cells and heads


def test_curves_are_drawn_in_characters() -> None:
    """Three of them, with the knee."""
    page = probe_markdown(QUEUE_BOUND)
    assert page.count("```text") == 3
    assert page.count("[16]") >= 6


def test_nothing_measured_has_no_curves() -> None:
    """And no tables."""
    page = probe_markdown(replace(EMPTY, steps=()))
    assert "```" not in page
    assert "|" not in page


@settings(max_examples=20)
@given(NAMES.filter(bool))
def test_text_from_outside_adds_no_line(words: str) -> None:
    """Neither a heading nor a row of a table."""
    assert probe_markdown(named(words)).count("\n") == probe_markdown(named("x")).count("\n")


def test_text_from_outside_is_no_markup() -> None:
    """No picture is fetched because a model is called so."""
    page = probe_markdown(named(PICTURE))
    assert "![x]" not in page
    assert "<img>" not in page
    assert "\\!\\[x\\](http://evil.example/x) \\`a\\` &lt;img> \\| b\\\\x0a\\# heading" in page
