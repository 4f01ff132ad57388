"""Tests of the name of a silent process."""

from __future__ import annotations

from perfconsole.sources.layer import ORCHESTRATOR
from perfconsole.sources.orchestrators import adapters
from perfconsole.sources.orchestrators.python import ADAPTER
from tests.sources.exposed import poll, target


def test_no_page_is_taken_for_that_of_a_silent_process() -> None:
    """It has none: whatever answers is something else."""
    agent = target(ORCHESTRATOR, (ADAPTER,))
    assert agent.batch(poll(b"python_info 1\n")).error is not None
    assert agent.adapter is None


def test_it_is_one_of_the_last_to_be_asked() -> None:
    """Whatever says more comes before."""
    names = [adapter.name for adapter in adapters()]
    assert names.index("fastapi") < names.index("prometheus-client")
    assert names.index("fastapi") < names.index("python")
