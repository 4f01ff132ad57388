"""`perfconsole probe` against a server that only names its models, with a load process that is played."""

from __future__ import annotations

import json
import sys
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from perfconsole.actions import loading
from perfconsole.commands import probelive
from tests.commands.running import Ran, perfconsole
from tests.sources.servers import Peer, Server

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pytest

STEPS = ("--concurrency", "1,4", "--requests-per-step", "20", "--output-tokens", "64")


@dataclass
class Stage:
    """A server, and the load process that the next probe gets."""

    server: Server
    monkeypatch: pytest.MonkeyPatch

    def play(self, mood: str) -> None:
        """Let the load process be in this mood."""
        argv = [sys.executable, "-m", "tests.commands.playedload", mood]
        self.monkeypatch.setattr(loading, "load_argv", lambda: argv)

    def probe(self, *words: object) -> Ran:
        """One probe of a few steps, without asking."""
        return perfconsole("probe", self.server.url, "--yes", *(words or STEPS))


@contextmanager
def stage(monkeypatch: pytest.MonkeyPatch, *models: str, status: str = "200 OK") -> Iterator[Stage]:
    """A target that serves these models, and nothing else that can be asked for."""
    body = json.dumps({"data": [{"id": model} for model in models]}).encode()

    def answer(peer: Peer) -> None:
        while True:
            known = peer.request().startswith("GET /v1/models ")
            peer.page(body if known else b"", status=status if known else "404 Not Found")

    for name in ("LOOK_S", "_PAUSE_S"):
        monkeypatch.setattr(probelive, name, 0.01)
    with Server(answer) as server:
        made = Stage(server, monkeypatch)
        made.play("")
        yield made
