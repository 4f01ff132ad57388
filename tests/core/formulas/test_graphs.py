"""Captured graphs."""

from __future__ import annotations

import pytest

from perfconsole.model.sample import Missing
from tests.core.building import World, after, known, page, sample

CAPTURED = "engine.captured_batch"
RATIO = "engine.graph_ratio"


def test_a_size_in_tokens_is_as_many_requests_without_speculation() -> None:
    """One token a request and step."""
    world = World()
    world.apply(page(0.0, sample(CAPTURED, 512.0, part="tokens")))
    assert world.value(CAPTURED, 0.0) == 512.0


def test_a_draft_takes_room_in_the_graph() -> None:
    """Three drafted tokens and the one of the model: a graph of 4 tokens holds one request, one of 10 two."""
    world = World()
    for t, tokens in ((0.0, 4.0), (1.0, 10.0)):
        world.apply(page(t, sample(CAPTURED, tokens, part="tokens"), sample("engine.spec_tokens", 3.0)))
        assert world.value(CAPTURED, t) == tokens // 4


def test_what_the_log_says_in_requests_overrides() -> None:
    """It is what was really captured."""
    world = World()
    world.apply(page(0.0, sample(CAPTURED, 512.0, part="tokens")))
    world.apply(page(0.0, sample(CAPTURED, 96.0), source="log"))
    assert world.value(CAPTURED, 0.0) == 96.0


def test_no_size_is_no_graph_of_nothing() -> None:
    """Unknown is not 0."""
    assert World().value(CAPTURED, 0.0) is Missing.NEVER


def test_the_ratio_is_passes_from_graphs_by_all() -> None:
    """45 of 60."""
    world = after(60.0, sample(RATIO, 45.0, part="graph"), sample(RATIO, 60.0, part="passes"))
    assert known(world.value(RATIO, 60.0)) == pytest.approx(0.75)


def test_without_passes_there_is_no_ratio() -> None:
    """0 of 0."""
    world = after(60.0, sample(RATIO, 0.0, part="graph"), sample(RATIO, 0.0, part="passes"))
    assert world.value(RATIO, 60.0) is Missing.NEVER
