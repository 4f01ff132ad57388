"""How much faster pages are parsed than by prometheus_client, side by side, as ratios.

Run by hand from the root of the repository: python -m tests.bench.bench_exposition
"""

from __future__ import annotations

import gc
import random
import re
from pathlib import Path
from timeit import default_timer
from typing import TYPE_CHECKING

from prometheus_client.parser import text_string_to_metric_families

from perfconsole.sources.exposition import PageParser

if TYPE_CHECKING:
    from collections.abc import Callable

CAPTURE = Path(__file__).parent.parent / "captures" / "vllm" / "load.prom"
COPIES = 20
"""Copies of the captured page of 50 kB, each with label values of its own: about 1 MB."""
ROUNDS = 9
WANTED = frozenset({"vllm:num_requests_running", "vllm:num_requests_waiting", "vllm:kv_cache_usage_perc"})
VALUE = re.compile(rb"(?m)^([^#\n].*) \S+$")


def million() -> bytes:
    """Return the page of about 1 MB."""
    page = CAPTURE.read_bytes()
    copies = []
    for index in range(COPIES):
        copy = page.replace(b'engine="0"', b'engine="%d"' % index)
        copy = re.sub(rb"(?m)^([^#\n{]+\{)(?!.*engine=)", rb'\1copy="%d",' % index, copy)
        copies.append(re.sub(rb"(?m)^([a-z_:]+) ", rb'\1{copy="%d"} ' % index, copy))
    return b"".join(copies)


def changed(page: bytes, seed: int) -> bytes:
    """Return the same series with other values."""
    rng = random.Random(seed)  # noqa: S311 - values for a benchmark, no secret
    return VALUE.sub(lambda line: line[1] + b" %.1f" % (rng.random() * 1000), page)


def stamped(page: bytes, second: int) -> bytes:
    """Return the page with a timestamp on each sample."""
    return VALUE.sub(lambda line: line[0] + b" %d" % (1_700_000_000_000 + 1000 * second), page)


def best(tasks: dict[str, Callable[[int], object]]) -> dict[str, float]:
    """Take the best seconds of each task, all of them in turns so that a slow moment hits every one."""
    taken = dict.fromkeys(tasks, float("inf"))
    for turn in range(ROUNDS):
        for name, task in tasks.items():
            gc.collect()
            start = default_timer()
            result = task(turn)
            taken[name] = min(taken[name], default_timer() - start)
            del result  # only now: tearing it down is not parsing
    return taken


def main() -> None:
    """Measure and print."""
    page = million()
    polls = [changed(page, seed) for seed in range(ROUNDS)]
    texts = [poll.decode() for poll in polls]
    stamps = [stamped(poll, second) for second, poll in enumerate(polls)]
    known, wanted, stamping = PageParser(), PageParser(WANTED.__contains__), PageParser()
    for parser, first in ((known, page), (wanted, page), (stamping, stamped(page, 0))):
        parser.parse(first)
    taken = best(
        {
            "prometheus_client": lambda turn: list(text_string_to_metric_families(texts[turn])),
            "first parse": lambda turn: PageParser().parse(polls[turn]),
            "later poll": lambda turn: known.parse(polls[turn]),
            "later poll, wanted only": lambda turn: wanted.parse(polls[turn]),
            "later poll, timestamps": lambda turn: stamping.parse(stamps[turn]),
        }
    )
    print(f"{len(page) / 1e6:.2f} MB, {len(known.parse(page).series)} samples, best of {ROUNDS}")
    for name, seconds in taken.items():
        print(f"{name:<26}{seconds * 1000:8.2f} ms{taken['prometheus_client'] / seconds:8.1f}x")


if __name__ == "__main__":
    main()
