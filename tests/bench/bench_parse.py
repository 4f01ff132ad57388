"""How long parsing takes: as many conditions as 60 rules have, against the 10 ms that they may take.

Run it by hand: `python -m tests.bench.bench_parse` from the root of the checkout.
"""

from __future__ import annotations

from itertools import cycle, islice

from perfconsole.clock import SystemClock
from perfconsole.diagnose.parse import parse
from perfconsole.diagnose.rulefile import load_folder, shipped_folder

CONDITIONS = 230
BUDGET_S = 0.010
ROUNDS = 50


def shipped_conditions() -> list[str]:
    """Conditions of the shipped rules, repeated until there are enough."""
    rules, _ = load_folder(shipped_folder())
    texts = [condition.text for rule in rules for condition in (*rule.when, *rule.unless)]
    return list(islice(cycle(texts), CONDITIONS))


def best_s(texts: list[str]) -> float:
    """Shortest of some rounds, in seconds: the rest is noise of the machine."""
    clock = SystemClock()
    times = []
    for _ in range(ROUNDS):
        start = clock.now()
        for text in texts:
            parse(text)
        times.append(clock.now() - start)
    return min(times)


def main() -> None:
    """Print the time and its share of the budget."""
    took_s = best_s(shipped_conditions())
    print(f"parse: {CONDITIONS} conditions in {took_s * 1000:.2f} ms = {took_s / BUDGET_S:.2f} of the budget")


if __name__ == "__main__":
    main()
