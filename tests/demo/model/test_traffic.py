"""Callers: rates, closed circles, limits, and the same day for the same seed."""

from __future__ import annotations

from random import Random

import pytest

from perfconsole.demo.model.traffic import LONGEST, MOST_IN_FLIGHT, Flow, Traffic


def traffic_of(seed: int) -> Traffic:
    """Callers from second 0 on."""
    return Traffic(Random(seed), 0.0)  # noqa: S311 - chance of a simulation


def sent(flow: Flow, seconds: int, seed: int = 3) -> list[int]:
    """Prompt lengths of all that is sent in so many seconds, none ever answered late."""
    traffic = traffic_of(seed)
    return [ask.prompt for i in range(1, seconds * 10 + 1) for ask in traffic.due(flow, i / 10, 0)]


def test_a_rate_is_kept_on_average() -> None:
    """Five a second for 200 s."""
    assert len(sent(Flow(rate=5.0), 200)) == pytest.approx(1000, rel=0.1)


def test_lengths_have_their_mean_and_their_limit() -> None:
    """Random lengths around it, none beyond what the engine takes."""
    lengths = sent(Flow(rate=50.0, prompt=3500), 40)
    assert sum(lengths) / len(lengths) == pytest.approx(3200, rel=0.1)
    assert max(lengths) == LONGEST


def test_closed_callers_send_again_when_they_are_answered() -> None:
    """As many as have no request under way."""
    traffic = traffic_of(1)
    assert len(traffic.due(Flow(callers=10), 1.0, 4)) == 6


def test_no_flow_grows_without_end() -> None:
    """Beyond the limit nobody is let in."""
    assert traffic_of(1).due(Flow(rate=1000.0), 10.0, MOST_IN_FLIGHT) == []


def test_the_same_seed_gives_the_same_day() -> None:
    """So that a finding comes at the same second."""
    assert sent(Flow(rate=5.0), 20) == sent(Flow(rate=5.0), 20)
