"""Short turns on a busy processor."""

from __future__ import annotations

import os
import platform
from typing import TYPE_CHECKING

from perfconsole.load.shortslice import take_short_turns

if TYPE_CHECKING:
    import pytest


def test_nothing_else_is_changed() -> None:
    """Neither the policy nor the priority."""
    before = os.sched_getscheduler(0), os.getpriority(os.PRIO_PROCESS, 0)
    take_short_turns()
    assert (os.sched_getscheduler(0), os.getpriority(os.PRIO_PROCESS, 0)) == before


def test_a_machine_whose_call_is_not_known_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """The number of the call is another on each."""
    monkeypatch.setattr(platform, "machine", lambda: "riscv64")
    assert not take_short_turns()
