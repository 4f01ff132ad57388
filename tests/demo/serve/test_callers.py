"""Who calls whom in a phase."""

from __future__ import annotations

from perfconsole.demo.model.traffic import Flow
from perfconsole.demo.scenarios import Conditions
from perfconsole.demo.serve.callers import flows


def test_tasks_are_closed_callers() -> None:
    """As many as are under way at once."""
    chat, direct = Flow(rate=1.0), Flow(callers=3)
    assert flows(Conditions(chat=chat, direct=direct, tasks=5)) == (chat, direct, Flow(callers=5))
