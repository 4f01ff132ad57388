"""What the tests of the page of a probe share: a target that names its models, and a load process that is played."""

from __future__ import annotations

import json
import sys
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

from perfconsole.actions import loading
from perfconsole.actions.run import living
from perfconsole.model.sample import Fact
from perfconsole.probing import conductor
from tests.sources.servers import Peer, Server
from tests.view.pictures import ENGINE, snapshot

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pytest
    from textual.pilot import Pilot

    from perfconsole.model.snapshot import Snapshot

SHORT = ("--concurrency", "1,4", "--requests-per-step", "8", "--output-tokens", "64")


@contextmanager
def target(*models: str, status: str = "200 OK") -> Iterator[Server]:
    """Serves these models, and nothing else."""
    body = json.dumps({"data": [{"id": model} for model in models]}).encode()

    def answer(peer: Peer) -> None:
        while True:
            known = peer.request().startswith("GET /v1/models ")
            peer.page(body if known else b"", status=status if known else "404 Not Found")

    with Server(answer) as server:
        yield server


def watched(url: str, **changes: object) -> Snapshot:
    """A picture with one engine at this URL."""
    return snapshot(facts=(Fact("engine.url", ENGINE, url),), **changes)


def command(url: str, *options: str) -> tuple[str, ...]:
    """A check of a rule."""
    return ("perfconsole", "probe", "step-load", url, *(options or SHORT))


def play_load(monkeypatch: pytest.MonkeyPatch, mood: str = "") -> None:
    """Let the load process be one that sends nothing, and nobody wait for a last poll."""
    monkeypatch.setattr(conductor, "SETTLING_S", 0.0)
    argv = [sys.executable, "-m", "tests.commands.playedload", *([mood] if mood else [])]
    monkeypatch.setattr(loading, "load_argv", lambda: argv)


def load_processes() -> list[int]:
    """Those that still run, after a moment to end."""
    return [child.pid for child in living() if not child.wait(2.0)]


async def kept(pilot: Pilot[None]) -> None:
    """Nothing is being written any more: a word of it must not come after the end of the application."""
    while any(thread.name in ("probe files", "models") for thread in threading.enumerate()):
        await pilot.pause(0.01)
    await pilot.pause()
