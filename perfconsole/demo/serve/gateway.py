"""The simulated gateway: passes model calls on to the engine and counts them, under the routes of LiteLLM."""

from __future__ import annotations

import asyncio
import json
import sys
from typing import TYPE_CHECKING, Any

from perfconsole.clock import SystemClock
from perfconsole.demo.model.gateway import GatewayModel, Passed
from perfconsole.demo.model.serverpage import process_part
from perfconsole.demo.serve import own
from perfconsole.demo.serve.engine import CHAT
from perfconsole.demo.serve.web import HOST, TEXT, Asked, Client, Reply

if TYPE_CHECKING:
    from collections.abc import Sequence

    from perfconsole.clock import Clock


class Gateway:
    """Routes and figures; the figures begin anew with each scenario, as after a restart."""

    def __init__(self, cue: own.Cue, clock: Clock, engine_port: int) -> None:
        self._cue = cue
        self._clock = clock
        self._upstream = f"http://{HOST}:{engine_port}/v1"
        self._engine = Client(engine_port)
        self._scene = -1
        self._figures = GatewayModel(self._upstream, clock.wall())

    async def handle(self, asked: Asked, reply: Reply) -> None:
        """Answer one request."""
        self._turn_page()
        if asked.path == "/metrics":
            await reply.whole(b"", "307 Temporary Redirect\r\nLocation: /metrics/")
        elif asked.path == "/metrics/":
            process = process_part(own.figures(self._figures.start_epoch_s))
            await reply.whole((process + self._figures.page()).encode(), kind=TEXT)
        elif asked.path == "/health/liveliness":
            await reply.whole(b'"I\'m alive!"')
        elif asked.path == CHAT and asked.method == "POST":
            await self._pass_on(self._figures, asked, reply)
        else:
            await reply.whole(b"{}", "404 Not Found")

    def _turn_page(self) -> None:
        number = self._cue.script.at(self._clock.now()).number
        if number != self._scene:
            self._scene = number
            self._figures = GatewayModel(self._upstream, self._clock.wall())

    async def _pass_on(self, figures: GatewayModel, asked: Asked, reply: Reply) -> None:
        started = self._clock.now()
        document = json.loads(asked.body)
        firsts: list[float] = []

        async def first() -> None:
            firsts.append(self._clock.now() - started)
            await reply.first_line({"generated": 1})

        figures.begin()
        status, answer = 500, dict[str, Any]()
        try:
            status, answer = await self._engine.post(CHAT, document, first)
        except ConnectionError:
            pass  # the engine does not answer: a failed request like any other
        finally:
            took = self._clock.now() - started
            output, prompt = int(answer.get("generated", 0)), int(document.get("prompt_tokens", 0))
            figures.end(Passed(status, took, took, firsts[0] if firsts else None, prompt, output))
        if firsts:
            await reply.last_line(answer)
        else:
            await reply.whole(b"{}", f"{status} -")


async def _serve(argv: Sequence[str]) -> None:
    known, cue = own.arguments(argv, "--port", "--engine-port")
    gateway = Gateway(cue, SystemClock(), known.engine_port)
    await own.serve(known.port, gateway.handle, cue)


if __name__ == "__main__":
    asyncio.run(_serve(sys.argv[1:]))
