"""50,000 folded lines: opened, drawn and moved in, as ratios to simply splitting their text.

Run by hand: python -m tests.bench.bench_flame
"""

from __future__ import annotations

import random
import sys
from time import perf_counter  # noqa: TID251 - a benchmark
from typing import TYPE_CHECKING

from perfconsole.stacks.folded import read_folded
from perfconsole.stacks.reading import read_profile
from perfconsole.stacks.tree import flame_tree, functions, matching, turned_over
from perfconsole.view.flamegraph import Flame, graph_rows, moved, zoomed
from perfconsole.view.glyphs import UNICODE

if TYPE_CHECKING:
    from collections.abc import Callable

LINES, DEPTH, COLUMNS, ROWS = 50_000, 20, 200, 60


def text() -> str:
    """Lines of a made-up service: a few thousand functions, paths that branch everywhere."""
    draw = random.Random(7)  # noqa: S311 - a made-up load
    names = [f"function_{n} (/srv/app/package_{n % 90}/module_{n % 700}.py:{n % 400 + 1})" for n in range(3000)]
    head = "thread (7): MainThread;<module> (/srv/app/main.py:9);run (/usr/lib/python3.11/asyncio/runners.py:190)"
    bands = [names[depth * 100 : depth * 100 + 60] for depth in range(DEPTH)]
    return "".join(f"{head};{';'.join(map(draw.choice, bands))} {draw.randint(1, 9)}\n" for _ in range(LINES))


def timed(work: Callable[[], object]) -> float:
    """Seconds, the best of three."""
    best = float("inf")
    for _ in range(3):
        began = perf_counter()
        work()
        best = min(best, perf_counter() - began)
    return best


def main() -> None:
    """Print each step with its ratio to splitting the text."""
    folded = text()
    base = timed(lambda: [line.split(";") for line in folded.split("\n")])
    profile = read_folded(folded)

    def unread(_file: str, _line: int) -> None:
        return None

    tree = flame_tree(profile, unread)
    flame = Flame.of(tree)
    deep = zoomed(moved(moved(flame, "down", COLUMNS), "down", COLUMNS))
    steps = (
        ("read the file", lambda: read_folded(folded)),
        ("say what it means", lambda: read_profile(profile, unread)),
        ("add it up", lambda: flame_tree(profile, unread)),
        ("list functions", lambda: functions(tree)),
        ("first drawing", lambda: graph_rows(Flame.of(tree), COLUMNS, ROWS, UNICODE)),
        ("a key", lambda: graph_rows(moved(deep, "down", COLUMNS), COLUMNS, ROWS, UNICODE)),
        ("a letter of a search", lambda: matching(tree, "function_29")),
        ("turn it over", lambda: graph_rows(Flame.of(turned_over(tree)), COLUMNS, ROWS, UNICODE)),
    )
    sys.stdout.write(f"{'split its text':22} {base * 1000:8.1f} ms\n")
    for name, work in steps:
        took = timed(work)
        sys.stdout.write(f"{name:22} {took * 1000:8.1f} ms  {took / base:6.1f} x\n")


if __name__ == "__main__":
    main()
