"""Tests of the converters: nginx's stub_status as series, and every look-alike refused."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perfconsole.sources.exposition import PageError
from perfconsole.sources.gateways import adapters
from perfconsole.sources.otherpages.converters import CONVERTERS, convert, stub_status
from tests.sources.enginepages import capture

NAMES = [
    "nginx_connections_active",
    "nginx_connections_accepted",
    "nginx_connections_handled",
    "nginx_http_requests_total",
    "nginx_connections_reading",
    "nginx_connections_writing",
    "nginx_connections_waiting",
]
PAGE = b"Active connections: 3 \nserver accepts handled requests\n 17 16 42 \nReading: 0 Writing: 1 Waiting: 2 \n"
_COUNT = st.integers(0, 2**64 - 1)


def test_the_numbers_go_under_the_names_of_the_exporter() -> None:
    """In the order of the page."""
    page = stub_status(PAGE)
    assert [(s.name, s.labels) for s in page.series] == [(name, ()) for name in NAMES]
    assert page.values == [3.0, 17.0, 16.0, 42.0, 0.0, 1.0, 2.0]
    assert page.types["nginx_http_requests_total"] == "counter"
    assert page.types["nginx_connections_writing"] == "gauge"


@pytest.mark.parametrize("name", ["idle", "load", "backend_down", "after"])
def test_captured_pages_give_the_numbers_that_stand_there(name: str) -> None:
    """Read independently: the integers of the page, one after the other."""
    body = capture(f"nginx/{name}.txt")
    assert stub_status(body).values == [float(number) for number in re.findall(rb"\d+", body)]


@given(st.tuples(*[_COUNT] * 7), st.sampled_from(["\n", "\r\n"]))
def test_every_page_of_that_form_is_read_whole(numbers: tuple[int, ...], end: str) -> None:
    """Whatever 64-bit numbers stand there, and though they need not add up."""
    lines = (
        "Active connections: {} ",
        "server accepts handled requests",
        " {} {} {} ",
        "Reading: {} Writing: {} Waiting: {} ",
        "",
    )
    body = end.join(lines).format(*numbers).encode()
    assert stub_status(body).values == [float(number) for number in numbers]


def test_tengine_counts_milliseconds_too() -> None:
    """They are none of the seven numbers."""
    body = PAGE.replace(b"requests", b"requests request_time").replace(b" 42 ", b" 42 75806 ")
    assert stub_status(body).values == stub_status(PAGE).values


def test_a_copy_without_blanks_at_the_ends_is_the_same_page() -> None:
    """Editors and terminals lose them."""
    assert stub_status(b"\n".join(line.strip() for line in PAGE.splitlines())).values == stub_status(PAGE).values


@given(st.integers(0, len(PAGE) - 3))
def test_a_page_cut_anywhere_is_refused(length: int) -> None:
    """A part of a page is none; the last blank and newline may be missing."""
    with pytest.raises(PageError):
        stub_status(PAGE[:length])


@given(st.binary(max_size=200))
def test_other_bytes_are_refused(body: bytes) -> None:
    """Never anything but a PageError."""
    with pytest.raises(PageError):
        stub_status(body)


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(b"<pre>" + PAGE + b"</pre>", id="inside of HTML"),
        pytest.param(PAGE + PAGE, id="twice"),
        pytest.param(PAGE.replace(b" 17", b" -17"), id="negative"),
        pytest.param(PAGE.replace(b" 42", b""), id="two counters"),
        pytest.param(PAGE.replace(b" 42", b" 42 0"), id="four counters"),
        pytest.param(PAGE.replace(b"17", b"1.7"), id="fraction"),
        pytest.param(PAGE.replace(b"17", b"9" * 40), id="no 64-bit number"),
        pytest.param(PAGE.replace(b"3", "\N{ARABIC-INDIC DIGIT THREE}".encode()), id="other digits"),
        pytest.param(PAGE.replace(b"Reading", b"reading"), id="another word"),
        pytest.param(capture("vllm-router/idle.prom"), id="Prometheus text"),
        pytest.param(b"pool: www\nprocess manager: dynamic\naccepted conn: 5\n", id="php-fpm"),
        pytest.param(b"Total Accesses: 5\nTotal kBytes: 7\nBusyWorkers: 1\n", id="Apache"),
    ],
)
def test_look_alikes_are_refused(body: bytes) -> None:
    """Only the whole page of that very form."""
    with pytest.raises(PageError, match="no page of nginx's stub_status"):
        convert("stub-status", body)


def test_every_converter_that_a_table_names_exists() -> None:
    """A name that is misspelt would raise at the first page."""
    assert {adapter.converter for adapter in adapters() if adapter.converter} <= CONVERTERS.keys()
