"""Which of the sockets that call a port are the console's own. Never lists them anew for sockets that it has judged.

Sixty-four targets have some seventy sockets in the console: listing them for each port at each poll were five thousand
links a second.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfconsole.model.sample import Missing

if TYPE_CHECKING:
    from collections.abc import Callable

    Listing = Callable[[str], frozenset[int] | Missing]
    """Inodes of all sockets that the console holds open now, by the root of the file system."""


class OwnSockets:
    """The last listing, for all ports. Of two threads that list at once either list is good, and each uses its own."""

    def __init__(self, listing: Listing) -> None:
        self._listing = listing
        self._mine: dict[str, frozenset[int]] = {}

    def part(
        self, base: str, inodes: frozenset[int], strangers: frozenset[int]
    ) -> tuple[frozenset[int], frozenset[int]]:
        """Part inodes into the console's own and those of others; of `strangers` the asker knows that they are that.

        Where the list cannot be read, a socket that is new is neither, and is looked for again at the next call.
        """
        mine = self._mine.get(base, frozenset())
        if not inodes <= mine | strangers:
            found = self._listing(base)
            if isinstance(found, Missing):
                return inodes & mine, inodes & strangers
            self._mine[base] = mine = found
        return inodes & mine, inodes - mine
