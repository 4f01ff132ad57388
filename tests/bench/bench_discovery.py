"""What a look of discovery costs on this host, with more processes and listening ports than it has by itself.

Run by hand: python -m tests.bench.bench_discovery [PROCESSES] [PORTS]. Prints the first look, which meets everything
for the first time, and the median and worst of a hundred later ones.
"""

from __future__ import annotations

import os
import signal
import socket
import statistics
import sys
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

from perfconsole.clock import SystemClock
from perfconsole.sources.discovery.source import DiscoverySource

if TYPE_CHECKING:
    from collections.abc import Iterator

CLOCK = SystemClock()
_LOOKS = 100


@contextmanager
def sleepers(count: int) -> Iterator[None]:
    """So many children that do nothing."""
    pids = []
    try:
        for _ in range(count):
            pid = os.fork()
            if pid == 0:
                signal.pause()
                os._exit(0)
            pids.append(pid)
        yield
    finally:
        for pid in pids:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)


def look_ms(source: DiscoverySource) -> float:
    """Milliseconds of one look."""
    began = CLOCK.now()
    source.poll(began, CLOCK.wall())
    return (CLOCK.now() - began) * 1000


def main() -> None:
    """Both figures."""
    processes = int(sys.argv[1]) if len(sys.argv) > 1 else 250
    ports = int(sys.argv[2]) if len(sys.argv) > 2 else 20
    with sleepers(processes), ExitStack() as stack:
        for _ in range(ports):
            stack.enter_context(socket.create_server(("127.0.0.1", 0)))
        source = DiscoverySource(lambda _found: None, frozenset)
        first = look_ms(source)
        later = sorted(look_ms(source) for _ in range(_LOOKS))
        idle = later[: _LOOKS * 9 // 10]
        sys.stdout.write(f"{len(os.listdir('/proc'))} entries in /proc, {ports} ports of our own\n")  # noqa: PTH208 - a count
        sys.stdout.write(
            f"first look {first:.1f} ms, later median {statistics.median(idle):.2f} ms, worst {later[-1]:.1f} ms\n"
        )


if __name__ == "__main__":
    main()
