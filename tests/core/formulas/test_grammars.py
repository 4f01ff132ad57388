"""Requests that ask for an answer in a grammar."""

from __future__ import annotations

import pytest

from perfconsole.model.sample import Missing
from tests.core.building import World, after, known, page, sample

SHARE = "engine.structured_share"
FINISHED = "engine.requests_finished"


@pytest.mark.parametrize(("structured", "ended", "share"), [(0.0, 50.0, 0.0), (10.0, 50.0, 0.2), (50.0, 50.0, 1.0)])
def test_they_are_by_ended_requests(structured: float, ended: float, share: float) -> None:
    """Both are counted as they end."""
    world = after(60.0, sample(SHARE, structured, part="requests"), sample(FINISHED, ended))
    assert known(world.value(SHARE, 60.0)) == pytest.approx(share)


def test_an_idle_engine_has_no_share() -> None:
    """0 of 0."""
    world = after(60.0, sample(SHARE, 0.0, part="requests"), sample(FINISHED, 0.0))
    assert world.value(SHARE, 60.0) is Missing.NEVER


def test_an_engine_that_does_not_count_them_has_none() -> None:
    """Silence proves nothing."""
    assert isinstance(after(60.0, sample(FINISHED, 9.0)).value(SHARE, 60.0), Missing)


def test_what_a_log_says_overrides() -> None:
    """It is a share already."""
    world = World()
    world.apply(page(0.0, sample(SHARE, 0.4)))
    assert world.value(SHARE, 0.0) == 0.4
