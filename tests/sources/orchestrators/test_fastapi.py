"""Tests of the table of Python web services."""

from __future__ import annotations

from math import fsum

import pytest

from perfconsole.model.dictionary import DEFAULT
from perfconsole.model.entity import Entity, Kind
from perfconsole.model.sample import Histogram
from perfconsole.sources.exposition import PageParser
from perfconsole.sources.mapping.mapper import Mapped, PageMapper
from perfconsole.sources.orchestrators.fastapi import ADAPTER
from tests.sources.enginepages import capture
from tests.sources.exposed import Exposed

AGENT = Entity(Kind.ORCHESTRATOR, "127.0.0.1:9000")
PAGE = b"""\
process_cpu_seconds_total 12.5
http_requests_total{handler="/run",method="POST",status="2xx"} 8.0
http_requests_total{handler="/run",method="POST",status="5xx"} 2.0
http_requests_total{handler="/metrics",method="GET",status="2xx"} 700.0
http_requests_total{handler="/health",method="GET",status="5xx"} 900.0
http_request_duration_seconds_bucket{handler="/run",le="1.0",method="POST"} 4.0
http_request_duration_seconds_bucket{handler="/run",le="+Inf",method="POST"} 10.0
http_request_duration_seconds_count{handler="/run",method="POST"} 10.0
http_request_duration_seconds_sum{handler="/run",method="POST"} 22.0
http_request_duration_seconds_bucket{handler="/metrics",le="1.0",method="GET"} 700.0
http_request_duration_seconds_bucket{handler="/metrics",le="+Inf",method="GET"} 700.0
http_request_duration_seconds_count{handler="/metrics",method="GET"} 700.0
http_request_duration_seconds_sum{handler="/metrics",method="GET"} 1.0
http_request_duration_highr_seconds_bucket{le="+Inf"} 710.0
http_request_duration_highr_seconds_count 710.0
http_request_duration_highr_seconds_sum 23.0
http_requests_inprogress 3.0
"""


def mapped(body: bytes = PAGE) -> Mapped:
    """What the table makes of a page."""
    return PageMapper(ADAPTER, DEFAULT).map(PageParser().parse(body), AGENT)


def total(page: Mapped, indicator: str) -> float:
    """Sum of the parts of a plain indicator."""
    return fsum(s.value for s in page.samples if s.key.indicator == indicator and not isinstance(s.value, Histogram))


def test_tasks_are_counted_without_the_polls_of_a_console() -> None:
    """Requests for the page and for health are not what it is there for."""
    assert (total(mapped(), "orchestration.requests"), total(mapped(), "orchestration.errors")) == (10.0, 2.0)


def test_probers_of_a_cluster_start_no_task() -> None:
    """They ask for it being ready and alive."""
    found = mapped(capture("fastapi_probed/8.1.prom"))
    assert [total(found, f"orchestration.{noun}") for noun in ("requests", "errors", "inflight")] == [100.0, 4.0, 5.0]
    assert sum(_observed(found)) == 100.0


def _observed(found: Mapped) -> list[float]:
    values = (s.value for s in found.samples if s.key.indicator == "orchestration.latency")
    return [value.count for value in values if isinstance(value, Histogram)]


def test_durations_are_those_of_tasks() -> None:
    """From the histogram that knows the route."""
    found = [s.value for s in mapped().samples if s.key.indicator == "orchestration.latency"]
    assert [h.count for h in found if isinstance(h, Histogram)] == [10.0]


def test_the_polls_of_a_console_are_no_durations_of_tasks() -> None:
    """Before the first task the coarse histogram has polls alone, and the fine one cannot tell them from tasks."""
    page = b"\n".join(line for line in PAGE.splitlines() if b"/run" not in line) + b"\n"
    assert [s for s in mapped(page).samples if s.key.indicator == "orchestration.latency"] == []


def test_no_error_yet_is_zero() -> None:
    """The series of a status appears with its first answer."""
    page = b'http_requests_total{handler="/run",method="POST",status="2xx"} 8.0\n'
    assert [s.value for s in mapped(page).samples if s.key.indicator == "orchestration.errors"] == [0.0]


def test_the_page_of_a_plain_process_is_enough() -> None:
    """CPU time, as a part of its own that a formula makes a rate of."""
    (sample,) = mapped(b"process_cpu_seconds_total 12.5\n").samples
    assert (sample.key.indicator, sample.key.labels, sample.value) == (
        "orchestration.process_cpu",
        (("part", "seconds"),),
        12.5,
    )


@pytest.mark.parametrize("status", ["5xx", "500", "503"])
def test_errors_are_counted_whether_statuses_are_grouped_or_not(status: str) -> None:
    """An option of the instrumentation."""
    page = f'http_requests_total{{handler="/run",status="{status}"}} 4\nhttp_requests_total{{status="200"}} 9\n'
    assert total(mapped(page.encode()), "orchestration.errors") == 4.0


def test_collections_of_the_oldest_generation_are_counted() -> None:
    """The younger ones go on all the time."""
    page = 'python_gc_collections_total{generation="0"} 900\npython_gc_collections_total{generation="2"} 3\n'
    assert total(mapped(page.encode()), "orchestration.gc") == 3.0


@pytest.mark.parametrize("name", ["idle", "load"])
def test_counts_are_those_of_a_real_page(name: str) -> None:
    """Read by another parser: what came in for /run, which is all that is not asked by a console."""
    body = capture(f"fastapi/{name}.prom")
    page, there = mapped(body), Exposed(body)
    expected = {
        "orchestration.requests": there.total("http_requests_total", handler="/run"),
        "orchestration.errors": there.total("http_requests_total", handler="/run", status="5xx"),
        "orchestration.inflight": there.total("http_requests_inprogress") - 1,
        "orchestration.process_cpu": there.total("process_cpu_seconds_total"),
        "orchestration.gc": there.total("python_gc_collections_total", generation="2"),
    }
    assert {indicator: total(page, indicator) for indicator in expected} == expected
    durations = [s.value for s in page.samples if s.key.indicator == "orchestration.latency"]
    routed = [there.total("http_request_duration_seconds_count", handler="/run")] if name == "load" else []
    assert [each.count for each in durations if isinstance(each, Histogram)] == routed


def test_before_the_first_request_there_were_none() -> None:
    """The counter is not on the page yet, and the empty histogram says that somebody counts."""
    assert not Exposed(capture("fastapi/idle.prom")).has("http_requests_total")
    found = [
        s.value for s in mapped(capture("fastapi/idle.prom")).samples if s.key.indicator == "orchestration.requests"
    ]
    assert found == [0.0]


def test_requests_in_progress_may_be_told_by_route() -> None:
    """Then the one for the page is left out by its route, and none is taken off."""
    page = 'http_requests_inprogress{handler="/run"} 3\nhttp_requests_inprogress{handler="/metrics"} 1\n'
    assert total(mapped(page.encode()), "orchestration.inflight") == 3.0


def test_the_request_for_the_page_is_taken_off_once() -> None:
    """Each method is a series of its own, and each worker where several processes share a page."""
    page = 'http_requests_inprogress{method="GET"} 1\nhttp_requests_inprogress{method="POST"} 3\n'
    assert total(mapped(page.encode()), "orchestration.inflight") == 3.0
