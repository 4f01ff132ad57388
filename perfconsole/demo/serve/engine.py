"""The simulated engine's front-end: HTTP for callers and for the console, in front of a core process of its own.

It starts a fresh core for each scenario, so that nothing of the last one is left in the counters, and stops the core
where the script says so.
"""

from __future__ import annotations

import asyncio
import gc
import json
import os
import platform
import signal
import sys
from contextlib import suppress
from typing import TYPE_CHECKING

from perfconsole.clock import SystemClock
from perfconsole.demo.model.chat import DONE, MODELS, Chat, ChatError, Words, read_chat
from perfconsole.demo.model.enginepage import VERSION
from perfconsole.demo.model.pagetext import PageText
from perfconsole.demo.model.request import Ask
from perfconsole.demo.model.serverpage import HttpStats, process_part
from perfconsole.demo.serve import own
from perfconsole.demo.serve.corelink import CoreLink, start_core
from perfconsole.demo.serve.web import TEXT, Asked, Reply, listen

if TYPE_CHECKING:
    from collections.abc import Sequence

    from perfconsole.clock import Clock


CHAT = "/v1/chat/completions"
_TICK_S = 0.1
_LAST_WORD_S = 4.0
"""An old core may finish what it holds for so long."""
_LONGEST = 8192
_AFTER_PROBE_S = 3.0
"""The play stands still so long behind the last streamed answer: the steps of a probe have pauses between them."""


class FrontEnd:
    """Routes, figures and the core of now."""

    def __init__(self, cue: own.Cue, clock: Clock, flags: Sequence[str]) -> None:
        self._cue = cue
        self._clock = clock
        self._flags = flags
        self.core: CoreLink | None = None
        """The core of now; None until there is one."""
        self._scene = 0
        self._born = clock.wall()
        self._http = HttpStats(CHAT)
        self._farewells: set[asyncio.Task[None]] = set()
        self._streams = 0
        self._streamed = -_AFTER_PROBE_S
        """When the last stream was open."""

    async def serve(self, port: int) -> None:
        """All of it, until cancelled."""
        await self.renew()
        await asyncio.start_unix_server(self.show_card, own.card_place(port))
        await listen(port, self.handle)
        await self._cue.wait()
        await self.direct()

    def close(self) -> None:
        """End the core, and reap it."""
        if self.core is not None:
            self.core.kill()

    async def direct(self) -> None:
        """Follow the script for ever: the right core, stopped or not."""
        self._tell()
        while True:
            self.stand_still(self._clock.now())
            moment = self._cue.at(self._clock.now())
            if moment.number != self._scene:
                self._scene = moment.number
                await self.renew()
                self._tell()
            if self.core is not None:
                self.core.stop(stopped=moment.conditions.frozen)
            await asyncio.sleep(_TICK_S)

    def stand_still(self, now: float) -> None:
        """Let the play wait for a probe: only those who stream are no part of it."""
        if self._streams:
            self._streamed = now
            self._cue.standstill.hold(now)
        elif now - self._streamed >= _AFTER_PROBE_S:
            self._cue.standstill.release(now)

    def _tell(self) -> None:
        if self.core is not None:
            self.core.begin(self._cue.script.start)

    async def renew(self) -> None:
        """Put a fresh core in the place of the one that is there."""
        old, fresh = self.core, await start_core(self._flags)
        await fresh.ready()
        self.core, self._born, self._http = fresh, self._clock.wall(), HttpStats(CHAT)
        if old is not None:
            farewell = asyncio.ensure_future(self._dismiss(old))
            self._farewells.add(farewell)
            farewell.add_done_callback(self._farewells.discard)

    @staticmethod
    async def _dismiss(old: CoreLink) -> None:
        for _ in range(round(_LAST_WORD_S / _TICK_S)):
            if not old.held:
                break
            await asyncio.sleep(_TICK_S)
        old.kill()

    async def handle(self, asked: Asked, reply: Reply) -> None:
        """Answer one request."""
        if self.core is None:
            await reply.whole(b'{"detail": "the simulated engine starts"}', "503 Service Unavailable")
        elif asked.path == "/metrics":
            await reply.whole(self._page(self.core), kind=TEXT)
        elif asked.path == "/health":
            await reply.whole()
        elif asked.path == "/version":
            await reply.whole(json.dumps({"version": VERSION}).encode())
        elif asked.path == "/v1/models":
            await reply.whole(MODELS)
        elif asked.path == CHAT and asked.method == "POST":
            await self._answer(self.core, asked, reply)
        else:
            await reply.whole(b"{}", "404 Not Found")

    async def show_card(self, _reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """The state of the GPU to whoever connects to the place of the card."""
        writer.write(self.core.card if self.core else b"")
        writer.close()

    async def _answer(self, core: CoreLink, asked: Asked, reply: Reply) -> None:
        """To a caller of the play by its lengths, to anybody else as an engine does."""
        document = json.loads(asked.body)
        started, http, status = self._clock.now(), self._http, 200
        http.begin(len(asked.body))
        try:
            if "prompt_tokens" in document:
                await self._lengths(core, document, reply)
            else:
                await reply.unless_left(self._stream(core, read_chat(document, _LONGEST), reply))
        except ChatError as error:
            status = int(error.status.split(" ", 1)[0])
            await reply.whole(error.body, error.status)
        finally:
            http.end(status, self._clock.now() - started)

    @staticmethod
    async def _lengths(core: CoreLink, document: dict[str, int], reply: Reply) -> None:
        prompt, output = (max(1, min(_LONGEST // 2, int(document[k]))) for k in ("prompt_tokens", "max_tokens"))
        number, events = core.send(Ask(prompt, output))
        try:
            generated, ended = await events.get()
            await reply.first_line({"generated": generated})
            while not ended:
                generated, ended = await events.get()
            await reply.last_line({"generated": generated})
        finally:
            core.abort(number)

    async def _stream(self, core: CoreLink, chat: Chat, reply: Reply) -> None:
        """Token by token, as the core makes them: the request waits, runs and fills the cache like any other."""
        self._streams += 1
        number, events = core.send(chat.ask)
        words, made, ended = Words(number, int(self._clock.wall())), 0, False
        try:
            await reply.stream()
            while not ended:
                generated, ended = await events.get()
                if generated:  # a core that was put away makes no more
                    await reply.piece(words.next if made else words.first)
                    made = generated
            usage = words.usage(chat.ask.prompt, made) if chat.usage else b""
            await reply.piece(words.end() + usage + DONE)
            await reply.end_stream()
        finally:
            core.abort(number)
            self._streams -= 1

    def _page(self, core: CoreLink) -> bytes:
        parts = (python_part(self._born), process_part(own.figures(self._born)))
        return "".join(parts).encode() + core.page + self._http.part(self._born).encode()


def python_part(born: float) -> str:
    """Real figures of the interpreter that serves the page."""
    page = PageText(born)
    figures = list(enumerate(gc.get_stats()))
    names = (
        ("objects_collected", "collected"),
        ("objects_uncollectable", "uncollectable"),
        ("collections", "collections"),
    )
    text = ""
    for name, key in names:
        samples = [f'python_gc_{name}_total{{generation="{i}"}} {float(f[key])!r}' for i, f in figures]
        text += f"# TYPE python_gc_{name}_total counter\n" + "\n".join(samples) + "\n"
    major, minor, patch = platform.python_version_tuple()
    version = (("version", platform.python_version()), ("major", major), ("minor", minor), ("patchlevel", patch))
    page.gauge("python_info", [((("implementation", platform.python_implementation()), *version), 1)])
    return text + page.text


async def _serve(argv: Sequence[str]) -> None:
    known, cue = own.arguments(argv, "--port", "--max-num-seqs")
    flags = ("--scenario", known.scenario, "--max-num-seqs", str(known.max_num_seqs), "--standstill", known.standstill)
    front = FrontEnd(cue, SystemClock(), flags)
    this = asyncio.ensure_future(front.serve(known.port))
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, this.cancel)
    with suppress(asyncio.CancelledError):
        await this
    front.close()
    os._exit(0)  # a thread still waits for the cue if that never came


if __name__ == "__main__":
    asyncio.run(_serve(sys.argv[1:]))
