"""What a request that ended leaves in the histograms."""

from __future__ import annotations

import pytest

from perfconsole.demo.model.enginestats import EngineStats
from perfconsole.demo.model.request import Ask, Ending, Request


def test_the_phases_of_a_request_add_up_to_its_time() -> None:
    """Queue, prefill and decode are all of it."""
    stats = EngineStats()
    request = Request(1, Ask(10, 5), 1.0, generated=5, admitted=2.0, first_token=2.5)
    stats.finish(request, 4.0, Ending.LENGTH)
    assert stats.queue.total + stats.prefill.total + stats.decode.total == pytest.approx(stats.e2e.total)


def test_a_request_of_one_token_has_no_time_per_output_token() -> None:
    """There is no gap to measure."""
    stats = EngineStats()
    stats.finish(Request(1, Ask(10, 1), 0.0, generated=1, admitted=0.0, first_token=1.0), 1.0, Ending.LENGTH)
    assert stats.tpot.count == 0
