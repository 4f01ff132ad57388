"""Between which values an indicator can lie."""

from __future__ import annotations

import pytest

from perfconsole.model.dictionary import DEFAULT, parse_mark
from perfconsole.model.dictionary.ranges import FACTORS, range_of


def test_every_factor_is_a_ratio_of_the_dictionary() -> None:
    """A name that was changed there would quietly turn into a share here."""
    assert [name for name in sorted(FACTORS) if getattr(DEFAULT.find(name), "unit", None) != "ratio"] == []


def test_every_mark_lies_where_its_indicator_can() -> None:
    """A mark outside the range would never colour anything, or always."""
    for entry in DEFAULT.entries:
        low, high = range_of(entry)
        marks = [parse_mark(text, entry.unit) for text in (entry.warn, entry.critical) if text]
        assert all(low <= mark.bound <= high for mark in marks), entry.name


@pytest.mark.parametrize(
    ("name", "ends"),
    [
        ("engine.kv_cache_usage", (0.0, 1.0)),
        ("engine.ready", (0.0, 1.0)),
        ("engine.preemption_ratio", (0.0, float("inf"))),
        ("engine.requests_waiting", (0.0, float("inf"))),
        ("host.process_rss_growth", (-float("inf"), float("inf"))),
        ("gpu.temperature", (-float("inf"), float("inf"))),
    ],
)
def test_a_share_ends_at_one_and_a_count_begins_at_zero(name: str, ends: tuple[float, float]) -> None:
    """Factors may pass 1; what grows may shrink."""
    entry = DEFAULT.find(name)
    assert entry is not None
    assert range_of(entry) == ends
