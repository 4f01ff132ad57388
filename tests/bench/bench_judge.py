"""What judging costs, alone and within the whole tick, and how it grows with the rules and with the entities.

Run by hand from the root of the repository: python -m tests.bench.bench_judge [FOLDER OF RULES]
"""

from __future__ import annotations

import gc
import sys
from dataclasses import replace
from itertools import cycle, islice
from pathlib import Path
from resource import RUSAGE_SELF, getrusage
from statistics import median
from typing import TYPE_CHECKING, NamedTuple

from perfconsole.core.session import Session
from perfconsole.diagnose.rulefile import load_folder, shipped_folder
from tests.bench.healthy_world import World

if TYPE_CHECKING:
    from collections.abc import Callable

    from perfconsole.model.rule import Rule

FOLDER = Path(sys.argv[1]) if len(sys.argv) > 1 else shipped_folder()
STATES = {"quiet": 0.0, "a fifth in trouble": 0.2, "all in trouble": 1.0}
RULES, ENGINES = 100, 16
TICKS, SETTLED = 20, 65
"""After 60 s most holds are full: before, everything in trouble is only pending."""


class Cost(NamedTuple):
    """Milliseconds of CPU of one tick: the least and the median of many."""

    judge: float
    judge_median: float
    tick: float
    tick_median: float
    findings: int
    undecided: int


def rules(count: int) -> list[Rule]:
    """So many rules: those of the folder, then copies of them under names of their own."""
    loaded = load_folder(FOLDER)[0]
    found: list[Rule] = []
    while len(found) < count:
        found += [_renamed(rule, len(found) // len(loaded)) for rule in load_folder(FOLDER)[0]]
    return found[:count]


def _renamed(rule: Rule, index: int) -> Rule:
    if not index:
        return rule
    return replace(rule, id=f"{rule.id}-{index}", explains=tuple(f"{e}-{index}" for e in rule.explains))


def now() -> float:
    """CPU seconds of this process: the machine has other work, and nothing here waits."""
    return getrusage(RUSAGE_SELF).ru_utime


def timed(call: Callable[..., object], taken: list[float]) -> Callable[..., object]:
    """The call, with its seconds added to a list."""

    def timing(*args: object) -> object:
        start = now()
        found = call(*args)
        taken.append(now() - start)
        return found

    return timing


def cost(count: int, engines: int, troubled: float) -> Cost:
    """What a tick costs once the holds have run."""
    world, session = World(engines), Session(rules(count))
    judging: list[float] = []
    ticking: list[float] = []
    session._judge.judge = timed(session._judge.judge, judging)  # type: ignore[assignment,method-assign]
    batches = [world.batch(float(t), troubled) for t in range(3)]
    warm_up = SETTLED if troubled else TICKS // 2
    for t, batch in enumerate(islice(cycle(batches), warm_up + TICKS)):
        session.apply(replace(batch, t=float(t), wall=float(t)))
        if t >= warm_up:
            gc.collect()
        start = now()
        snapshot = session.tick(float(t), float(t))
        ticking.append(now() - start)
    least, middle = min(judging[-TICKS:]) * 1000, median(judging[-TICKS:]) * 1000
    tick, tick_middle = min(ticking[-TICKS:]) * 1000, median(ticking[-TICKS:]) * 1000
    return Cost(least, middle, tick, tick_middle, len(snapshot.findings), len(snapshot.undecided))


def show(label: str, found: Cost, against: Cost | None = None) -> None:
    """One line; the ratio is that of judging to the line it is compared with."""
    ratio = f"{found.judge / against.judge:8.2f}x" if against else ""
    print(
        f"  {label:<28}{found.judge:8.1f} {found.judge_median:8.1f} {found.tick:8.1f} {found.tick_median:8.1f}"
        f"{found.findings:>7}{found.undecided:>7}{ratio}",
        flush=True,
    )


def main() -> None:
    """Measure and print."""
    print(f"{RULES} rules of {FOLDER.name}, {ENGINES} engines, {TICKS} ticks; CPU ms of judging, and of a tick")
    print(f"  {'':<28}{'judge':>8} {'median':>8} {'tick':>8} {'median':>8}{'found':>7}{'open':>7}")
    quiet = None
    for label, troubled in STATES.items():
        found = cost(RULES, ENGINES, troubled)
        quiet = quiet or found
        show(label, found, quiet)
    for factor in (2, 4):
        show(f"quiet, {factor}x the rules", cost(RULES * factor, ENGINES, 0.0), quiet)
    for factor in (2, 4):
        show(f"quiet, {factor}x the entities", cost(RULES, ENGINES * factor, 0.0), quiet)


if __name__ == "__main__":
    main()
