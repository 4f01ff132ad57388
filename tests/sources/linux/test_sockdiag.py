"""TCP sockets by netlink."""

from __future__ import annotations

import os
import socket
import struct
from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

from perfconsole.sources.linux.sockdiag import ESTABLISHED, LISTEN, dump, messages, parse

if TYPE_CHECKING:
    import pytest


def _message(family: int, near: bytes, near_port: int, state: int = ESTABLISHED) -> bytes:
    ports = struct.pack(">HH", near_port, 0xC001)
    addresses = near.ljust(16, b"\0") + socket.inet_aton("127.0.0.2").ljust(16, b"\0")
    return struct.pack("=BBBB", family, state, 0, 0) + ports + addresses + bytes(24) + struct.pack("=II", 1000, 77)


def _packet(*bodies: bytes) -> bytes:
    return b"".join(struct.pack("=IHHII", 16 + len(body), 20, 2, 1, 0) + body for body in bodies)


def test_a_message_reads_like_a_line_of_proc() -> None:
    """Address as the kernel prints it, port in hex, user and inode."""
    row = parse(_message(socket.AF_INET, socket.inet_aton("127.0.0.1"), 8000))
    assert row == (f"{_word('127.0.0.1')}:1F40", f"{_word('127.0.0.2')}:C001", ESTABLISHED, 1000, 77)


def _word(address: str) -> str:
    return f"{struct.unpack('=I', socket.inet_aton(address))[0]:08X}"


def test_ipv4_inside_ipv6_has_the_end_of_its_ipv4_address() -> None:
    """A server on :: and its client on 127.0.0.1 meet."""
    mapped = bytes(10) + b"\xff\xff" + socket.inet_aton("127.0.0.1")
    assert parse(_message(socket.AF_INET6, mapped, 8000)).near == f"{_word('127.0.0.1')}:1F40"


def test_a_listening_socket_of_this_process_is_found_with_its_inode() -> None:
    """The kernel's own answer leads to the descriptor."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        told = dump(socket.AF_INET, port)
        assert told is not None
        found = [row for row in told.rows if row.state == LISTEN and row.near.endswith(f":{port:04X}")]
        assert [row.inode for row in found] == [os.fstat(server.fileno()).st_ino]
        assert [row.uid for row in found] == [os.getuid()]


def test_a_sandbox_without_netlink_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    """The caller then reads /proc."""
    monkeypatch.setattr(socket, "AF_NETLINK", 9999)
    assert dump(socket.AF_INET, 80) is None


def test_sockets_of_other_ports_are_counted_and_left_out() -> None:
    """A host with thousands of connections must not cost a poll thousands of rows."""
    with socket.create_server(("127.0.0.1", 0)) as wanted, socket.create_server(("127.0.0.1", 0)) as other:
        told = dump(socket.AF_INET, wanted.getsockname()[1])
        assert told is not None
        assert told.seen >= 2
        assert not [row for row in told.rows if row.near.endswith(f":{other.getsockname()[1]:04X}")]


def test_messages_of_one_packet_come_apart() -> None:
    """Each with its place, length and type; one too short for ports has none."""
    assert list(messages(_packet(b"abcd", b"efgh"))) == [(0, 20, 20, 0, (0, 0)), (20, 20, 20, 0, (0, 0))]


def test_state_and_ports_are_read_without_the_rest() -> None:
    """They decide whether a row is worth reading."""
    body = _message(socket.AF_INET, socket.inet_aton("127.0.0.1"), 8000)
    assert [(state, ends) for *_, state, ends in messages(_packet(body))] == [(ESTABLISHED, (8000, 0xC001))]


@given(st.binary(max_size=200))
def test_no_packet_makes_it_hang_or_raise(packet: bytes) -> None:
    """What is cut ends the packet."""
    assert len(list(messages(packet))) <= len(packet) // 16
