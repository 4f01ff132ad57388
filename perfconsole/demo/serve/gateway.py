"""The simulated gateway: passes model calls on to the engine and counts them, under the routes of LiteLLM."""

from __future__ import annotations

import asyncio
import json
import sys
from contextlib import aclosing
from typing import TYPE_CHECKING, Any

from perfconsole.clock import SystemClock
from perfconsole.demo.model.chat import MODELS
from perfconsole.demo.model.gateway import GatewayModel, Passed
from perfconsole.demo.model.passing import Passing
from perfconsole.demo.model.serverpage import process_part
from perfconsole.demo.serve import own
from perfconsole.demo.serve.engine import CHAT
from perfconsole.demo.serve.web import HOST, TEXT, Asked, Client, NotStreamedError, Reply

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
        elif asked.path == "/v1/models":
            await reply.whole(MODELS)
        elif asked.path == CHAT and asked.method == "POST":
            document = json.loads(asked.body)
            if "prompt_tokens" in document:
                await self._pass_on(self._figures, document, reply)
            else:
                await reply.unless_left(self._stream(self._figures, asked.body, reply))
        else:
            await reply.whole(b"{}", "404 Not Found")

    def close(self) -> None:
        """Give the connections to the engine up."""
        self._engine.close()

    def _turn_page(self) -> None:
        number = self._cue.at(self._clock.now()).number
        if number != self._scene:
            self._scene = number
            self._figures = GatewayModel(self._upstream, self._clock.wall())

    @property
    def _buffers(self) -> bool:
        """It keeps answers back until they are whole."""
        return self._cue.at(self._clock.now()).conditions.buffered

    async def _pass_on(self, figures: GatewayModel, document: dict[str, Any], reply: Reply) -> None:
        started, buffers = self._clock.now(), self._buffers
        firsts: list[float] = []

        async def first() -> None:
            firsts.append(self._clock.now() - started)
            if not buffers:
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
            seen = (took if buffers else firsts[0]) if firsts else None
            figures.end(Passed(status, took, took, seen, prompt, output))
        if not firsts:
            await reply.whole(b"{}", f"{status} -")
            return
        if buffers:
            await reply.first_line({"generated": 1})
        await reply.last_line(answer)

    async def _stream(self, figures: GatewayModel, body: bytes, reply: Reply) -> None:
        """Piece by piece, or all at the end."""
        passing = Passing(self._clock.now(), buffers=self._buffers)
        figures.begin()
        try:
            async with aclosing(self._engine.stream(CHAT, body)) as pieces:
                async for piece in pieces:
                    await reply.pieces(passing.take(piece, self._clock.now()))
            await reply.pieces(passing.rest(self._clock.now()))
            await reply.end_stream()
        except NotStreamedError as refusal:
            passing.status = refusal.status
            await reply.whole(refusal.body, f"{refusal.status} -")
        except ConnectionError:
            passing.status = 500
            raise
        finally:
            figures.end(passing.passed(self._clock.now()))


async def _serve(argv: Sequence[str]) -> None:
    known, cue = own.arguments(argv, "--port", "--engine-port")
    gateway = Gateway(cue, SystemClock(), known.engine_port)
    try:
        await own.serve(known.port, gateway.handle, cue)
    finally:
        gateway.close()


if __name__ == "__main__":
    asyncio.run(_serve(sys.argv[1:]))
