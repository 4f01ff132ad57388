"""Which ports may be asked, and why the others are left alone. Pure.

A request may be taken for an attack, or wake what sleeps, so a port must look like that of a plain web service.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from perfconsole.sources.discovery.known import kinds, promised_page, shows_orchestration, titled
from perfconsole.sources.discovery.program import topmost
from perfconsole.sources.discovery.strangers import SERVICE, is_engine, never_http, refusal
from perfconsole.sources.roles import forwards

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from perfconsole.sources.discovery.commandline import Argv
    from perfconsole.sources.discovery.place import Place
    from perfconsole.sources.discovery.program import Programs

_MANY = 3
NO_PERMISSION = "no permission to see which process holds it (another user)"
HIDDEN = "hidden"
"""Reason of ports that need no word: those of known programs, of the console, and those watched already."""
_USUAL = frozenset({8000, 8080, 9400})


@dataclass(frozen=True, slots=True)
class Bounds:
    """What the decision rests on beside the port itself."""

    programs: Programs
    quiet: Collection[int]
    """Processes that are never asked and never named: those of known programs and of the console."""
    taken: Collection[int]
    """Ports that are watched."""
    ephemeral: tuple[int, int]


def sort_out(places: Mapping[int, Place], bounds: Bounds) -> tuple[tuple[Place, ...], dict[int, str]]:
    """Places that may be asked, the likely ones first, and the reason for each other one."""
    counts = _ports_by_top(places.values(), bounds.programs)
    reasons = {port: _reason(place, bounds, counts) for port, place in places.items()}
    free = [place for port, place in places.items() if not reasons[port]]
    usual = default_ports()
    free.sort(key=lambda place: (place.port not in usual, not is_python(place, bounds.programs), place.port))
    return tuple(free), {port: reason for port, reason in reasons.items() if reason}


def default_ports() -> frozenset[int]:
    """Ports that engines, gateways and their exporters use when nobody says otherwise.

    Not those at which proxies for anything take requests: what is asked there goes on to whatever is behind them.
    """
    adapters = [kind.adapter for kind in kinds()]
    pages = {adapter.page_port for adapter in adapters} | {a.default_port for a in adapters if not a.proxy}
    return frozenset(pages | _USUAL) - {0}


def is_python(place: Place, programs: Programs) -> bool:
    """Whether a Python program holds the port."""
    return any(programs[pid].python for pid in place.owners if pid in programs)


def top_of(place: Place, programs: Programs) -> int:
    """First process of those that hold the port; 0 when unknown."""
    return topmost(programs, [pid for pid in place.owners if pid in programs])


def _ports_by_top(places: Iterable[Place], programs: Programs) -> dict[int, int]:
    counts: dict[int, int] = {}
    for place in places:
        top = top_of(place, programs)
        counts[top] = counts.get(top, 0) + 1
    return counts


def _reason(place: Place, bounds: Bounds, counts: Mapping[int, int]) -> str:
    """Why a port is left alone; empty when it may be asked."""
    owners = [bounds.programs[pid] for pid in place.owners if pid in bounds.programs]
    if place.port in bounds.taken or any(program.pid in bounds.quiet for program in owners):
        return HIDDEN
    if never_http(place.port):
        return SERVICE
    if not owners:
        return "" if place.port in default_ports() and not _has_shy(bounds) else NO_PERMISSION
    if any(place.port == promised_page(program.argv) for program in owners):
        return ""
    refused = next((reason for program in owners if (reason := _refused(program.argv))), "")
    if refused or all(forwards(program.argv) for program in owners):
        return refused
    many = counts[top_of(place, bounds.programs)]
    if many > _MANY:
        return f"its program listens on {many} ports, as workers and databases do; it was not asked"
    first, last = bounds.ephemeral
    if many > 1 and first <= place.port <= last:
        return "a port that the kernel chose, beside others of its program; it was not asked"
    return ""


def _has_shy(bounds: Bounds) -> bool:
    """Whether an engine runs here that must not be asked, and any port whose holder is not seen may be its own."""
    return any(is_engine(program.argv) for program in bounds.programs.values() if program.pid not in bounds.quiet)


def _refused(argv: Argv) -> str:
    """Why the program must not be asked; empty when it may."""
    return _stray(argv) or ("" if shows_orchestration(argv) else refusal(argv))


def _stray(argv: Argv) -> str:
    """What a worker is whose front-end has ended or cannot be seen; empty for any other program."""
    named = titled(argv)
    return f"a process of {named[0].adapter.title} whose front-end is not there; it was not asked" if named else ""
