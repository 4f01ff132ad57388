"""Tests of whole distributions."""

from __future__ import annotations

from dataclasses import replace

from perfconsole.model.proberesult import Spread
from perfconsole.view.probespreads import spread_lines, spread_rows
from tests.view.probes import EMPTY, QUEUED


def test_each_quantity_of_each_step_has_all_its_percentiles() -> None:
    """In milliseconds, with the number of samples."""
    heads, first, *_ = spread_rows(QUEUED)
    assert heads == ("load", "of", "n", "mean", "p50", "p90", "p95", "p99", "max")
    assert first == ("1", "TTFT", "8", "54.6", "52", "67.6", "-", "-", "91.5")
    assert ("32", "TTFT", "128") in [row[:3] for row in spread_rows(QUEUED)]


def test_what_has_no_samples_has_no_row() -> None:
    """There was no reasoning, and nothing at all of an empty step."""
    assert "TTFO" not in {row[1] for row in spread_rows(QUEUED)}
    assert len(spread_rows(EMPTY.steps)) == 1
    assert ("1", "TTFO") in [row[:2] for row in spread_rows((replace(QUEUED[0], ttfo=Spread(3, 0.1)),))]


def test_lines_stand_in_columns() -> None:
    """Numbers below the end of their headings."""
    lines = spread_lines(QUEUED)
    assert len({len(line) for line in lines}) == 1
    assert lines[1].split() == ["1", "TTFT", "8", "54.6", "52", "67.6", "-", "-", "91.5"]
