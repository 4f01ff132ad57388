"""How long a key waits for its answer on the screen, on terminals and with sources of every temper.

Run by hand: python -m tests.bench.bench_keys [ROUNDS]. Each row: median and worst time from a key to the first byte of
its answer at the terminal, and the bytes that stood before it.
"""

from __future__ import annotations

import socket
import statistics
import sys
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, NamedTuple

from perfconsole.clock import SystemClock
from tests.tui.ptys import Console, console

if TYPE_CHECKING:
    from collections.abc import Iterator

CLOCK = SystemClock()
SLOW_BYTES_S = 2000
_PAGE = "".join(f'vllm:padding_{i}_total{{model_name="m",engine="0"}} {i}\n' for i in range(22_000))


class Wait(NamedTuple):
    """One key."""

    seconds: float
    bytes_before: int


class _Handler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        """A page of 1 MB."""
        body = ('vllm:num_requests_running{model_name="m",engine="0"} 3\n' + _PAGE).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class calls it so
        """Say nothing."""


@contextmanager
def big_page() -> Iterator[str]:
    """An engine with a page of 1 MB."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()


@contextmanager
def hanging() -> Iterator[str]:
    """An engine that accepts and never answers."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield f"http://127.0.0.1:{server.getsockname()[1]}"


def drain(running: Console, seconds: float, rate: float | None) -> None:
    """Read for a while, at a rate if there is one."""
    end = CLOCK.now() + seconds
    while CLOCK.now() < end:
        _read(running, rate)


def _read(running: Console, rate: float | None) -> bytes:
    """One read; a slow terminal takes 40 bytes in 20 ms."""
    if rate is None:
        return running.read(0.02)
    began = CLOCK.now()
    data = running.read(0.001, int(rate * 0.02))
    CLOCK.sleep(0.02 - (CLOCK.now() - began))
    return data


def wait(running: Console, key: str, rate: float | None) -> Wait:
    """From a key to the change that it makes: the cursor's row is drawn in reverse, here or there."""
    before, began = len(running.output), CLOCK.now()
    running.send(key)
    while CLOCK.now() - began < 5.0:
        _read(running, rate)
        fresh = running.output[before:]
        found = fresh.find(b"[0;7") if b"[0;7" in fresh else fresh.find(b";7m")
        if found >= 0:
            return Wait(CLOCK.now() - began, found)
    return Wait(5.0, len(running.output) - before)


def measure(name: str, url: str, rounds: int, *, rate: float | None, answers: bool) -> None:
    """One row of the table."""
    with console("--engine", url, answers=answers) as running:
        drain(running, 8.0 if rate else 4.0, rate)
        waits = []
        for turn in range(rounds):
            waits.append(wait(running, "\t" if turn % 2 else "\x1b[Z", rate))
            drain(running, 1.3, rate)
    seconds = sorted(w.seconds for w in waits)
    bytes_before = max(w.bytes_before for w in waits)
    worst, median = seconds[-1] * 1000, statistics.median(seconds) * 1000
    sys.stdout.write(f"{name:46} median {median:5.0f} ms  worst {worst:5.0f} ms  bytes before {bytes_before:5}\n")


def main() -> None:
    """All rows."""
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 15
    with hanging() as url:
        measure("source hangs", url, rounds, rate=None, answers=True)
        measure("source hangs, terminal at 2 kB/s", url, rounds, rate=SLOW_BYTES_S, answers=True)
        measure("source hangs, 2 kB/s and never answers", url, rounds, rate=SLOW_BYTES_S, answers=False)
    with big_page() as url:
        measure("1 MB page each second", url, rounds, rate=None, answers=True)
        measure("1 MB page each second, terminal at 2 kB/s", url, rounds, rate=SLOW_BYTES_S, answers=True)
        measure("1 MB page, 2 kB/s and never answers", url, rounds, rate=SLOW_BYTES_S, answers=False)


if __name__ == "__main__":
    main()
