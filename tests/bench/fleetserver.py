"""A fleet of engines on the loopback interface, one port each, that says when it was asked.

Run by bench_fleet: `python -m tests.bench.fleetserver TARGETS SECONDS LOG SLOW_S`. Prints the ports, one line, serves
until the time is over or a line comes on its standard input, and writes when it was asked for what (monotonic) to LOG.
"""

from __future__ import annotations

import asyncio
import json
import re
import sys
from functools import lru_cache
from pathlib import Path

from perfconsole.clock import SystemClock

CAPTURES = Path(__file__).parent.parent / "captures"
PAGE_BYTES = 100_000
CLOCK = SystemClock()
_GROWING = re.compile(r"_(total|count|sum|bucket)$")
_LINE = re.compile(r"([^#\s{]+)(\{.*\})? (\S+)")
_MODEL = re.compile(r'model_name="[^"]*"')


class Kind:
    """The page of one kind of engine: what stands in front of each number, and the number at the start."""

    def __init__(self, capture: Path, rank_label: str) -> None:
        self.lines: list[tuple[str, float, bool]] = []
        """Text in front of the number, the number, whether it grows. A comment has no number of its own."""
        plain = capture.read_text().splitlines()
        extra = [line for line in plain if f'{rank_label}="0"' in line]
        size, rank = sum(map(len, plain)), 1
        while size < PAGE_BYTES:
            more = [line.replace(f'{rank_label}="0"', f'{rank_label}="{rank}"') for line in extra]
            plain += more[: max(1, (PAGE_BYTES - size) * len(more) // sum(map(len, more)))]
            size, rank = sum(map(len, plain)), rank + 1
        for line in plain:
            self._add(_MODEL.sub('model_name="MODEL-NAME"', line))

    def _add(self, line: str) -> None:
        found = _LINE.fullmatch(line)
        if found is None:
            self.lines.append((line, 0.0, False))
            return
        grows = bool(_GROWING.search(found[1])) and "created" not in found[1]
        self.lines.append((f"{found[1]}{found[2] or ''} ", float(found[3]), grows))

    @lru_cache(maxsize=2)  # noqa: B019 - one object of a kind, as long as the program
    def page(self, second: int) -> bytes:
        """The page at a second: counts grow by 1 % of themselves and one, half of the gauges move."""
        text = []
        for place, (head, number, grows) in enumerate(self.lines):
            if not head.endswith(" ") or head.startswith("#"):
                text.append(head)
            elif grows:
                text.append(f"{head}{number + second * (1 + number // 100)}")
            else:
                text.append(f"{head}{number + (second % 7 if number and place % 2 else 0)}")
        return ("\n".join(text) + "\n").encode()


class Asked(asyncio.Protocol):
    """One connection to one engine of the fleet."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._transport: asyncio.Transport | None = None
        self._rest = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Answers go there."""
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        """Answer each whole question."""
        *heads, self._rest = (self._rest + data).split(b"\r\n\r\n")
        for head in heads:
            self._answer(head.split(b" ", 2)[1])

    def _answer(self, path: bytes) -> None:
        status, body = self._engine.answer(path)
        head = f"HTTP/1.1 {status}\r\nContent-Type: text/plain; version=0.0.4\r\nContent-Length: {len(body)}\r\n\r\n"
        late_s = self._engine.slow_s if path == b"/metrics" else 0.0
        asyncio.get_running_loop().call_later(late_s, self._send, head.encode() + body)

    def _send(self, answer: bytes) -> None:
        if self._transport is not None and not self._transport.is_closing():
            self._transport.write(answer)


class Engine:
    """One engine: its page, its health, and when it was asked."""

    def __init__(self, number: int, kind: Kind, slow_s: float) -> None:
        self.slow_s = slow_s
        self.asked: dict[str, list[float]] = {}
        self._name = b"model-%04d" % number
        self._kind = kind

    def answer(self, path: bytes) -> tuple[str, bytes]:
        """Status and body; pages of different engines differ in a name."""
        now = CLOCK.now()
        self.asked.setdefault(path.decode(), []).append(now)
        if path == b"/metrics":
            return "200 OK", self._kind.page(int(now)).replace(b"MODEL-NAME", self._name)
        return ("200 OK", b"") if path == b"/health" else ("404 Not Found", b"")


async def serve(count: int, seconds: float, slow_s: float) -> list[dict[str, list[float]]]:
    """Serve for so long, the last engine slowly; when each was asked for what."""
    kinds = [Kind(CAPTURES / "vllm" / "load.prom", "engine")]
    engines = [Engine(n, kinds[n % len(kinds)], slow_s if n == count - 1 else 0.0) for n in range(count)]
    loop = asyncio.get_running_loop()
    servers = [await loop.create_server(lambda e=e: Asked(e), "127.0.0.1", 0) for e in engines]  # type: ignore[misc]
    print(*(server.sockets[0].getsockname()[1] for server in servers), flush=True)
    ended = loop.create_future()
    loop.add_reader(0, ended.cancel)
    await asyncio.wait([ended], timeout=seconds)
    return [engine.asked for engine in engines]


if __name__ == "__main__":
    asked = asyncio.run(serve(int(sys.argv[1]), float(sys.argv[2]), float(sys.argv[4])))
    Path(sys.argv[3]).write_text(json.dumps(asked))
