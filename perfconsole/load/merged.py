"""Reads of several events: when each of them came, as far as that can be known.

The kernel keeps the time of the last one only. Where a server writes several at a time, each delivery is so, and its
gap is shared among its tokens. Where one read now and then has two, this process was late: the first of them came after
it last looked, or it would have been read then; else it is taken to have come in its time.
"""

from __future__ import annotations

from typing import NamedTuple


class Merged(NamedTuple):
    """One such read; lengths in nanoseconds."""

    place: int
    """Of its first gap among all."""
    tokens: int
    gap: int
    """From the delivery before to the last event of this one."""
    empty: int
    """So much of it had certainly passed before the first event came."""


def parted(gaps: list[int], reads: list[Merged]) -> list[int]:
    """The gaps for each token, where those of merged reads were shared evenly."""
    singles = len(gaps) - sum(read.tokens for read in reads)
    if not reads or len(reads) > singles:
        return gaps
    found = list(gaps)
    for read in reads:
        first = max(read.gap // read.tokens, read.empty)
        further = max(1, read.tokens - 1)
        found[read.place : read.place + read.tokens] = [first, *[(read.gap - first) // further] * (read.tokens - 1)]
    return found
