"""What drawing costs: each page at three sizes, and beside it one json.dumps of the report of the same moment.

Run by hand from the root of the repository: python -m tests.bench.bench_pages [ROUNDS]. Each number is the best of
all rounds in milliseconds, behind it how many dumps that is: on a host in trouble only the ratio holds still.
"""

from __future__ import annotations

import json
import sys
from timeit import repeat
from typing import TYPE_CHECKING

from perfconsole.view.report_json import report
from tests.tui.golden import ADMISSION_CAP, SIZES, picture_of, screens

if TYPE_CHECKING:
    from collections.abc import Callable

    from perfconsole.tui.page import PageScreen
    from perfconsole.view.picture import Picture

INNER = 5


def best_ms(rounds: int, work: Callable[[], object]) -> float:
    """The least that one call took, with all caches warm, as they are from the second tick on."""
    return min(repeat(work, number=INNER, repeat=rounds)) / INNER * 1000


def row(name: str, screen: PageScreen, picture: Picture, rounds: int, dump_ms: float) -> str:
    """One page at all sizes."""
    taken = (best_ms(rounds, lambda s=size: screen.body(picture, *s)) for size in SIZES)  # type: ignore[misc]  # bound at once
    return f"{name:10}" + "".join(f"{ms:10.2f} ms {ms / dump_ms:5.2f}x" for ms in taken)


def main() -> None:
    """Measure and print."""
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 60
    picture = picture_of(ADMISSION_CAP)
    document = report(picture.snapshot, version="bench", host="bench", took_s=0.0)
    dump_ms = best_ms(rounds, lambda: json.dumps(document))
    print(f"one dump of the report: {dump_ms:.2f} ms, {len(picture.snapshot.indicators)} indicators")
    print(f"{'page':10}" + "".join(f"{f'{columns}x{height}':>20}" for columns, height in SIZES))
    for name, screen in screens(picture).items():
        print(row(name, screen, picture, rounds, dump_ms))


if __name__ == "__main__":
    main()
