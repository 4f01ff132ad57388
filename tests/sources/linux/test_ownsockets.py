"""Which sockets are the console's own."""

from __future__ import annotations

from perfconsole.model.sample import Missing
from perfconsole.sources.linux.ownsockets import OwnSockets


class Listing:
    """What /proc/self/fd says, and how often it was read."""

    def __init__(self, held: frozenset[int] | Missing) -> None:
        self.held = held
        self.reads = 0

    def __call__(self) -> frozenset[int] | Missing:
        """Read it."""
        self.reads += 1
        return self.held


def test_sockets_that_are_known_are_not_looked_for_again() -> None:
    """Neither the own ones nor those of which the asker knows better."""
    listing = Listing(frozenset({1, 2}))
    own = OwnSockets(listing)
    assert [own.among([1, 2, 3], ()), own.among([1, 3], [3]), own.among([2], ())] == [{1, 2}, {1}, {2}]
    assert listing.reads == 1


def test_a_new_socket_is_looked_for() -> None:
    """It may be the console's next connection."""
    listing = Listing(frozenset({1}))
    own = OwnSockets(listing)
    own.among([1], ())
    listing.held = frozenset({1, 4})
    assert own.among([1, 4], ()) == {1, 4}


def test_where_the_list_cannot_be_read_nothing_is_the_consoles_own() -> None:
    """As long as that lasts."""
    listing = Listing(Missing.NO_PERMISSION)
    own = OwnSockets(listing)
    assert own.among([1], ()) == frozenset()
    listing.held = frozenset({1})
    assert own.among([1], ()) == {1}
