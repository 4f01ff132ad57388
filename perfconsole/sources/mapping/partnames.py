"""What parts of indicators are called, on page after page: rank, upstream, or a number that stands for labels.

Whatever a page writes into its labels, there are only so many names, and each can be shown.
"""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING

from perfconsole.sources.mapping.upstreamname import upstream_name
from perfconsole.sources.web.failure import printable

if TYPE_CHECKING:
    from collections.abc import Collection

    from perfconsole.sources.adapter import Pairs

MOST_SLOTS = 64
"""Series of one row, rank and upstream, and upstreams of one row, that are told apart."""
MOST_RANKS = 512
OTHERS = "others"
"""The rank, and the pool, of all beyond these."""
_MOST_CHARACTERS = 64


class PartNames:
    """Names that were given; the only writer of them."""

    def __init__(self) -> None:
        self._ranks: dict[str, str] = {}
        self._upstreams: dict[int, dict[str, str]] = {}
        """By row: what a label is called as an upstream."""
        self._slots: dict[tuple[int, str, str], dict[Pairs, str]] = {}
        self._pools: dict[tuple[str, ...], str] = {}

    def forget(self) -> None:
        """Begin anew, as the program did."""
        self._ranks.clear()
        self._upstreams.clear()
        self._slots.clear()
        self._pools.clear()

    def rank(self, label: str) -> str:
        """Name of a rank, empty for none; beyond 512 of them they are told apart no more."""
        name = self._ranks.get(label)
        if name is None:
            if len(self._ranks) >= MOST_RANKS:
                return OTHERS
            name = self._ranks[label] = printable(label)[:_MOST_CHARACTERS]
        return name

    def upstream(self, row: int, label: str) -> str:
        """Name of an upstream, empty for none; beyond 64 of a row they are told apart no more."""
        names = self._upstreams.setdefault(row, {})
        name = names.get(label)
        if name is None:
            if len(names) >= MOST_SLOTS:
                return ""
            name = names[label] = upstream_name(label)
        return name

    def pool(self, labels: tuple[str, ...]) -> str:
        """Number of a pool of upstreams, from 1 on; beyond 64 pools nobody knows who stands in for whom."""
        if labels not in self._pools and len(self._pools) < MOST_SLOTS:
            taken = self._pools.values()
            self._pools[labels] = next(n for n in map(str, count(1)) if n not in taken)
        return self._pools.get(labels, OTHERS)

    @property
    def crowded(self) -> bool:
        """Some row has no name left for another upstream, or there is no number for another pool."""
        return len(self._pools) >= MOST_SLOTS or any(len(names) >= MOST_SLOTS for names in self._upstreams.values())

    def keep(self, there: Collection[tuple[int, str]], pools: Collection[tuple[str, ...]] = ()) -> bool:
        """Give up the upstreams but for these rows and labels, and other pools; true if there is room for new ones."""
        emptied = [labels for labels in self._pools if labels not in pools]
        for labels in emptied:
            del self._pools[labels]
        gone = {(row, label) for row, names in self._upstreams.items() for label in names} - set(there)
        called = {(row, self._upstreams[row].pop(label)) for row, label in gone}
        called -= {(row, name) for row, names in self._upstreams.items() for name in names.values()}
        self._slots = {place: slots for place, slots in self._slots.items() if (place[0], place[2]) not in called}
        return bool(gone or emptied)

    def slot(self, place: tuple[int, str, str], labels: Pairs) -> str:
        """A number for each set of labels of a row, rank and upstream: one that vanishes is no counter that fell.

        Empty for the first. Beyond 64 of them they are summed: labels that hold identifiers must not fill the memory.
        """
        slots = self._slots.setdefault(place, {})
        own = tuple(pair for pair in labels if pair[0] != "le")
        if own not in slots:
            if len(slots) >= MOST_SLOTS:
                return str(MOST_SLOTS)
            slots[own] = str(len(slots)) if slots else ""
        return slots[own]
