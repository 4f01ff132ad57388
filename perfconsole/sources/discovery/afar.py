"""Known programs in containers: the address of their network, the ports they listen on, and where those are published.

Reads /proc of the known programs only, a handful; asks no container runtime.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from perfconsole.model.sample import Missing
from perfconsole.sources.discovery.commandline import basename, value_of
from perfconsole.sources.linux import namespace
from perfconsole.sources.linux.listeners import read_namespace

if TYPE_CHECKING:
    from collections.abc import Iterable

    from perfconsole.sources.discovery.known import Known
    from perfconsole.sources.discovery.program import Programs


@dataclass(frozen=True, slots=True)
class Afar:
    """The network of a known program that is not the one of the console."""

    address: str
    """Empty when it cannot be read."""
    ports: frozenset[int]
    """Listening ports in it, those of every program there."""


class AfarWatch:
    """Networks of known programs. Only one thread calls it."""

    def __init__(self, base: str) -> None:
        self._base = base
        self._away: dict[tuple[int, int], bool] = {}

    def look(self, known: Iterable[Known]) -> dict[int, Afar]:
        """Networks by first process, for those in another one."""
        keys = {each.pid: (each.pid, each.start_ticks) for each in known}
        self._away = {
            key: self._away[key] if key in self._away else namespace.elsewhere(self._base, pid)
            for pid, key in keys.items()
        }
        return {pid: self._read(pid) for pid, key in keys.items() if self._away[key]}

    def _read(self, pid: int) -> Afar:
        bounds = read_namespace(f"{self._base}/proc/{pid}/net")
        ports = frozenset() if isinstance(bounds, Missing) else frozenset(b.port for b in bounds if _open(b.address))
        return Afar(namespace.reached_at(self._base, pid), ports)


def _open(address: str) -> bool:
    """Whether a port bound to the address can be reached from outside of the container."""
    return not address.startswith("127.") and address != "::1"


def published(programs: Programs) -> dict[tuple[str, int], int]:
    """Port of this host by address and port in a container, as docker-proxy has them on its command line."""
    found = {}
    for program in programs.values():
        if program.argv and basename(program.argv[0]) == "docker-proxy":
            words = [value_of(program.argv, (flag,)) for flag in ("-container-port", "-host-port")]
            if all(word.isascii() and word.isdecimal() for word in words):
                found[value_of(program.argv, ("-container-ip",)), int(words[0])] = int(words[1])
    return found
