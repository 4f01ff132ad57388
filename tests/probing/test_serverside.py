"""Engine and client in one stretch."""

from __future__ import annotations

from math import inf

import pytest

from perfconsole.model.enginestretch import EngineStretch
from perfconsole.model.sample import Histogram
from perfconsole.probing.serverside import server_side
from tests.probing.fakeload import OFFSET, failed, request, tick

TICKS = [tick(t / 2, inflight=4, tokens=100) for t in range(1, 13)]
"""200 tokens a second, from 0 to 6 s."""


def test_the_client_is_cut_to_the_polls() -> None:
    """Tokens and requests in flight between the same two moments; a tick at an edge counts in part."""
    found = server_side(EngineStretch(1.25, 4.25, 4, output_tokens=600.0), [], TICKS, OFFSET)
    assert (found.seconds, found.output_tokens) == (3.0, 600.0)
    assert found.client_output_tokens == pytest.approx(600.0)
    assert found.client_inflight == pytest.approx(4.0)


def test_first_tokens_between_the_polls() -> None:
    """Of all requests, also those that are not counted: the engine tells none apart."""
    records = [
        request(0, 0.5, 0.2, 3.0),
        request(0, 1.0, 0.5, 3.0),
        request(0, 2.0, 0.3, 3.0),
        failed(request(0, 2.0, 0.3, 3.0)),
        request(0, 4.0, 0.4, 3.0),
    ]
    found = server_side(EngineStretch(1.0, 4.0, 4), records, TICKS, OFFSET)
    assert found.client_ttft.n == 2
    assert found.client_ttft.max == pytest.approx(0.5)


def test_ticks_that_do_not_reach_so_far() -> None:
    """What the client did not see whole is not known."""
    found = server_side(EngineStretch(1.0, 9.0, 9), [], TICKS, OFFSET)
    assert (found.client_output_tokens, found.client_inflight) == (None, None)
    assert server_side(EngineStretch(1.0, 9.0, 9), [], [], OFFSET).client_output_tokens is None


def test_histograms() -> None:
    """What was observed in the stretch, as a spread."""
    grown = Histogram((0.1, 0.2, inf), (0.0, 40.0, 40.0), 6.0)
    found = server_side(EngineStretch(1.0, 4.0, 4, ttft=grown, queue=grown), [], TICKS, OFFSET)
    assert found.ttft.n == 40
    assert found.ttft.mean == pytest.approx(0.15)
    assert found.ttft.p50 == pytest.approx(0.15)
    assert found.queue == found.ttft
    assert found.itl.n == 0


def test_gauges() -> None:
    """Means, the highest, and how often something waited."""
    stretch = EngineStretch(
        1.0,
        4.0,
        4,
        running=((1.0, 2.0), (2.0, 4.0)),
        waiting=((1.0, 0.0), (2.0, 6.0), (3.0, 0.0), (4.0, 2.0)),
        kv_usage=((1.0, 0.2), (2.0, 0.7)),
        looked_up=200.0,
        hit=50.0,
        preemptions=0.0,
    )
    found = server_side(stretch, [], TICKS, OFFSET)
    assert (found.running, found.waiting, found.waiting_max, found.waiting_share) == (3.0, 2.0, 6.0, 0.5)
    assert (found.kv_usage, found.prefix_hit_ratio, found.preemptions) == (0.7, 0.25, 0.0)


def test_what_the_engine_does_not_say() -> None:
    """Is None, not 0; no look-up at all has no share of hits."""
    found = server_side(EngineStretch(1.0, 4.0, 4, looked_up=0.0, hit=0.0), [], TICKS, OFFSET)
    absent = (found.output_tokens, found.running, found.waiting, found.waiting_share, found.kv_usage, found.preemptions)
    assert absent == (None,) * 6
    assert found.prefix_hit_ratio is None
