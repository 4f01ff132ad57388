"""Which sockets are the console's own."""

from __future__ import annotations

from perfconsole.model.sample import Missing
from perfconsole.sources.linux.ownsockets import OwnSockets


def of(*inodes: int) -> frozenset[int]:
    """A set of sockets."""
    return frozenset(inodes)


class Listing:
    """What the list of a process's own descriptors says, and how often it was read."""

    def __init__(self, held: set[int]) -> None:
        self.held: frozenset[int] | Missing = frozenset(held)
        self.reads = 0

    def __call__(self, base: str) -> frozenset[int] | Missing:
        """Read it; another root of the file system has nothing of it."""
        self.reads += 1
        return self.held if not base else of()


def test_sockets_that_are_known_are_not_looked_for_again() -> None:
    """Neither the own ones nor those of which the asker knows better."""
    listing = Listing({1, 2})
    own = OwnSockets(listing)
    assert own.part("", of(1, 2, 3), of()) == (of(1, 2), of(3))
    assert own.part("", of(1, 3), of(3)) == (of(1), of(3))
    assert own.part("", of(2), of()) == (of(2), of())
    assert listing.reads == 1


def test_a_new_socket_is_looked_for() -> None:
    """It may be the console's next connection."""
    listing = Listing({1})
    own = OwnSockets(listing)
    own.part("", of(1), of())
    listing.held = of(1, 4)
    assert own.part("", of(1, 4), of()) == (of(1, 4), of())


def test_while_the_list_cannot_be_read_nothing_new_is_judged() -> None:
    """What was known stays so, and the rest is looked for again."""
    listing = Listing({1})
    own = OwnSockets(listing)
    own.part("", of(1, 3), of())
    listing.held = Missing.UNSUPPORTED
    assert own.part("", of(1, 3, 4), of(3)) == (of(1), of(3))
    listing.held = of(1, 4)
    assert own.part("", of(1, 3, 4), of(3)) == (of(1, 4), of(3))


def test_hosts_are_kept_apart() -> None:
    """Each root of a file system has its own descriptors."""
    own = OwnSockets(Listing({1}))
    own.part("", of(1), of())
    assert own.part("/other", of(1), of()) == (of(), of(1))
