"""Tests of what a table asks of labels and does to values: expressions, ceilings, upstream URLs, what never comes."""

from __future__ import annotations

from dataclasses import replace
from math import inf

import pytest

from perfconsole.model.dictionary import DEFAULT
from perfconsole.model.entity import Entity, Kind
from perfconsole.model.sample import Absence, Histogram, Missing
from perfconsole.sources.adapter import Adapter, Metric
from perfconsole.sources.exposition import PageParser
from perfconsole.sources.mapping.mapper import Mapped, PageMapper
from tests.sources.mappings import adapter_with, pages

GATEWAY = Entity(Kind.GATEWAY, "x")
STATUSES = "".join(
    f'x:n{{status="{status}"}} {2**place}\n' for place, status in enumerate(("200", "500", "503", "5034"))
)


def mapped(adapter: Adapter, text: str) -> Mapped:
    """What an adapter makes of a page given as text."""
    return PageMapper(adapter, DEFAULT).map(PageParser().parse(text.encode()), GATEWAY)


def total(row: Metric, text: str = STATUSES) -> float:
    """Sum of all that one row takes of a page."""
    return sum(s.value for s in mapped(adapter_with(row), text).samples if isinstance(s.value, float))


@pytest.mark.parametrize(
    ("where", "number"), [("~5..", 6.0), ("~2..|503", 5.0), ("500", 2.0), ("5..", 0.0), ("~", 0.0), ("~.*", 15.0)]
)
def test_an_expression_must_match_the_whole_value(where: str, number: float) -> None:
    """`~5..` takes 500 and 503 and not 5034; without `~` it is the value itself."""
    assert total(Metric("gateway.errors", "x:n", where=(("status", where),))) == number


def test_an_expression_excludes_too() -> None:
    """`unless` reads it the same way."""
    assert total(Metric("gateway.errors", "x:n", unless=(("status", "~5.."),))) == 9.0


def test_a_label_that_is_missing_matches_nothing() -> None:
    """Not even an expression that takes the empty text."""
    assert total(Metric("gateway.errors", "x:n", where=(("code", "~.*"),))) == 0.0
    assert total(Metric("gateway.errors", "x:n", unless=(("code", "~.*"),))) == 15.0


def test_a_broken_expression_is_refused_at_once() -> None:
    """With the metric, the label and the expression, and not with the first such series."""
    row = Metric("gateway.errors", "x:n", unless=(("status", "~5("),))
    with pytest.raises(ValueError, match=r"^x:n: label status: ~5\( is no regular expression: "):
        PageMapper(adapter_with(row), DEFAULT)


def test_a_ceiling_holds_for_each_series() -> None:
    """States 0, 1 and 2: two of three are not closed."""
    text = 'x:s{w="a"} 0\nx:s{w="b"} 1\nx:s{w="c"} 2\n'
    assert total(Metric("gateway.circuit_open", "x:s", ceiling=1.0), text) == 2.0


def test_a_ceiling_comes_before_scale_and_offset() -> None:
    """It is in the unit of the page."""
    assert total(Metric("gateway.circuit_open", "x:s", ceiling=2.0, scale=10.0, offset=1.0), "x:s 7\n") == 21.0


def test_urls_of_its_own_series_tell_what_it_calls() -> None:
    """Neither other labels, nor series of others, nor words that stand for no URL."""
    adapter = replace(adapter_with(Metric("gateway.requests", "x:n")), upstream_labels=("api_base", "worker"))
    text = (
        'x:n{worker="http://a:1",other="http://no:1"} 1\nx:n{api_base="http://b:2/v1"} 1\nx:m{worker="http://c:3"} 1\n'
        'x:n{worker="None"} 1\nx:n{api_base=""} 1\ny:n{worker="http://not-mine:4"} 1\n'
    )
    assert mapped(adapter, text).upstreams == {"http://a:1", "http://b:2/v1", "http://c:3"}


def test_upstreams_are_those_of_the_page_at_hand() -> None:
    """One that is gone from the page is called no more."""
    adapter = replace(adapter_with(Metric("gateway.requests", "x:n")), upstream_labels=("worker",))
    mapper = PageMapper(adapter, DEFAULT)
    pages = [PageParser().parse(f'x:n{{worker="http://{host}"}} 1\n'.encode()) for host in ("a", "a", "b")]
    assert [mapper.map(page, GATEWAY).upstreams for page in pages] == [{"http://a"}, {"http://a"}, {"http://b"}]


def test_what_a_program_never_exports_is_missing_for_good() -> None:
    """Not only so far: no table row is needed to say it."""
    found = mapped(adapter_with(Metric("gateway.requests", "x:n")), "x:n 1\n").absences
    assert Absence("gateway.ttft", GATEWAY, Missing.NOT_EXPORTED) in found
    assert "gateway.requests" not in {absence.indicator for absence in found}


def test_a_histogram_is_scaled_in_its_bounds_and_its_sum() -> None:
    """Milliseconds on the page; how many there were stays as it is."""
    text = 'x:t_bucket{le="250"} 3\nx:t_bucket{le="+Inf"} 4\nx:t_sum 800\nx:t_count 4\n'
    (sample,) = mapped(adapter_with(Metric("gateway.latency", "x:t", scale=0.001)), text).samples
    assert sample.value == Histogram((0.25, inf), (3.0, 4.0), 0.8)


def test_a_summary_is_scaled_in_its_sum() -> None:
    """It has no bounds."""
    (sample,) = mapped(adapter_with(Metric("gateway.latency", "x:t", scale=0.5)), "x:t_sum 8\nx:t_count 4\n").samples
    assert sample.value == Histogram((inf,), (4.0,), 4.0)


def test_a_quantile_that_a_page_states_is_a_plain_number() -> None:
    """Under the name with the suffix."""
    row = Metric("gateway.latency.p95", "x:t", where=(("quantile", "0.95"),), scale=0.001)
    text = 'x:t{quantile="0.95"} 400\nx:t{quantile="0.5"} 9\nx:t_sum 8\nx:t_count 4\n'
    (sample,) = mapped(adapter_with(row), text).samples
    assert (sample.key.indicator, sample.value) == ("gateway.latency.p95", 0.4)


def test_a_histogram_that_is_not_there_yet_is_never_zero() -> None:
    """A number in its place could not be read as buckets."""
    row = Metric("gateway.latency", "x:seconds", zero_with="x:up")
    assert mapped(adapter_with(row), "x:up 1\n").samples == ()


@pytest.mark.parametrize(
    ("door", "number"),
    [
        ('x:door_total{code="200"} 9\n', 0.0),
        ('x:door_total{code="500"} 1\n', 1.0),
        ('x:door_total{code="200",route="/health"} 9\n', 4.0),
        ("x:door_total NaN\n", 4.0),
        ("", 4.0),
    ],
)
def test_a_row_that_stands_in_does_not_count_beside_the_better_one(door: str, number: float) -> None:
    """Also where the better one has no series with the labels of its row yet."""
    adapter = adapter_with(
        Metric("gateway.errors", "x:door_total", where=(("code", "~5.."),), zero_with="x:door_total"),
        Metric("gateway.errors", "x:behind_total", unless=(("route", "/health"),), instead_of=("x:door_total",)),
    )
    found = pages(f"{door}x:behind_total 4\n", mapper=PageMapper(adapter, DEFAULT))[0]
    assert [s.value for s in found.samples] == [number]
