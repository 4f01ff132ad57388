"""What a tick costs, and how it grows with the number of rules: copies of the shipped rules on 16 engines.

Run by hand from the root of the repository: python -m tests.bench.bench_judge
"""

from __future__ import annotations

import gc
from dataclasses import replace
from timeit import default_timer
from typing import TYPE_CHECKING

from perfconsole.core.session import Session
from perfconsole.diagnose.rulefile import load_folder, shipped_folder
from perfconsole.model.entity import Entity, Kind, Link, Relation
from perfconsole.model.sample import Batch, Sample, SeriesKey

if TYPE_CHECKING:
    from perfconsole.model.rule import Rule

ENGINES = [Entity(Kind.ENGINE, f"e{i:02}") for i in range(16)]
HOST = Entity(Kind.HOST, "h")
TROUBLED = {
    "engine.requests_running": 64.0,
    "engine.requests_waiting": 40.0,
    "engine.kv_cache_usage": 0.97,
    "engine.batch_fill": 1.0,
    "engine.preemption_ratio": 0.6,
    "engine.ttft.p95": 9.0,
    "engine.itl.p90": 0.5,
    "engine.generation_rate": 0.0,
    "engine.prefill_rate": 0.0,
    "engine.request_rate": 0.0,
    "engine.up": 1.0,
    "engine.ready": 1.0,
}
QUIET = dict.fromkeys(TROUBLED, 0.0)
COPIES = (1, 2, 4, 8)
TICKS = 20


def rules(copies: int) -> list[Rule]:
    """Return the shipped rules so many times, each copy under names of its own."""
    shipped = load_folder(shipped_folder())[0]
    return [_copy(r, i) for i in range(copies) for r in shipped]


def _copy(rule: Rule, index: int) -> Rule:
    if not index:
        return rule
    return replace(rule, id=f"{rule.id}-{index}", explains=tuple(f"{e}-{index}" for e in rule.explains))


def batch(t: float, values: dict[str, float]) -> Batch:
    """Make one poll of all engines."""
    samples = tuple(Sample(SeriesKey(name, e), v + (t % 3) / 1000) for e in ENGINES for name, v in values.items())
    links = tuple(Link(Relation.HOST_HAS, HOST, e) for e in ENGINES)
    return Batch("bench", "bench", t, t, 1.0, samples=samples, links=links, took_s=0.0)


def tick_ms(copies: int, values: dict[str, float]) -> tuple[float, int]:
    """Measure the median milliseconds of a tick, and the findings at the end."""
    session = Session(rules(copies))
    taken = []
    for t in range(TICKS):
        session.apply(batch(float(t), values))
        gc.collect()
        start = default_timer()
        snapshot = session.tick(float(t), float(t))
        taken.append(default_timer() - start)
    return sorted(taken)[TICKS // 2] * 1000, len(snapshot.findings)


def main() -> None:
    """Measure and print."""
    for label, values in (("quiet", QUIET), ("all engines in trouble", TROUBLED)):
        print(f"{label}: {len(ENGINES)} engines, median of {TICKS} ticks")
        before = None
        for copies in COPIES:
            ms, findings = tick_ms(copies, values)
            growth = "" if before is None else f"{ms / before:8.2f}x for twice the rules"
            print(f"{len(rules(copies)):>6} rules{ms:10.1f} ms{findings:>8} findings{growth}")
            before = ms


if __name__ == "__main__":
    main()
