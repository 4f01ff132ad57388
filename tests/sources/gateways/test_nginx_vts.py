"""Tests of the table of nginx-module-vts on pages of 0.2.5 and 0.1.18."""

from __future__ import annotations

from functools import partial

import pytest

from perfconsole.model.entity import Entity, Kind
from perfconsole.model.sample import Absence, Missing
from perfconsole.sources.gateways import adapters
from perfconsole.sources.gateways.nginx_vts import ADAPTER
from perfconsole.sources.layer import GATEWAY
from tests.sources.enginepages import capture
from tests.sources.exposed import mapped, parts, poll, target
from tests.sources.gateways import reading

VTS = Entity(Kind.GATEWAY, "nginx-vts:80")
NEW, OLD = "nginx-vts/0.2.5.prom", "nginx-vts_old/0.1.18.prom"
total = partial(reading.total, ADAPTER)
observed = partial(reading.observed, ADAPTER)


@pytest.mark.parametrize("page", [NEW, OLD])
def test_each_request_counts_once(page: str) -> None:
    """Each host stands there, their sum, filters, and in old releases the sum of the classes."""
    assert total(page, "gateway.requests") == 2374.0 + 643.0
    assert total(page, "gateway.errors") == 44.0
    assert total(page, "gateway.inflight") == 13.0


@pytest.mark.parametrize("page", [NEW, OLD])
def test_backends_are_told_apart_by_place(page: str) -> None:
    """Each of their calls once."""
    shares: dict[str, float] = {}
    for sample in mapped(ADAPTER, capture(page), VTS).samples:
        if sample.key.indicator == "gateway.upstream_requests" and isinstance(sample.value, float):
            name = dict(sample.key.labels)["upstream"]
            shares[name] = shares.get(name, 0.0) + sample.value
    assert shares == {"10.0.0.11:8000": 1572.0, "10.0.0.12:8000": 821.0, "127.0.0.1:8080": 30.0}


def test_single_codes_tell_limits_and_callers_who_left() -> None:
    """Where they are measured."""
    assert (total(NEW, "gateway.rate_limited"), total(NEW, "gateway.client_gone")) == (75.0, 14.0)


def test_without_them_both_are_missing() -> None:
    """They are in the class of 4xx, where nobody can find them."""
    batch = target(GATEWAY, adapters()).batch(poll(capture(OLD)))
    absent = [Absence(f"gateway.{name}", VTS, Missing.NOT_EXPORTED) for name in ("rate_limited", "client_gone")]
    assert set(absent) <= set(batch.absences)


def test_histograms_are_those_of_hosts() -> None:
    """Their sum has none."""
    found = observed(NEW, "gateway.latency")
    assert sorted(h.counts[-1] for h in found) == [643.0, 2374.0]
    assert found[0].bounds[:2] == (0.1, 0.5)


def test_without_histograms_there_is_a_mean() -> None:
    """Seconds by requests, of all hosts and of all backends."""
    (latency,), (upstream,) = observed(OLD, "gateway.latency"), observed(OLD, "gateway.upstream_latency")
    assert [latency.total, *latency.counts] == pytest.approx([8121.75, 3017.0])
    assert [upstream.total, *upstream.counts] == pytest.approx([4100.25 + 3900.5 + 4.5, 2423.0])


def test_without_a_sum_of_hosts_the_count_of_nginx_is_taken() -> None:
    """The sum may have another name."""
    lines = capture(NEW).splitlines(keepends=True)
    body = b"".join(line for line in lines if b'host="*"' not in line)
    assert parts(mapped(ADAPTER, body, VTS), "gateway.requests") == [3021.0]


def test_a_page_of_stub_status_is_another_table() -> None:
    """nginx has one for it."""
    body = b"nginx_connections_writing 2\nnginx_http_requests_total 40\n"
    nginx = target(GATEWAY, adapters())
    nginx.batch(poll(body))
    assert nginx.adapter is not None
    assert nginx.adapter.name == "nginx"
