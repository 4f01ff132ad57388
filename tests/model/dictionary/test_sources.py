"""Tests of which source would fill an operand."""

from __future__ import annotations

import pytest

from perfconsole.model.dictionary import DEFAULT
from perfconsole.model.dictionary.sources import source_words


@pytest.mark.parametrize("operand", ["engine.kv_cache_usage", "max(engine.kv_cache_usage)"])
def test_an_indicator_has_the_sources_of_its_entry(operand: str) -> None:
    """Inside a function as well."""
    assert source_words(DEFAULT, operand) == "metrics page"


def test_a_window_is_no_part_of_the_name() -> None:
    """`slope(x[180s])` is filled by what fills x."""
    assert source_words(DEFAULT, "slope(engine.requests_waiting[180s])") == "metrics page"


def test_a_baseline_has_sources_of_its_own() -> None:
    """Time, mostly."""
    assert source_words(DEFAULT, "base(engine.itl.p50)").startswith("a baseline")


def test_a_name_that_nobody_knows_has_no_source() -> None:
    """Empty, not a guess."""
    assert source_words(DEFAULT, "engine.no_such") == ""
