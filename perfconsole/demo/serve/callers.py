"""All who call: chats through the gateway, direct clients at the engine, tasks at the orchestrator."""

from __future__ import annotations

import asyncio
import sys
from contextlib import suppress
from random import Random
from typing import TYPE_CHECKING, Any

from perfconsole.clock import SystemClock
from perfconsole.demo.model.traffic import Flow, Traffic
from perfconsole.demo.serve import own
from perfconsole.demo.serve.engine import CHAT
from perfconsole.demo.serve.orchestrator import TASKS
from perfconsole.demo.serve.web import Client

if TYPE_CHECKING:
    from collections.abc import Sequence

    from perfconsole.demo.scenarios import Conditions

_TICK_S = 0.1
_PATIENCE_S = 0.5
"""A caller that was refused waits before the next attempt: the servers may still be starting."""


class Crowd:
    """The callers of one kind."""

    def __init__(self, port: int, path: str, seed: int, now: float) -> None:
        self._client = Client(port)
        self._path = path
        self._traffic = Traffic(Random(seed), now)  # noqa: S311 - chance of a simulation
        self._open: set[asyncio.Task[None]] = set()

    def send(self, flow: Flow, now: float) -> None:
        """Start what is due."""
        for ask in self._traffic.due(flow, now, len(self._open)):
            document = {"prompt_tokens": ask.prompt, "max_tokens": ask.output}
            call = asyncio.ensure_future(self._call(document))
            self._open.add(call)
            call.add_done_callback(self._open.discard)

    async def _call(self, document: dict[str, Any]) -> None:
        with suppress(ConnectionError, OSError):
            await self._client.post(self._path, document)
            return
        await asyncio.sleep(_PATIENCE_S)


def flows(conditions: Conditions) -> tuple[Flow, Flow, Flow]:
    """What comes to the gateway, to the engine, to the orchestrator."""
    return conditions.chat, conditions.direct, Flow(callers=conditions.tasks)


async def _serve(argv: Sequence[str]) -> None:
    known, cue = own.arguments(argv, "--gateway-port", "--engine-port", "--orchestrator-port")
    clock = SystemClock()
    await cue.wait()
    start = cue.script.start
    places = ((known.gateway_port, CHAT), (known.engine_port, CHAT), (known.orchestrator_port, TASKS))
    crowds = [Crowd(port, path, seed, start) for seed, (port, path) in enumerate(places)]
    clock.sleep(start - clock.now())
    while True:
        now = clock.now()
        for crowd, flow in zip(crowds, flows(cue.at(now).conditions), strict=True):
            crowd.send(flow, now)
        await asyncio.sleep(_TICK_S)


if __name__ == "__main__":
    asyncio.run(_serve(sys.argv[1:]))
