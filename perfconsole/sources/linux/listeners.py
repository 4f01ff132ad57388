"""Every listening TCP socket of a network namespace, and the connections to some of its ports. Never connects anywhere.

Of the namespace of the console the kernel tells by netlink; of another one, or where netlink is refused, /proc does.
"""

from __future__ import annotations

import socket
from typing import TYPE_CHECKING

from perfconsole.model.sample import Missing
from perfconsole.sources.linux import procfs, sockdiag
from perfconsole.sources.linux.sockdiag import ESTABLISHED, LISTEN, Bound, Row, written
from perfconsole.sources.linux.sockets import parse_rows

if TYPE_CHECKING:
    from collections.abc import Collection

_TABLES = {"tcp": socket.AF_INET, "tcp6": socket.AF_INET6}
_LENGTHS = frozenset({4, 16})
_LISTENING = " 0A "


def read_listeners(base: str) -> tuple[Bound, ...] | Missing:
    """Listening sockets of the console's own namespace, in a stable order; netlink speaks of the real host only."""
    told = [sockdiag.listening(family) for family in _TABLES.values()] if not base else []
    there = [rows for rows in told if rows is not None]
    if there:
        return tuple(sorted(bound for rows in there for bound in rows))
    return read_namespace(f"{base}/proc/net")


def read_namespace(folder: str) -> tuple[Bound, ...] | Missing:
    """Listening sockets by the tables of a folder: /proc/net, or /proc/PID/net for the namespace of that process."""
    texts = [procfs.read_text(f"{folder}/{name}") for name in _TABLES]
    if all(isinstance(text, Missing) for text in texts):
        return Missing.NO_PERMISSION if Missing.NO_PERMISSION in texts else Missing.UNSUPPORTED
    return tuple(sorted(bound for text in texts if not isinstance(text, Missing) for bound in parse_listening(text)))


def parse_listening(text: str) -> list[Bound]:
    """Read the listening sockets of a table in the form of /proc/net/tcp or tcp6; what cannot be read is left out."""
    found = []
    for line in text.splitlines():
        if _LISTENING not in line:
            continue
        fields = line.split()
        if len(fields) < 10 or fields[3] != f"{LISTEN:02X}" or not (fields[7] + fields[9]).isdecimal():
            continue
        bound = _bound(fields[1], int(fields[7]), int(fields[9]))
        if bound is not None:
            found.append(bound)
    return found


def _bound(place: str, uid: int, inode: int) -> Bound | None:
    """Read `0100007F:1F40`: words of 32 bits in the byte order of the machine, which is little nearly everywhere."""
    address, _, port = place.partition(":")
    try:
        raw, number = bytes.fromhex(address), int(port, 16)
    except ValueError:
        return None
    if len(raw) not in _LENGTHS:
        return None
    words = (int.from_bytes(raw[at : at + 4], "big").to_bytes(4, "little") for at in range(0, len(raw), 4))
    return Bound(written(b"".join(words)), number, uid, inode)


def read_connections(base: str, ports: Collection[int]) -> tuple[tuple[Row, ...], int]:
    """Established connections with one of the ports at one end, and how many there are in all; none when refused."""
    told = [sockdiag.connected(family, ports) for family in _TABLES.values()] if not base else []
    there = [dump for dump in told if dump is not None]
    if there:
        return tuple(row for dump in there for row in dump.rows), sum(dump.seen for dump in there)
    texts = (procfs.read_text(f"{base}/proc/net/{name}") for name in _TABLES)
    tables = [text.splitlines() for text in texts if not isinstance(text, Missing)]
    rows = (row for lines in tables for row in parse_rows(lines, ESTABLISHED))
    return tuple(row for row in rows if {_port(row.near), _port(row.far)} & set(ports)), sum(map(len, tables))


def _port(end: str) -> int:
    text = end.rpartition(":")[2]
    return int(text, 16) if text else 0
