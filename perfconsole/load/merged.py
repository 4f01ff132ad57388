"""Reads of several events: when each of them came, as far as that can be known.

The kernel keeps the time of the last one only. Where a server writes several at a time, each delivery is so, and its
gap is shared among its tokens. Where one read now and then has two, this process was late: the first of them came after
it last looked, or it would have been read then; else it is taken to have come in its time.
"""

from __future__ import annotations

from statistics import median
from typing import NamedTuple

_FEW, _RARE = 8, 4
"""Gaps that tell what is usual, and of how many at least one merged read may be one."""


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


def first_of(tokens: int, stamp: int, since: int, gaps: list[int], reads: list[Merged]) -> int:
    """When the first of the tokens of a first read came, of which `stamp` is the last: in its time, but after `since`.

    The stamp itself where a server that writes several at a time, or an answer of few tokens, leaves that open.
    """
    if len(gaps) < _FEW or len(reads) * _RARE > len(gaps):
        return stamp
    return min(stamp, max(since, stamp - (tokens - 1) * int(median(gaps))))
