"""Pages as the client library writes them."""

from __future__ import annotations

from perfconsole.demo.model.histogram import Histogram
from perfconsole.demo.model.pagetext import MARK, PageText, braces


def test_a_counter_comes_with_its_birth() -> None:
    """`_total` and `_created`, each with HELP and TYPE."""
    page = PageText(12.5)
    page.counter("x", [((("a", "b"),), 3)])
    assert page.text.splitlines() == [
        f"# HELP x_total {MARK}",
        "# TYPE x_total counter",
        'x_total{a="b"} 3.0',
        f"# HELP x_created {MARK}",
        "# TYPE x_created gauge",
        'x_created{a="b"} 12.5',
    ]


def test_a_histogram_ends_with_the_bucket_of_infinity() -> None:
    """Its count is the count of all."""
    histogram = Histogram((0.5,))
    histogram.observe(7.0)
    page = PageText(0.0)
    page.histogram("h", [((), histogram)])
    assert [line for line in page.text.splitlines() if line.startswith("h_")][:4] == [
        'h_bucket{le="0.5"} 0.0',
        'h_bucket{le="+Inf"} 1.0',
        "h_count 1.0",
        "h_sum 7.0",
    ]


def test_labels_stand_in_order() -> None:
    """As the client library sorts them."""
    assert braces((("b", "2"), ("a", "1"))) == '{a="1",b="2"}'


def test_an_empty_page_is_empty() -> None:
    """Not a blank line."""
    assert PageText(0.0).text == ""
