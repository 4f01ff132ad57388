"""Pages of Prometheus and OpenMetrics text, whole, cut, broken, and coming again."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from perfconsole.sources.exposition import Page, PageError, PageParser, RawSeries

CAPTURES = Path(__file__).parent.parent / "captures"
VLLM = CAPTURES / "vllm" / "load.prom"


def fault_of(page: bytes, *, openmetrics: bool = False) -> str:
    """Text of the error that the page must raise."""
    with pytest.raises(PageError) as caught:
        PageParser().parse(page, openmetrics=openmetrics)
    return str(caught.value)


def samples(page: Page) -> list[tuple[str, dict[str, str], float]]:
    """Name, labels and value of each sample."""
    return [(series.name, dict(series.labels), value) for series, value in zip(page.series, page.values, strict=True)]


def test_page_in_the_order_of_the_wire() -> None:
    """Samples, types and nothing else come from a page."""
    page = PageParser().parse(
        b'# HELP m A \\\\ help, with \\n and "quotes\n# TYPE m counter\nm{b="2",a="1"} 3\n\n# just words\nn 4.5\n'
    )
    assert samples(page) == [("m", {"a": "1", "b": "2"}, 3.0), ("n", {}, 4.5)]
    assert (page.types, page.timestamps) == ({"m": "counter"}, {})


def test_no_bytes_are_no_samples() -> None:
    """An empty page is a page with nothing on it."""
    assert PageParser().parse(b"") == Page([], [], {}, {})


def test_labels_are_sorted() -> None:
    """Labels stand in the order of their names, whatever the order on the wire."""
    (series,) = PageParser().parse(b'm{z="1",a="2"} 1\n').series
    assert series == RawSeries("m", (("a", "2"), ("z", "1")))


def test_carriage_returns() -> None:
    """Lines may end in CR LF; a CR elsewhere belongs to its label value."""
    assert samples(PageParser().parse(b'# TYPE m gauge\r\nm{a="x\ry"} 1\r\n\r\n')) == [("m", {"a": "x\ry"}, 1.0)]


def test_blanks_where_the_format_allows_them() -> None:
    """Blanks around every part, and lines of blanks only, change nothing."""
    page = PageParser().parse(b' \t\n  # TYPE m gauge\n m { a = "1" , } \t 2\t1000 \n')
    assert samples(page) == [("m", {"a": "1"}, 2.0)]
    assert (page.types, page.timestamps) == ({"m": "gauge"}, {0: 1.0})


def test_family_in_two_places() -> None:
    """A family that comes back after another is read in both places."""
    page = PageParser().parse(b'# TYPE m gauge\nm{a="1"} 1\n# TYPE n gauge\nn 1\n# TYPE m gauge\nm{a="2"} 2\n')
    assert [series.name for series in page.series] == ["m", "n", "m"]
    assert page.types == {"m": "gauge", "n": "gauge"}


def test_series_twice_on_a_page() -> None:
    """Both samples of a repeated series are kept, with one series object."""
    page = PageParser().parse(b"m 1\nm 2\n")
    assert page.values == [1.0, 2.0]
    assert page.series[0] is page.series[1]


def test_timestamps_in_milliseconds() -> None:
    """Prometheus text counts milliseconds, and only some samples may carry a timestamp."""
    page = PageParser().parse(b"m 1 1700000000500\nn 2\n")
    assert (page.values, page.timestamps) == ([1.0, 2.0], {0: 1700000000.5})


def test_timestamps_of_known_series() -> None:
    """A timestamp that moves does not make a new series."""
    parser = PageParser()
    first = parser.parse(b'm{a="x y"} 1 1000\nn 5\n')
    second = parser.parse(b'm{a="x y"} 2 2000\nn 5\n')
    assert second.series[0] is first.series[0]
    assert (second.values, second.timestamps) == ([2.0, 5.0], {0: 2.0})


def test_openmetrics_page() -> None:
    """Timestamps are seconds, exemplars are read over, metadata of all kinds is allowed."""
    page = PageParser().parse(
        b"# TYPE m_seconds histogram\n# UNIT m_seconds seconds\n# HELP m_seconds Text.\n"
        b'm_seconds_bucket{le="1.0"} 1 # {id="a } # b"} 0.5 1700000000.25\nm_seconds_bucket{le="+Inf"} 2 # {} 3\n'
        b"m_seconds_count 2 1700000000.5\nm_seconds_created 1.7e9\n# EOF\n",
        openmetrics=True,
    )
    assert [series.name for series in page.series] == ["m_seconds_bucket"] * 2 + [
        "m_seconds_count",
        "m_seconds_created",
    ]
    assert (page.values, page.timestamps) == ([1.0, 2.0, 2.0, 1.7e9], {2: 1700000000.5})


def test_exemplars_of_known_series() -> None:
    """An exemplar that changes does not make a new series, and a broken one is still noticed."""
    parser = PageParser()
    first = parser.parse(b'm_total{a=" # "} 1 # {id="a"} 1\nn_total 1 # {} 1\n# EOF\n', openmetrics=True)
    second = parser.parse(b'm_total{a=" # "} 2 # {id="b"} 1\nn_total 2 # {} 2\n# EOF\n', openmetrics=True)
    assert [a is b for a, b in zip(first.series, second.series, strict=True)] == [True, True]
    with pytest.raises(PageError, match="line 2: broken exemplar"):
        parser.parse(b'm_total{a=" # "} 2 # {id="b"} 1\nn_total 2 # {}\n# EOF\n', openmetrics=True)


def test_openmetrics_end_needs_no_newline() -> None:
    """The end mark says that the page is whole, with or without a newline."""
    assert PageParser().parse(b"m 1\n# EOF", openmetrics=True).values == [1.0]


@pytest.mark.parametrize("page", [b"", b"m 1\n", b"m 1\n# EOF \n", b"m 1\n# EO"])
def test_openmetrics_without_end(page: bytes) -> None:
    """Without the end mark an OpenMetrics page was cut."""
    assert fault_of(page, openmetrics=True).startswith("page stops in the middle: ")


@pytest.mark.parametrize("rest", [b"n 1\n", b"\n", b"# EOF\n", b"n", b"\xff\n"])
def test_openmetrics_after_end(rest: bytes) -> None:
    """Nothing may follow the end mark."""
    assert fault_of(b"m 1\n# EOF\n" + rest, openmetrics=True).startswith("line 3: ")


def test_end_mark_in_prometheus_text() -> None:
    """In the older format the end mark is a comment like any other."""
    assert PageParser().parse(b"m 1\n# EOF\nn 2\n").values == [1.0, 2.0]


def test_exemplar_in_prometheus_text() -> None:
    """The older format has no exemplars."""
    assert fault_of(b'm 1 # {a="b"} 1\n').startswith("line 1: text after the value: ")


def test_every_cut_inside_a_line_is_noticed() -> None:
    """Wherever a page stops inside a line, even behind a whole number, it is not trusted."""
    page = b"# TYPE m gauge\n" + 'm{a="ü }",b="\\\\"} 12.5 1000\r\nn 7\n'.encode()
    for end in range(1, len(page)):
        if page[end - 1 : end] != b"\n":
            assert fault_of(page[:end]).startswith("page stops in the middle: line ")


def test_cut_at_a_broken_last_line() -> None:
    """A last line that only lacks its end was cut, even when something closed it with a newline."""
    assert fault_of(b'm 1\nm{a="2\n') == "page stops in the middle: line 2 is unfinished: 'm{a=\"2'"


def test_first_fault_is_reported_before_the_cut() -> None:
    """A page that is broken earlier says so, with the earlier line."""
    assert fault_of(b"m 1\nm one\nm{a=\nm{") == "line 2: value is not a number: 'm one'"


@pytest.mark.parametrize(
    ("page", "start"),
    [
        (b"<!DOCTYPE html>\n<html></html>\n", "line 1: no metric name: '<!DOCTYPE"),
        (b'{"detail":"Not Found"}', "line 1: broken labels: '{\"detail"),
        (b'{"detail":"Not Found"}\n', "line 1: broken labels: '{\"detail"),
        (b"Not Found", "line 1: value is not a number: 'Not Found'"),
        (b"Active connections: 1 \nserver accepts\n", "line 1: value is not a number: 'Active"),
        (b"m 1\n\x1f\x8b\x08\x00\n", "line 2: not UTF-8: "),
        (b"\xef\xbb\xbfm 1\n", "line 1: no metric name: "),
        (b'm 1\nm{a="\xff"} 1\nm{\n', "line 2: not UTF-8: "),
        (b"m one\nm{a=\xff} 1\n", "line 1: value is not a number: "),
        (b"m 1_000\n", "line 1: value is not a number: "),
        (b"m \n", "page stops in the middle: line 1 is unfinished: "),
        (b"m 1 1.5\n", "line 1: timestamp is not whole milliseconds: "),
        (b"# TYPE m\nm 1\n", "line 1: broken TYPE line: "),
        (b'm{a="1",a="2"} 1\n', "line 1: label given twice: "),
    ],
)
def test_garbage(page: bytes, start: str) -> None:
    """What is no page of metrics is refused at its first bad line."""
    assert fault_of(page).startswith(start)


@pytest.mark.parametrize("line", [b"\x1b[31mred " * 20, "\N{RIGHT-TO-LEFT OVERRIDE}x".encode() * 40, b"\x00\x07" * 60])
def test_excerpt_is_short_and_safe(line: bytes) -> None:
    """An error shows at most 60 characters of the line and nothing that a terminal would obey."""
    message = fault_of(b"m 1\n" + line + b"\n")
    excerpt = message.split(": ", 2)[2]
    assert len(excerpt) <= 60
    assert excerpt.isprintable()


@pytest.mark.parametrize(
    "line",
    [b'm{a="' * 20_000, b"m{" + b'a="1",' * 50_000, b"\\" * 200_000, b"m " + b"1" * 200_000 + b"x", b'{"' * 90_000],
)
def test_long_broken_line(line: bytes) -> None:
    """A line that is broken and very long is refused like a short one."""
    assert fault_of(b"m 1\n" + line + b"\nm 1\n").startswith("line 2: ")


def test_error_leaves_the_parser_usable() -> None:
    """After a broken page the next good one is read as if nothing had been."""
    parser = PageParser()
    good = VLLM.read_bytes()
    expected = parser.parse(good)
    with pytest.raises(PageError):
        parser.parse(good[:-20])
    assert parser.parse(good) == expected


def test_one_object_for_a_series() -> None:
    """Polls give the same series objects while values move."""
    parser = PageParser()
    first = parser.parse(b'm{a="1"} 1\nn 1\n')
    second = parser.parse(b'n 2\nm{a="1"} 3\n')
    assert second.series[0] is first.series[1]
    assert second.series[1] is first.series[0]


@pytest.mark.parametrize("other", [b'm{b="2",a="1"} 1\n', b'm{ a="1", b="2", } 1\n', b'{"m","a"="1",b="2"} 1\n'])
def test_one_object_for_all_spellings(other: bytes) -> None:
    """However a page spells a series, it stays one object."""
    parser = PageParser()
    (first,) = parser.parse(other).series
    (second,) = parser.parse(b'm{a="1",b="2"} 1\n').series
    assert first is second


def test_unwanted_samples_are_left_out() -> None:
    """Only wanted names come back, on the first page and on later ones, and their values need not be numbers."""
    parser = PageParser(wanted=lambda name: name == "m")
    page = b'# TYPE m gauge\nm 1 1000\nn one\nn{b="1",a="2"} 1\no 1 2000\np\t1\n'
    for _ in range(2):
        parsed = parser.parse(page)
        assert samples(parsed) == [("m", {}, 1.0)]
        assert parsed.timestamps == {0: 1.0}


def test_unwanted_exemplars_are_left_out() -> None:
    """An unwanted series is recognised behind a changing exemplar too."""
    parser = PageParser(wanted=lambda name: name == "m_total")
    for poll in (b"1", b"2"):
        page = b'm_total 5\nn_total 1 # {a="' + poll + b'"} 1\n# EOF\n'
        assert samples(parser.parse(page, openmetrics=True)) == [("m_total", {}, 5.0)]


def test_wanted_is_asked_once_for_a_series() -> None:
    """A known series, wanted or not, is not asked about again."""
    asked: list[str] = []

    def wanted(name: str) -> bool:
        asked.append(name)
        return name == "m"

    parser = PageParser(wanted)
    for value in range(3):
        parser.parse(b"m %d\nn %d\no %d 1000\n" % (value, value, value))
    assert asked == ["m", "n", "o"]


def test_broken_unwanted_line() -> None:
    """A page is refused for a broken line even if nobody wants its sample."""
    with pytest.raises(PageError, match="line 2: broken labels"):
        PageParser(wanted=lambda name: name == "m").parse(b"m 1\nn{a=b} 1\nm 1\n")


@pytest.mark.parametrize("spelling", [b'm{a="%d"} 1\n', b'm{ a="%d"} 1\n', b'n{a="%d"} 1\n'])
def test_churning_labels_do_not_pile_up(spelling: bytes) -> None:
    """What is remembered stays bounded when every page brings new label values, wanted or not."""
    parser = PageParser(wanted=lambda name: name == "m", max_series=50)
    stays = parser.parse(b"m 1\n").series[0]
    for poll in range(200):
        page = parser.parse(b"m 1\n" + spelling % poll)
        assert page.series[0] is stays
    assert len(parser._known) <= 51
    assert len(parser._ignored) <= 51


def test_remembered_series_follow_the_page() -> None:
    """Without a small bound, memory still shrinks to a few times the page once much of it is gone."""
    parser = PageParser()
    parser.parse(b"".join(b'm{a="%d"} 1\n' % index for index in range(20_000)))
    parser.parse(b"m 1\n")
    assert len(parser._known) == 1


def test_page_beyond_the_bound_is_read_whole() -> None:
    """More series than are remembered is slow, not wrong."""
    parser = PageParser(max_series=5)
    page = b"".join(b'm{a="%d"} %d\n' % (index, index) for index in range(20))
    assert parser.parse(page) == parser.parse(page) == PageParser().parse(page)


def test_changed_type_is_noticed() -> None:
    """Types follow the page although unchanged comments are not read again."""
    parser = PageParser()
    assert parser.parse(b"# TYPE m gauge\nm 1\n").types == {"m": "gauge"}
    assert parser.parse(b"# TYPE m counter\nm 1\n").types == {"m": "counter"}


def test_pages_share_nothing_that_can_change() -> None:
    """Changing a page that was handed out does not change the next."""
    parser = PageParser()
    page = parser.parse(b"# TYPE m gauge\nm 1\n")
    page.types.clear()
    page.series.clear()
    assert parser.parse(b"# TYPE m gauge\nm 1\n").types == {"m": "gauge"}


@pytest.mark.parametrize("path", sorted(CAPTURES.glob("*/*.prom")), ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_captured_page_polled_with_other_values(path: Path) -> None:
    """A known page with other values gives the same series objects and what a new parser reads."""
    parser = PageParser()
    first = parser.parse(path.read_bytes())
    page = re.sub(rb"(?m)^([^#\n].*) \S+$", lambda line: line[1] + b" %d" % len(line[0]), path.read_bytes())
    second = parser.parse(page)
    assert all(a is b for a, b in zip(first.series, second.series, strict=True))
    assert second == PageParser().parse(page)


def test_captured_histogram() -> None:
    """A series of a real page is found by its name and labels."""
    page = PageParser().parse(VLLM.read_bytes())
    labels = (("engine", "0"), ("le", "+Inf"), ("model_name", "tiny"))
    names = {series.name for series in page.series if series.labels == labels}
    assert "vllm:time_to_first_token_seconds_bucket" in names
    assert page.types["vllm:time_to_first_token_seconds"] == "histogram"
