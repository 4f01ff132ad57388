"""The front-end's end of the pipes to an engine core: starts it, sends requests, spreads events, keeps the page."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import perfconsole

if TYPE_CHECKING:
    from collections.abc import Sequence

    from perfconsole.demo.model.request import Ask

TITLE = "VLLM::EngineCore (simulated)"
"""Title of the process, as the console's process source knows engine cores; it says what it is to whoever reads it."""
_PAGE_LIMIT = 1024 * 1024


class CoreLink:
    """One core process and the requests that it holds."""

    def __init__(self, pid: int, reader: asyncio.StreamReader, transport: asyncio.WriteTransport) -> None:
        self.pid = pid
        self.page = b""
        self.card = b""
        """State of its GPU, for the helper that answers in the place of NVML."""
        self._reader = reader
        self._transport = transport
        self._events: dict[int, asyncio.Queue[tuple[int, bool]]] = {}
        self._numbers = 0
        self._stopped = False
        self._has_page = asyncio.Event()
        self._reading = asyncio.ensure_future(self._read())

    @property
    def held(self) -> int:
        """Requests that have not ended."""
        return len(self._events)

    async def ready(self) -> None:
        """Wait for the first page; ChildProcessError when the process ended before."""
        await self._has_page.wait()
        if not self.page:
            raise ChildProcessError("the simulated engine core ended at its start")

    def send(self, ask: Ask) -> tuple[int, asyncio.Queue[tuple[int, bool]]]:
        """Its number and the queue of its events: tokens so far, and whether it has ended."""
        self._numbers += 1
        events = self._events[self._numbers] = asyncio.Queue()
        self._transport.write(json.dumps([self._numbers, ask.prompt, ask.output, ask.each]).encode() + b"\n")
        return self._numbers, events

    def abort(self, number: int) -> None:
        """Whoever sent it has left; one that has ended is none of the core's business."""
        if self._events.pop(number, None) is not None:
            self._transport.write(b"[%d]\n" % number)

    def begin(self, start: float) -> None:
        """Tell it when the script began."""
        self._transport.write(b"%r\n" % start)

    def stop(self, *, stopped: bool) -> None:
        """Really stop the process, or let it go on."""
        if stopped != self._stopped:
            self._stopped = stopped
            os.kill(self.pid, signal.SIGSTOP if stopped else signal.SIGCONT)

    def kill(self) -> None:
        """End the process and reap it. What it holds ends with the tokens that it has, as nobody will make more."""
        self._reading.cancel()
        for events in self._events.values():
            events.put_nowait((0, True))
        self._events.clear()
        self._transport.abort()
        with suppress(OSError):
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)

    async def _read(self) -> None:
        """Until the pipe ends: events, and pages with their length before them."""
        try:
            while True:
                words = (await self._reader.readuntil(b"\n")).split()
                if words[0] == b"page":
                    self.page = await self._reader.readexactly(int(words[1]))
                    self._has_page.set()
                elif words[0] == b"card":
                    self.card = await self._reader.readexactly(int(words[1]))
                else:
                    self._spread(*map(int, words))
        except (asyncio.IncompleteReadError, ValueError):
            self._has_page.set()  # whoever waits for it waits in vain

    def _spread(self, number: int, generated: int, ended: int) -> None:
        if number in self._events:
            self._events[number].put_nowait((generated, bool(ended)))
            if ended:
                del self._events[number]


async def start_core(flags: Sequence[str]) -> CoreLink:
    """A core process, child of this one: what ends this one ends it too."""
    loop = asyncio.get_running_loop()
    pid, into, out = _spawn(flags)
    reader = asyncio.StreamReader(limit=_PAGE_LIMIT)
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), os.fdopen(out, "rb"))
    transport, _ = await loop.connect_write_pipe(asyncio.BaseProtocol, os.fdopen(into, "wb"))
    return CoreLink(pid, reader, transport)


def _spawn(flags: Sequence[str]) -> tuple[int, int, int]:
    """Its process number, the pipe into it and the pipe out of it."""
    from_here, to_here = os.pipe(), os.pipe()
    actions = [(os.POSIX_SPAWN_DUP2, from_here[0], 0), (os.POSIX_SPAWN_DUP2, to_here[1], 1)]
    # A title in the place of the program's name hides from Python where it lives.
    environment = os.environ | {
        "PYTHONHOME": sys.base_prefix,
        "PYTHONPATH": str(Path(perfconsole.__file__).parents[1]),
    }
    argv = [TITLE, "-m", "perfconsole.demo.serve.core", *flags, "--parent", str(os.getpid())]
    pid = os.posix_spawn(sys.executable, argv, environment, file_actions=actions)
    os.close(from_here[0])
    os.close(to_here[1])
    return pid, from_here[1], to_here[0]
