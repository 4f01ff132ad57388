"""TCP sockets asked from the kernel by netlink (sock_diag): 0.4 ms where reading /proc/net/tcp takes 3.5 ms and more.

Never needs a privilege, never changes a socket. Where the kernel or a sandbox refuses, the caller reads /proc instead.
"""

from __future__ import annotations

import socket
import struct
from contextlib import closing
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

LISTEN, ESTABLISHED, CLOSE_WAIT = 10, 1, 8
"""Numbers of the TCP states, as in /proc/net/tcp."""
_NETLINK_SOCK_DIAG = 4
_SOCK_DIAG_BY_FAMILY = 20
_ROOT_MATCH_REQUEST = 0x301
_DONE, _ERROR = 3, 2
_HEADER = struct.Struct("=IHHII")
_TYPE = struct.Struct("=IH")
_PORTS = struct.Struct(">xB2xHH")
"""The head of an inet_diag_msg: family, state, timers, and the ports in the order of the network."""
_REQUEST = struct.Struct("=BBBBI48x")
_MESSAGE = struct.Struct("=BB2x2s2s16s16s12x12xII")
"""inet_diag_msg: family, state, ports, addresses, interface and cookie, three queues, uid, inode."""
_WAIT_S = 1.0


class Row(NamedTuple):
    """One socket. An end is the last 8 hex digits of an address, a colon and the port, as /proc writes them."""

    near: str
    far: str
    state: int
    uid: int
    inode: int


class Dump(NamedTuple):
    """What the kernel told."""

    rows: list[Row]
    """Sockets with the port at one of their ends, and those that are half closed."""
    seen: int
    """How many there are in all."""


def dump(family: int, port: int) -> Dump | None:
    """Listening, established and half-closed TCP sockets of AF_INET or AF_INET6; None where netlink is refused."""
    states = 1 << LISTEN | 1 << ESTABLISHED | 1 << CLOSE_WAIT
    request = _REQUEST.pack(family, socket.IPPROTO_TCP, 0, 0, states)
    head = _HEADER.pack(_HEADER.size + len(request), _SOCK_DIAG_BY_FAMILY, _ROOT_MATCH_REQUEST, 1, 0)
    try:
        with closing(socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, _NETLINK_SOCK_DIAG)) as link:
            link.settimeout(_WAIT_S)
            link.send(head + request)
            return _receive(link, port)
    except (OSError, AttributeError):
        return None


def _receive(link: socket.socket, port: int) -> Dump | None:
    rows: list[Row] = []
    count = 0
    while True:
        packet = link.recv(1 << 16)
        for at, length, kind, state, ends in messages(packet):
            if kind == _DONE:
                return Dump(rows, count)
            if kind == _ERROR:
                return None
            count += 1
            if state == CLOSE_WAIT or port in ends:  # reading a row costs 8 us, leaving it out less than 1
                rows.append(parse(packet[at + _HEADER.size : at + length]))


def messages(packet: bytes) -> Iterator[tuple[int, int, int, int, tuple[int, int]]]:
    """Place, length, type, TCP state and ports of each netlink message in a packet; a cut message ends it."""
    at, end = 0, len(packet)
    while at + _HEADER.size <= end:
        length, kind = _TYPE.unpack_from(packet, at)
        if length < _HEADER.size or at + length > end:
            return
        long_enough = length >= _HEADER.size + _PORTS.size
        state, near, far = _PORTS.unpack_from(packet, at + _HEADER.size) if long_enough else (0, 0, 0)
        yield at, length, kind, state, (near, far)
        at += (length + 3) & ~3


def parse(body: bytes) -> Row:
    """One inet_diag_msg."""
    _, state, near_port, far_port, near, far, uid, inode = _MESSAGE.unpack_from(body)
    family = body[0]
    return Row(_end(family, near, near_port), _end(family, far, far_port), state, uid, inode)


def _end(family: int, address: bytes, port: bytes) -> str:
    """The last 32 bits of the address in the machine's byte order and the port: alike for IPv4 and IPv4 inside IPv6."""
    word = address[:4] if family == socket.AF_INET else address[12:16]
    return f"{struct.unpack('=I', word)[0]:08X}:{int.from_bytes(port, 'big'):04X}"
