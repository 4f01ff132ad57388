"""Tests of the two sets of characters."""

from __future__ import annotations

from dataclasses import astuple

import pytest

from perfconsole.view.canvas import cells
from perfconsole.view.glyphs import ASCII, UNICODE, Glyphs


def test_the_plain_set_is_ascii() -> None:
    """Every character of it."""
    assert "".join(astuple(ASCII)).isascii()


@pytest.mark.parametrize("glyphs", [ASCII, UNICODE])
def test_every_glyph_is_one_column_wide(glyphs: Glyphs) -> None:
    """Frames and charts would not close otherwise."""
    assert [c for text in astuple(glyphs) for c in text if cells(c) != 1] == []


@pytest.mark.parametrize("glyphs", [ASCII, UNICODE])
def test_a_chart_has_eight_levels_that_differ(glyphs: Glyphs) -> None:
    """None of which looks like a gap."""
    assert len(set(glyphs.bars)) == 8
    assert glyphs.gap not in glyphs.bars
