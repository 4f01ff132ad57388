"""Which of the sockets that call a port are the console's own. Never lists them anew for sockets that it has judged.

Sixty-four targets have some seventy sockets in the console: listing them for each port at each poll were five thousand
links a second.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfconsole.model.sample import Missing

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    Listing = Callable[[], frozenset[int] | Missing]
    """Inodes of all sockets that the console holds open now."""


class OwnSockets:
    """The last listing, for all ports. One written by two threads at once is only listed once more."""

    def __init__(self, listing: Listing) -> None:
        self._listing = listing
        self._mine: frozenset[int] = frozenset()

    def among(self, inodes: Collection[int], strangers: Collection[int]) -> frozenset[int]:
        """Those of the inodes that are the console's own; of `strangers` the asker knows that they are not."""
        if not self._mine.issuperset(inode for inode in inodes if inode not in strangers):
            found = self._listing()
            self._mine = frozenset() if isinstance(found, Missing) else found
        return self._mine.intersection(inodes)
