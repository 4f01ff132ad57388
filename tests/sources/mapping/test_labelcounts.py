"""Names in the labels of an info metric are counted, and only counted."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perfconsole.sources.adapter import LabelCount
from perfconsole.sources.exposition import PageParser
from perfconsole.sources.mapping.labelcounts import counted_names
from tests.sources.enginepages import ENGINE

ROW = LabelCount("engine.lora_active", "vllm:lora_requests_info", "running_lora_adapters", within_s=300.0)


def line(names: str, at: float) -> str:
    """One series of the metric."""
    return f'vllm:lora_requests_info{{max_lora="4",running_lora_adapters="{names}",waiting_lora_adapters=""}} {at}\n'


def counted(text: str) -> list[float]:
    """Values of the samples of a page."""
    page = PageParser().parse(text.encode())
    return [float(s.value) for s in counted_names(page, (ROW,), ENGINE) if isinstance(s.value, float)]


@pytest.mark.parametrize(("names", "count"), [("", 0.0), ("a", 1.0), ("a,b,a", 2.0), ("a, b,", 2.0)])
def test_distinct_names_are_counted(names: str, count: float) -> None:
    """An empty label is no name."""
    assert counted(line(names, 1e9)) == [count]


def test_names_of_the_last_minutes_count_together() -> None:
    """Four slots and six adapters in turn: six are in use."""
    assert counted(line("a,b,c,d", 1e9) + line("e,f", 1e9 - 100)) == [6.0]


def test_old_series_do_not_count() -> None:
    """An exporter keeps a series for each set that it ever had."""
    assert counted(line("a", 1e9) + line("b,c,d", 1e9 - 301)) == [1.0]


def test_a_page_without_the_metric_says_nothing() -> None:
    """No adapters at all is not 0 of them."""
    assert counted("x 1\n") == []


def test_a_series_without_a_time_says_nothing() -> None:
    """NaN is not newer than anything."""
    assert counted(line("a", float("nan"))) == []


@given(st.lists(st.sampled_from(["a", "b", "c", "d"]), max_size=12))
def test_the_count_is_that_of_a_set(names: list[str]) -> None:
    """Whatever the order and however often."""
    assert counted(line(",".join(names), 1e9)) == [float(len(set(names)))]
