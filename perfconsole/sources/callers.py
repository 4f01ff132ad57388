"""Who holds the connections to one port of this host: watched gateways and orchestrators, or somebody else.

An address tells nobody apart on one host; the process that holds the near end of a connection does.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from perfconsole.model.sample import Missing
from perfconsole.sources.discovery.watchers import Watchers
from perfconsole.sources.layer import ENGINE, GATEWAY, ORCHESTRATOR
from perfconsole.sources.linux.sockets import socket_inodes

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from perfconsole.sources.directory import Directory, Member
    from perfconsole.sources.linux.sockets import Sockets

_LOOK_S = 2.0
"""Between two looks through the descriptors of all callers: about 1.5 us for each of them."""
MEMORY_S = 60.0
"""How long a connection counts after it was seen: short ones are seen only now and then."""
_DOUBT = 0.1
"""Share of connections that ended before anybody could tell whose they were; above it nobody knows who calls."""


class Callers:
    """Connections to the port of one member, told apart by who made them. Only the thread of one source calls it."""

    def __init__(self, base: str, directory: Directory, member: Member) -> None:
        self._base = base
        self._directory = directory
        self._member = member
        self._owners: dict[int, Member | None] = {}
        """Who holds the near end, by inode: None for somebody unknown, the member itself for polls of its page."""
        self._callers: set[Member] = set()
        """Who held a connection at the last look."""
        self._gateway_pids: frozenset[int] = frozenset()
        self._looked = float("-inf")
        self._foreign: dict[str, float] = {}
        """When an address was last seen at a connection that no gateway holds."""
        self._unknown: dict[str, float] = {}
        """When a connection of nobody that is watched was last seen, by its near end."""
        self._watchers = Watchers(base)
        self._told: list[tuple[float, bool]] = []
        """Each connection whose turn came: when, and whether its owner was found or it stayed long enough to see."""

    def own(self, pids: Iterable[int], *, hidden: bool) -> None:
        """The processes of the member itself, as of this poll; `hidden` as for Member."""
        self._member.pids, self._member.hidden = frozenset(pids), hidden

    def look(self, sockets: Sockets | Missing, now: float) -> None:
        """Note which members call this one, and which foreign addresses do."""
        if isinstance(sockets, Missing):
            return
        near = dict(sockets.calling)
        self._notice_gateways()
        strangers = {inode for inode, owner in self._owners.items() if self._is_past(owner)}
        elsewhere = set(sockets.served) - set(near.values())
        self._see({near[inode] for inode in strangers & near.keys()} | elsewhere, now)
        unknown = {near[inode] for inode in strangers & near.keys() if self._owners[inode] is None} | elsewhere
        kept = {end: t for end, t in self._unknown.items() if now - t <= MEMORY_S}
        self._unknown = kept | dict.fromkeys(unknown, now)
        self._told += [(now, False) for inode in strangers - near.keys() if self._owners[inode] is None]
        self._owners = {inode: owner for inode, owner in self._owners.items() if inode in near}
        if near.keys() - self._owners.keys() and now - self._looked >= _LOOK_S:
            self._looked = now
            self._judge(near, now)
        self._note(now)

    def held(self) -> float | Missing:
        """Connections from this member to engines and gateways here; UNSUPPORTED where none of those can be watched."""
        if self._member.hidden:
            return Missing.NO_PERMISSION
        others = [m for m in self._directory.members(ENGINE, GATEWAY) if m.watched and m is not self._member]
        return float(sum(self._member.held.get(m, 0) for m in others)) if others else Missing.UNSUPPORTED

    def unknown(self) -> float | Missing:
        """Lasting connections of the last minute that no watched program holds; UNSUPPORTED while one is unseen."""
        if any(m.hidden for m in self._directory.members(ORCHESTRATOR, GATEWAY) if m is not self._member):
            return Missing.UNSUPPORTED
        return float(len(self._unknown))

    def foreign(self) -> float | Missing:
        """Addresses of the last minute that are no gateway's; of a gateway elsewhere nobody knows the addresses."""
        gateways = self._directory.members(GATEWAY)
        if not gateways or any(gateway.hidden for gateway in gateways):
            return Missing.UNSUPPORTED
        lost = sum(not known for _, known in self._told)
        if not self._foreign and lost > _DOUBT * len(self._told):
            return Missing.UNSUPPORTED
        return float(len(self._foreign))

    def _note(self, now: float) -> None:
        """Write down for each caller that it calls, and with how many connections."""
        self._member.watched = True
        held = Counter(o for o in self._owners.values() if o is not None and o is not self._member)
        for owner, number in held.items():
            owner.calls[self._member], owner.held[self._member] = now, number
        for owner in self._callers - held.keys():
            owner.held[self._member] = 0
        self._callers = set(held)

    def _notice_gateways(self) -> None:
        """Begin anew when another gateway has come into sight: its connections were taken for somebody else's."""
        pids = frozenset(pid for gateway in self._directory.members(GATEWAY) for pid in gateway.pids)
        if pids - self._gateway_pids:
            self._owners, self._foreign, self._told, self._looked = {}, {}, [], float("-inf")
            self._unknown = {}
        self._gateway_pids = pids

    def _see(self, ends: Iterable[str], now: float) -> None:
        """Keep the foreign addresses of the last minute."""
        self._foreign |= {end.partition(":")[0]: now for end in ends}
        self._foreign = {address: t for address, t in self._foreign.items() if now - t <= MEMORY_S}
        self._told = [each for each in self._told if now - each[0] <= MEMORY_S]

    def _is_past(self, owner: Member | None) -> bool:
        """Whether a connection of this owner goes past the gateways."""
        return owner is None or (owner.layer is ORCHESTRATOR and owner is not self._member)

    def _judge(self, near: Mapping[int, str], now: float) -> None:
        """Find the owners of the connections that are there now.

        One that has ended between the two readings has no owner either: only the next look shows who is a stranger.
        """
        before = self._owners.keys()
        inodes = frozenset(near)
        found: dict[int, Member | None] = dict.fromkeys(inodes)
        for member in self._directory.members(ORCHESTRATOR, GATEWAY):
            for pid in member.pids:
                found.update(dict.fromkeys(self._held(pid) & inodes, member))
        found.update(dict.fromkeys(self._held("self") & inodes, self._member))
        for pid in self._watchers.look() if None in found.values() else ():
            found.update(dict.fromkeys(self._held(pid) & inodes, self._member))
        self._told += [(now, True) for inode in inodes - before if found[inode] is not None]
        self._owners = found

    def _held(self, pid: int | str) -> frozenset[int]:
        held = socket_inodes(self._base, pid)
        return frozenset() if isinstance(held, Missing) else held
