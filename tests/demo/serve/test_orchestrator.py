"""The routes of the orchestrator; its loop is tested where it really runs, in the tests of the stage."""

from __future__ import annotations

import asyncio

import pytest

from perfconsole.clock import ManualClock
from perfconsole.demo.scenarios import chosen
from perfconsole.demo.serve.orchestrator import TASKS, Orchestrator
from perfconsole.demo.serve.own import Cue
from perfconsole.demo.serve.web import Asked
from tests.demo.serve.replying import reply, status
from tests.demo.serve.test_web import free_port


@pytest.mark.parametrize(
    ("method", "path", "expected"),
    [("GET", "/health", 200), ("GET", "/metrics", 200), ("GET", "/nowhere", 404), ("POST", TASKS, 500)],
)
def test_routes(method: str, path: str, expected: int) -> None:
    """A task without a gateway has failed."""
    orchestrator = Orchestrator(Cue(chosen("healthy")), ManualClock(1.0), free_port())
    answer, kept = reply()
    asyncio.run(orchestrator.handle(Asked(method, path, b""), answer))
    assert status(kept) == expected
