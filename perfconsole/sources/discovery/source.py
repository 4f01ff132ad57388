"""Looks for engines, gateways and orchestrators of this host every other second, and hands each over once.

Never sends a request that makes an engine work or changes anything: see `policy` for what is asked, `asker` for how.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from perfconsole.clock import SystemClock
from perfconsole.model.sample import Batch, Missing
from perfconsole.sources.discovery import notes
from perfconsole.sources.discovery.afar import AfarWatch
from perfconsole.sources.discovery.asker import LIMITS, Asker
from perfconsole.sources.discovery.calls import Calls, by_process
from perfconsole.sources.discovery.found import Untaken, words_of
from perfconsole.sources.discovery.fronts import find_fronts, unclear
from perfconsole.sources.discovery.ground import HERE, Ground, normal
from perfconsole.sources.discovery.handed import Handed
from perfconsole.sources.discovery.holders import Holders
from perfconsole.sources.discovery.judge import Evidence, Verdict, judge
from perfconsole.sources.discovery.known import find_known
from perfconsole.sources.discovery.place import find_places
from perfconsole.sources.discovery.policy import Bounds, sort_out, top_of
from perfconsole.sources.discovery.program import families
from perfconsole.sources.discovery.programs import ProgramTable
from perfconsole.sources.discovery.proxies import unclear_ports
from perfconsole.sources.discovery.settings import SettingsShelf
from perfconsole.sources.discovery.strangers import is_console
from perfconsole.sources.discovery.weblink import place_of
from perfconsole.sources.linux import namespace, procfs
from perfconsole.sources.linux.listeners import read_listeners
from perfconsole.sources.roles import forwards

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from perfconsole.clock import Clock
    from perfconsole.sources.discovery.answer import Answer
    from perfconsole.sources.discovery.found import Found
    from perfconsole.sources.discovery.known import Known
    from perfconsole.sources.discovery.place import Place
    from perfconsole.sources.discovery.program import Programs
    from perfconsole.sources.http import Limits

_ADDRESSES_S = 60.0


def _nothing(_what: object) -> None:
    """Let a DCGM page, or a target that is gone, pass."""


class DiscoverySource:
    """Finds targets. `taken` and `pids` give the ports and processes that are watched already.

    `take` and `on_dcgm` are called on the thread that polls, once for each target or page; one that raises is asked
    again at the next look. `drop` is called there, once, for a target of which neither its first process nor a
    listening socket has been there for 10 min; it is taken again when it comes back.
    """

    name = "discovery"
    kind = "discovery"
    cadence_s = 2.0
    deadline_s = 5.0
    """A look takes a millisecond, and up to 2 s while ports are asked for the first time."""
    brief = False

    def __init__(  # noqa: PLR0913 - what its owner is told and asked, and what tests put in its place
        self,
        take: Callable[[Found], None],
        taken: Callable[[], frozenset[int]],
        root: Path = Path("/"),
        *,
        on_dcgm: Callable[[str], None] = _nothing,
        drop: Callable[[Found], None] = _nothing,
        pids: Callable[[], frozenset[int]] = frozenset,
        clock: Clock | None = None,
        limits: Limits = LIMITS,
        own_pid: int | None = None,
    ) -> None:
        self._handed = Handed(take, drop)
        self._taken = taken
        self._on_dcgm = on_dcgm
        self._pids = pids
        self._base = procfs.base(root)
        self._own_pid = os.getpid() if own_pid is None else own_pid
        self._programs = ProgramTable(self._base)
        self._holders = Holders(self._base)
        self._settings = SettingsShelf(self._base)
        self._afar = AfarWatch(self._base)
        clock = clock or SystemClock()
        self._calls = Calls(self._base, clock)
        self._asker = Asker(clock, limits)
        self._kin = Kin(self._own_pid)
        self._addresses: tuple[float, frozenset[str]] = (float("-inf"), frozenset())
        self._answers: Mapping[int, Answer] = {}
        self._calling: frozenset[int] = frozenset()
        self._called: Mapping[int, frozenset[int]] = {}
        """Ports that each process was seen to call at the last look."""
        self._pages: set[str] = set()
        self.untaken: tuple[Untaken, ...] = ()
        """What was not taken at the last look, and why; callable from any thread."""

    @property
    def found(self) -> tuple[Found, ...]:
        """Every target that is there, in the order in which they were found; callable from any thread."""
        return self._handed.all

    def poll(self, now: float, wall: float) -> tuple[Batch, ...]:
        """One look, for the monitor: one batch, which has nothing but notes."""
        bounds = read_listeners(self._base)
        if isinstance(bounds, Missing):
            error = f"cannot read the TCP sockets of this host ({bounds}); name targets with --engine URL and the like"
            return (Batch(self.name, self.kind, now, wall, self.cadence_s, error=error),)
        programs = self._programs.look()
        holders = self._holders.look({bound.inode for bound in bounds}, programs)
        places = find_places(bounds, holders)
        programs = self._renamed(places, programs)
        verdict, untaken = self._decide(programs, places, now)
        self.untaken = untaken
        lines = notes.notes(len(places), len(programs), self.untaken, verdict.left_alone)
        return (Batch(self.name, self.kind, now, wall, self.cadence_s, notes=lines, only_notes=True),)

    def interrupt(self) -> None:
        """Break the request in flight."""
        self._asker.interrupt()

    def close(self) -> None:
        """Nothing is held open between looks."""
        self._asker.interrupt()

    def _renamed(self, places: dict[int, Place], programs: Programs) -> Programs:
        """The programs, those read anew that have just begun to listen: they may have become another one by exec."""
        new = self._kin.new_owners({pid for place in places.values() for pid in place.owners})
        return self._programs.again(new) if new else programs

    def _decide(self, programs: Programs, places: dict[int, Place], now: float) -> tuple[Verdict, tuple[Untaken, ...]]:
        taken, ephemeral = self._taken(), namespace.ephemeral_ports(self._base)
        known, quiet = self._kin.look(programs, self._watched_pids(programs, places, taken))
        settings, afar = self._settings.look(known, now), self._afar.look(known)
        goals = {place_of(each.url) for each in self._handed.all} | {(HERE, port) for port in taken}
        own = self._own_addresses(now)
        ground = Ground(programs, places, settings, afar, goals, own, ephemeral, self._answers, self._called)
        fronts = find_fronts(known, ground)
        refused = self._hand_over(fronts.found, taken, programs)
        closed = taken | fronts.ports | self._closed_ports(ground)
        free, reasons = sort_out(places, Bounds(programs, quiet, closed, ephemeral))
        doubtful = (*unclear(known, ground), *unclear_ports(known, ground, fronts.unsure))
        self._answers = self._asker.ask((*doubtful, *free), now, self._calling)
        goal_urls = self._goals(ground, taken)
        targets = frozenset(normal(place_of(url), ground) for _, url in goal_urls.values())
        pythons = {pid for pid, program in programs.items() if program.python and pid not in quiet}
        every = self._calls.look(targets, pythons | fronts.unsure, now)
        self._called = by_process(every)
        calls = tuple(call for call in every if call.pid in pythons)
        ports = frozenset(place.port for place in free)
        verdict = judge(Evidence(programs, places, ports, reasons, self._answers, calls, goal_urls))
        self._calling = verdict.calling
        refused += self._hand_over(verdict.found, taken, programs)
        refused += self._tell_pages(verdict.dcgm)
        refused += self._give_up((*fronts.found, *verdict.found), ground, now)
        return verdict, (*refused, *fronts.untaken, *verdict.untaken)

    def _watched_pids(self, programs: Programs, places: dict[int, Place], taken: frozenset[int]) -> frozenset[int]:
        """First processes of what is watched: their other ports are their own affair."""
        named = {top_of(places[port], programs) for port in taken if port in places}
        return frozenset(
            pid
            for pid in self._handed.pids(programs) | named | self._pids()
            if pid in programs and pid > 1 and not forwards(programs[pid].argv)
        )

    def _closed_ports(self, ground: Ground) -> frozenset[int]:
        """Ports of this host at which engines and gateways were found."""
        urls = [each.url for each in self._handed.all if each.layer != "orchestration"]
        places = (normal(place_of(url), ground) for url in urls)
        return frozenset(port for host, port in places if host == HERE)

    def _goals(self, ground: Ground, taken: frozenset[int]) -> dict[int, tuple[str, str]]:
        """Layer and URL by port of the engines and gateways that are known, and of what a user named."""
        own = {normal(place_of(each.url), ground): each for each in self._handed.all}
        named = {port: ("", f"http://{HERE}:{port}") for port in taken if (HERE, port) not in own}
        mine = {port: (f.layer, f.url) for (_, port), f in own.items() if f.layer != "orchestration"}
        return named | mine

    def _own_addresses(self, now: float) -> frozenset[str]:
        at, addresses = self._addresses
        if now - at >= _ADDRESSES_S:
            addresses = frozenset(namespace.local_addresses(self._base, "self"))
            self._addresses = (now, addresses)
        return addresses

    def _hand_over(self, found: Iterable[Found], taken: frozenset[int], programs: Programs) -> list[Untaken]:
        """Give away what is new. What a user named is his, under whatever name."""
        here = (HERE, "::1", *self._addresses[1])
        places = ((each, place_of(each.url)) for each in found)
        return self._handed.give(
            (each for each, (host, port) in places if port not in taken or host not in here), programs
        )

    def _give_up(self, found: Iterable[Found], ground: Ground, now: float) -> list[Untaken]:
        """Let go of what has not been there for long."""
        places = ((each.url, normal(place_of(each.url), ground)) for each in self._handed.all)
        listening = {url for url, (host, port) in places if host == HERE and port in ground.places}
        return self._handed.give_up(listening | {each.url for each in found}, ground.programs, now)

    def _tell_pages(self, urls: Iterable[str]) -> list[Untaken]:
        refused = []
        for url in urls:
            if url not in self._pages:
                try:
                    self._on_dcgm(url)
                    self._pages.add(url)
                except Exception as error:  # noqa: BLE001 - a page that cannot be used must not end the look
                    reason = f"a DCGM exporter that cannot be read: {words_of(error)}"
                    refused.append(Untaken(place_of(url)[1], 0, "", reason))
        return refused


class Kin:
    """Which programs are known, and which belong to the console or to those; worked out anew only when some change."""

    def __init__(self, own_pid: int) -> None:
        self._own_pid = own_pid
        self._programs: Programs | None = None
        self._tops: frozenset[int] = frozenset()
        self._result: tuple[tuple[Known, ...], frozenset[int]] = ((), frozenset())
        self._owners: set[int] = set()

    def look(self, programs: Programs, tops: frozenset[int]) -> tuple[tuple[Known, ...], frozenset[int]]:
        """The known programs, and all processes that are theirs, the console's or below the `tops`."""
        if programs is not self._programs or tops != self._tops:
            known = find_known(programs)
            consoles = [pid for pid, program in programs.items() if pid == self._own_pid or is_console(program.argv)]
            members = (each.members for each in known)
            self._result = known, frozenset(families(programs, {*consoles, *tops})).union(*members)
            self._programs, self._tops = programs, tops
        return self._result

    def new_owners(self, owners: set[int]) -> set[int]:
        """Processes that hold a port and did not at the last look."""
        new = owners - self._owners
        self._owners = owners
        return new
