"""The routes of the engine's front-end, without a core."""

from __future__ import annotations

import asyncio

import pytest

from perfconsole.clock import ManualClock
from perfconsole.demo.scenarios import chosen
from perfconsole.demo.serve.engine import FrontEnd, python_part
from perfconsole.demo.serve.own import Cue
from perfconsole.demo.serve.web import Asked
from tests.demo.serve.replying import reply, status


@pytest.mark.parametrize("path", ["/metrics", "/health"])
def test_without_a_core_nothing_is_ready(path: str) -> None:
    """503, as while an engine loads."""
    front = FrontEnd(Cue(chosen("healthy")), ManualClock(1.0), ())
    answer, kept = reply()
    asyncio.run(front.handle(Asked("GET", path, b""), answer))
    assert status(kept) == 503


def test_the_interpreter_shows_its_real_collector() -> None:
    """Three generations."""
    assert python_part(0.0).count("python_gc_collections_total{") == 3
