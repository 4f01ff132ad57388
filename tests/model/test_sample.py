"""The values that sources hand over."""

from __future__ import annotations

from dataclasses import FrozenInstanceError
from math import inf

import pytest

from perfconsole.model.entity import Entity, Kind
from perfconsole.model.sample import Batch, Histogram, Missing, SeriesKey

ENGINE = Entity(Kind.ENGINE, "a")


def test_the_count_of_a_histogram_is_its_last_bucket() -> None:
    """Everything is below infinity."""
    assert Histogram((1.0, inf), (3.0, 7.0), 9.0).count == 7.0


def test_a_summary_has_a_count_too() -> None:
    """Its one bucket is all it observed."""
    assert Histogram((inf,), (7.0,), 9.0).count == 7.0


def test_series_that_differ_in_a_label_differ() -> None:
    """Parts of one indicator are told apart."""
    name = "engine.requests_running"
    assert len({SeriesKey(name, ENGINE), SeriesKey(name, ENGINE, (("rank", "0"),))}) == 2


def test_a_batch_cannot_be_changed() -> None:
    """It is recorded and applied: both must see the same."""
    batch = Batch("page", "metrics page", 0.0, 0.0, 1.0)
    with pytest.raises(FrozenInstanceError):
        batch.t = 1.0  # type: ignore[misc]  # that it is forbidden is what is tested


def test_reasons_are_those_of_the_contract() -> None:
    """Scripts read these words."""
    assert [str(m) for m in Missing] == [
        "never",
        "stale",
        "source-down",
        "not-exported",
        "no-permission",
        "warming-up",
        "no-baseline",
        "unsupported",
    ]
