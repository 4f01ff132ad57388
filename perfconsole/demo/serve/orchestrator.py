"""The simulated orchestrator: a real event loop that runs agent tasks, each of 3 to 8 model calls and tool calls.

Where the script says so a tool call really sleeps inside the loop, as a synchronous client in an asynchronous route
does: then nothing in this process is answered, its health route included.
"""

from __future__ import annotations

import asyncio
import sys
from dataclasses import replace
from random import Random
from typing import TYPE_CHECKING

from perfconsole.clock import SystemClock
from perfconsole.demo.model.agentstats import AgentStats
from perfconsole.demo.model.serverpage import HttpStats, process_part
from perfconsole.demo.model.traffic import Flow, Traffic
from perfconsole.demo.serve import own
from perfconsole.demo.serve.engine import CHAT
from perfconsole.demo.serve.web import TEXT, Asked, Client, Reply

if TYPE_CHECKING:
    from collections.abc import Sequence

    from perfconsole.clock import Clock

TASKS = "/v1/tasks"
_CALL = Flow(prompt=400, output=50)
_TOOL_S = 0.3


class Orchestrator:
    """Routes, figures and the work of a task."""

    def __init__(self, cue: own.Cue, clock: Clock, gateway_port: int) -> None:
        self._cue = cue
        self._clock = clock
        self._gateway = Client(gateway_port)
        self._born = clock.wall()
        self._random = Random(5)  # noqa: S311 - lengths of simulated calls
        self._calls = Traffic(self._random, clock.now())
        self._http = HttpStats(TASKS, in_progress=True)
        self._agent = AgentStats()

    async def handle(self, asked: Asked, reply: Reply) -> None:
        """Answer one request."""
        if asked.path == "/health":
            await reply.whole(b'{"status": "ok"}')
        elif asked.path == "/metrics":
            page = process_part(own.figures(self._born)) + self._http.part(self._born) + self._agent.part(self._born)
            await reply.whole(page.encode(), kind=TEXT)
        elif asked.path == TASKS and asked.method == "POST":
            await self._task(asked, reply)
        else:
            await reply.whole(b"{}", "404 Not Found")

    async def _task(self, asked: Asked, reply: Reply) -> None:
        started = self._clock.now()
        self._http.begin(len(asked.body))
        status = 500
        try:
            calls = self._random.randint(3, 8)
            for place in range(calls):
                await self._model_call(0.5 + place / (calls - 1))
                await self._tool_call()
            status = 200
        except ConnectionError:
            pass  # the gateway does not answer: the task has failed
        finally:
            self._http.end(status, self._clock.now() - started)
        await reply.whole(b"{}", f"{status} -")

    async def _model_call(self, share: float) -> None:
        """A call with a prompt of this share of the usual one: each carries what came before in its task."""
        started = self._clock.now()
        ask = self._calls.ask(replace(_CALL, prompt=round(_CALL.prompt * share)))
        await self._gateway.post(CHAT, {"prompt_tokens": ask.prompt, "max_tokens": ask.output})
        self._agent.call(self._clock.now() - started, ask.prompt, ask.output)

    async def _tool_call(self) -> None:
        started = self._clock.now()
        blocking_s = self._cue.at(self._clock.now()).conditions.blocking_s
        if blocking_s:
            self._clock.sleep(blocking_s)  # the fault itself: the whole loop stands still
        else:
            await asyncio.sleep(_TOOL_S)
        self._agent.tool(self._clock.now() - started)


async def _serve(argv: Sequence[str]) -> None:
    known, cue = own.arguments(argv, "--port", "--gateway-port")
    orchestrator = Orchestrator(cue, SystemClock(), known.gateway_port)
    await own.serve(known.port, orchestrator.handle, cue)


if __name__ == "__main__":
    asyncio.run(_serve(sys.argv[1:]))
