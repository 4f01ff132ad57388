"""How a recording is to be taken."""

from __future__ import annotations

import pytest

from perfconsole.model.flameplan import FlamePlan


@pytest.mark.parametrize(
    ("plan", "stops"), [(FlamePlan(1), False), (FlamePlan(1, native=True), True), (FlamePlan(1, blocking=True), True)]
)
def test_only_native_frames_and_exact_stacks_stop_the_process(plan: FlamePlan, stops: bool) -> None:  # noqa: FBT001 - a table row
    """By default it runs on."""
    assert plan.stops is stops
