"""Listening ports as values: where each is reached and who holds it. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from perfconsole.sources.linux.sockdiag import Bound

_ANY = ("0.0.0.0", "::")  # noqa: S104 - compared with, not bound to
_LOOPBACK = "127.0.0.1"


@dataclass(frozen=True, slots=True)
class Place:
    """One listening port of the console's own network."""

    port: int
    host: str
    """Where it is reached from here, as a URL has it: the loopback address wherever that will do."""
    inodes: frozenset[int]
    owners: frozenset[int]
    """Processes that hold the socket; empty when none of them can be read."""
    ipv6_only: bool = False
    """Every socket is one of IPv6, which may take IPv4 or not."""

    @property
    def url(self) -> str:
        """Base URL by plain HTTP."""
        return f"http://{self.host}:{self.port}"


def find_places(bounds: Iterable[Bound], holders: Mapping[int, frozenset[int]]) -> dict[int, Place]:
    """The ports, each once: IPv4 and IPv6 sockets and those of several processes are put together."""
    by_port: dict[int, list[Bound]] = {}
    for bound in bounds:
        by_port.setdefault(bound.port, []).append(bound)
    return {
        port: Place(
            port,
            reachable([bound.address for bound in group]),
            frozenset(bound.inode for bound in group),
            frozenset().union(*(holders.get(bound.inode, frozenset()) for bound in group)),
            all(":" in bound.address for bound in group),
        )
        for port, group in sorted(by_port.items())
    }


def reachable(addresses: list[str]) -> str:
    """Host for a URL, of the addresses that a port is bound to."""
    if any(address in _ANY for address in addresses) or _LOOPBACK in addresses:
        return _LOOPBACK
    best = min(
        addresses, key=lambda address: (not address.startswith("127."), address != "::1", ":" in address, address)
    )
    return f"[{best}]" if ":" in best else best
