"""What it costs to watch 64 engines at once, and whether any of them is asked late because of another.

Run by hand from the root of the repository: python -m tests.bench.bench_fleet [TARGETS] [SECONDS]. A server process
serves as many pages of 100 kB on the loopback interface, each with its own names and with numbers that move every
second; the last one takes 5 s for its page. `perfconsole check` watches them all, as anybody would run it. When each
was asked is the server's word; CPU is that of the whole process, user and system, over wall time.
"""

from __future__ import annotations

import json
import sys
import tempfile
from itertools import pairwise
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, NamedTuple

import psutil

from perfconsole.actions.run import start
from perfconsole.clock import SystemClock

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from perfconsole.actions.run import Child

CLOCK = SystemClock()
SLOW_S = 5.0
SETTLED_S = 15.0
"""Start, first pages and the first look at everything: shown apart."""
_WAIT_S = 30.0


class Spent(NamedTuple):
    """CPU seconds of the product and of the machine at a moment."""

    t: float
    own: float
    system: float
    """Of its own, in the kernel."""
    switches: int
    machine: float


def spent(pid: int) -> Spent:
    """What a process and the machine have used so far."""
    process, machine = psutil.Process(pid), psutil.cpu_times()
    own, switches = process.cpu_times(), process.num_ctx_switches().voluntary
    return Spent(CLOCK.now(), own.user + own.system, own.system, switches, sum(machine) - machine.idle - machine.iowait)


def quantile(values: Sequence[float], share: float) -> float:
    """The value at a share of the way from the least to the largest."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def gaps(asked: dict[str, list[float]], since: float) -> list[float]:
    """Seconds between one question for the page and the next."""
    return [b - a for a, b in pairwise(asked.get("/metrics", [])) if a >= since]


def watched(argv: list[str], log: Path) -> Iterator[Spent]:
    """Run the product to its end; what it had spent at the start, when it had settled, and a moment before its end."""
    began = CLOCK.now()
    child = start([sys.executable, "-m", "perfconsole", "check", *argv, "--json", "-q"])
    seconds = float(argv[argv.index("--for") + 1])
    yield spent(child.pid)
    for moment in (SETTLED_S, seconds - 1.0):
        CLOCK.sleep(began + moment - CLOCK.now())
        yield spent(child.pid)
    log.write_bytes(said(child))


def said(child: Child) -> bytes:
    """All that it writes until it ends."""
    text, end = b"", CLOCK.now() + _WAIT_S
    while not child.mute and CLOCK.now() < end:
        text += child.take(1 << 20)
        child.last_words()
        CLOCK.sleep(0.01)
    child.end()
    return text


def show(asked: list[dict[str, list[float]]], moments: list[Spent], report: bytes) -> None:
    """Print what was measured."""
    begin, settled, end = moments
    wall = end.t - settled.t
    quick = [gap for engine in asked[:-1] for gap in gaps(engine, settled.t)]
    polls = sum(settled.t <= t <= end.t for e in asked for t in e.get("/metrics", []))
    health = sum(settled.t <= t <= end.t for e in asked for t in e.get("/health", []))
    cpu, others = (end.own - settled.own) / wall, (end.machine - settled.machine - end.own + settled.own) / wall
    first = [e["/metrics"][0] - begin.t for e in asked if "/metrics" in e]
    own_pace = [median(found) for e in asked[:-1] if (found := gaps(e, settled.t))]
    print(f"  CPU of the console        {cpu:7.1%} of a core ({others:.0%} used by others and by the server)")
    print(
        f"  CPU for one poll          {1000 * (end.own - settled.own) / polls:7.2f} ms, all that the second brings;"
        f" in the kernel {1000 * (end.system - settled.system) / polls:.2f} ms,"
        f" main thread switched {(end.switches - settled.switches) / wall:.0f} times a second"
    )
    print(f"  pages a second            {polls / wall:7.1f} of {len(asked)} targets, health {health / wall:.1f}")
    print(f"  between two polls, s      {_spread(quick)}")
    print(f"  of one target, median, s  {_spread(own_pace)}")
    print(f"  the slow one, s           {_spread(gaps(asked[-1], settled.t))}")
    print(
        f"  start to first question   {max(first):7.2f} s for the last of {len(first)}, {min(first):.2f} for the first"
    )
    print(f"  CPU until settled         {settled.own:7.2f} s in {settled.t - begin.t:.0f} s")
    sources = json.loads(report)["sources"] if report else []
    cadences = [s["cadence_s"] for s in sources if s["kind"] in ("engine", "metrics page")]
    states = {state: sum(s["state"] == state for s in sources) for state in sorted({s["state"] for s in sources})}
    print(f"  cadence as it says, s     {_spread(cadences)}; sources {states}")


def _spread(values: Sequence[float]) -> str:
    if not values:
        return "  none"
    return "".join(f"{name} {quantile(values, q):.3f}  " for name, q in (("p50", 0.5), ("p99", 0.99), ("max", 1.0)))


def main() -> None:
    """Measure and print."""
    count, seconds = [*map(int, sys.argv[1:3]), *(64, 60)[len(sys.argv) - 1 :]][:2]
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "asked.json"
        module = "tests.bench.fleetserver"
        server = start([sys.executable, "-m", module, str(count), str(seconds + 60), str(log), str(SLOW_S)])
        try:
            ports = (server.line(_WAIT_S) or b"").split()
            flags = [flag for port in ports for flag in ("--engine", f"http://127.0.0.1:{port.decode()}")]
            report = Path(folder) / "report.json"
            moments = list(watched([*flags, "--for", str(seconds)], report))
            server.send(b"\n")
            server.wait(_WAIT_S)
            print(f"{count} targets, {seconds} s of which {seconds - 1 - SETTLED_S:.0f} are measured")
            show(json.loads(log.read_text()), moments, report.read_bytes())
        finally:
            server.end()


if __name__ == "__main__":
    main()
