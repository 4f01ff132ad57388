"""When requests start that nobody waits for: offsets in seconds from the beginning of a step. Pure."""

from __future__ import annotations

from itertools import accumulate, repeat
from random import Random
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


def poisson(rate: float, seed: int) -> Iterator[float]:
    """Moments without end at a mean of `rate` a second, as independent users come; ValueError for a rate of 0 or less.

    The gaps are exponential: a steady beat would hide what a queue does between two clumps.
    """
    if not 0 < rate < float("inf"):
        raise ValueError(f"a rate is above 0: {rate}")
    random = Random(seed)  # noqa: S311 - no secret; the same seed gives the same load
    return accumulate(random.expovariate(rate) for _ in repeat(None))


def replayed(moments: Iterable[float], speed: float) -> Iterator[float]:
    """Recorded moments (ascending, from 0) divided by `speed`: 2 is twice as fast; ValueError for 0 or less."""
    if not 0 < speed < float("inf"):
        raise ValueError(f"a speed is above 0: {speed}")
    return (moment / speed for moment in moments)
