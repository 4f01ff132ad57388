"""What discovery says to a person: what it looked at, and a line for each thing that was not taken. Pure."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

from perfconsole.sources.discovery.known import kinds
from perfconsole.sources.discovery.policy import NO_PERMISSION
from perfconsole.sources.web.failure import printable

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from perfconsole.sources.discovery.found import Untaken

MAX_LINES = 12
_MAX_PORTS = 8
_PID_FLAG = re.compile(r"--orchestrator \d+")


def notes(ports: int, processes: int, untaken: Sequence[Untaken], left_alone: int) -> tuple[str, ...]:
    """At most MAX_LINES lines; the first says what was looked at."""
    first = f"looked at {_count(ports, 'listening port')} and {_count(processes, 'process', 'es')} of this host"
    hidden = sorted(each.port for each in untaken if each.reason == NO_PERMISSION)
    last = [_hidden(hidden)] if hidden else []
    if left_alone:
        last.append(f"{_count(left_alone, 'more port')} left alone: system services, and what does not speak HTTP")
    lines = _grouped(each for each in untaken if each.reason != NO_PERMISSION)
    room = MAX_LINES - 1 - len(last)
    if len(lines) > room:
        lines = [*lines[: room - 1], f"{len(lines) - room + 1} more things were not taken: perfconsole targets list"]
    told = (f"{first} for {_sought()}", *lines, *last)
    return tuple(printable(line) for line in told)


@cache
def _sought() -> str:
    """How much is known to look for; any Python service may be an orchestrator."""
    layers = [kind.layer for kind in kinds()]
    engines, gateways = layers.count("engine"), layers.count("gateway")
    known = "kinds are known"
    return f"engines ({engines} {known}), gateways ({gateways} {known}) and orchestrators (Python services)"


def _count(number: int, noun: str, plural: str = "s") -> str:
    return f"{number} {noun}{'' if number == 1 else plural}"


def _hidden(ports: Sequence[int]) -> str:
    return f"no permission to see which process holds {_ports(ports)} (another user)"


def _grouped(untaken: Iterable[Untaken]) -> list[str]:
    """One line for programs of one name that do the same, and for ports of one process with one reason.

    A load test may be 32 processes, and a database may have as many ports.
    """
    groups: dict[tuple[str, int, int, str], list[Untaken]] = {}
    for each in untaken:
        kind = _PID_FLAG.sub("", each.reason)
        pid = each.pid if each.port else 0
        groups.setdefault((each.program, pid, 0 if pid else each.port, kind), []).append(each)
    return [_line(group) for group in groups.values()]


def _line(group: Sequence[Untaken]) -> str:
    first = group[0]
    pids, ports = {each.pid for each in group}, sorted({each.port for each in group})
    who = first.program or "a program that cannot be seen"
    pid = f" (pid {first.pid}{f' and {len(pids) - 1} more' if len(pids) > 1 else ''})" if first.pid else ""
    where = f"{_ports(ports)}, " if first.port else ""
    return f"{where}{who}{pid}: {first.reason}"


def _ports(ports: Sequence[int]) -> str:
    """`port 8000`, or `ports 8000, 8001 and 62 more`."""
    shown = ", ".join(map(str, ports[:_MAX_PORTS]))
    more = f" and {len(ports) - _MAX_PORTS} more" if len(ports) > _MAX_PORTS else ""
    return f"port{'' if len(ports) == 1 else 's'} {shown}{more}"
