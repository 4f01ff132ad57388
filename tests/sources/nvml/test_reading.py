"""Tests of which of several reasons for a missing value counts."""

from __future__ import annotations

import pytest

from perfconsole.model.sample import Missing
from perfconsole.sources.nvml.reading import weightier


@pytest.mark.parametrize(
    ("one", "other", "counts"),
    [
        (None, Missing.UNSUPPORTED, Missing.UNSUPPORTED),
        (Missing.UNSUPPORTED, Missing.WARMING_UP, Missing.WARMING_UP),
        (Missing.SOURCE_DOWN, Missing.WARMING_UP, Missing.SOURCE_DOWN),
        (Missing.NEVER, Missing.NO_PERMISSION, Missing.NO_PERMISSION),
    ],
)
def test_what_may_end_counts_before_what_stays(one: Missing | None, other: Missing, counts: Missing) -> None:
    """A value that one way cannot give may still come by the other."""
    assert weightier(one, other) is counts
