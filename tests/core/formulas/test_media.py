"""Requests with images, audio or video."""

from __future__ import annotations

import pytest

from perfconsole.model.sample import Missing
from tests.core.building import World, after, known, page, sample

SHARE = "engine.multimodal_share"
FINISHED = "engine.requests_finished"


@pytest.mark.parametrize(
    ("items", "ended", "share"), [(0.0, 50.0, 0.0), (10.0, 50.0, 0.2), (200.0, 50.0, 1.0), (3.0, 0.0, 1.0)]
)
def test_items_are_by_ended_requests(items: float, ended: float, share: float) -> None:
    """1 at the most, also where a request brings several and where those that brought some still run."""
    world = after(60.0, sample(SHARE, items, part="items"), sample(FINISHED, ended))
    assert known(world.value(SHARE, 60.0)) == pytest.approx(share)


def test_an_idle_engine_has_no_share() -> None:
    """0 of 0."""
    world = after(60.0, sample(SHARE, 0.0, part="items"), sample(FINISHED, 0.0))
    assert world.value(SHARE, 60.0) is Missing.NEVER


def test_an_engine_that_does_not_count_items_has_none() -> None:
    """Text alone is not proved by silence."""
    assert isinstance(after(60.0, sample(FINISHED, 9.0)).value(SHARE, 60.0), Missing)


def test_what_a_log_says_overrides() -> None:
    """It counts requests and not items."""
    world = World()
    world.apply(page(0.0, sample(SHARE, 0.4)))
    assert world.value(SHARE, 0.0) == 0.4
