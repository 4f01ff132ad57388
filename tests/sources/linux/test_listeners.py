"""Listening sockets and connections of a network namespace."""

from __future__ import annotations

import os
import socket
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perfconsole.model.sample import Missing
from perfconsole.sources.linux import sockdiag
from perfconsole.sources.linux.listeners import parse_listening, read_connections, read_listeners, read_namespace
from perfconsole.sources.linux.sockdiag import Bound, end_of
from tests.sources.fakeroot import FakeRoot, tcp_line

if TYPE_CHECKING:
    from pathlib import Path

NOBODY = "00000000:0000"


@pytest.mark.parametrize(
    ("place", "address"),
    [
        ("0100007F", "127.0.0.1"),
        ("00000000", "0.0.0.0"),
        ("020011AC", "172.17.0.2"),
        ("00000000000000000000000000000000", "::"),
        ("00000000000000000000000001000000", "::1"),
        ("0000000000000000FFFF00000100007F", "127.0.0.1"),
    ],
)
def test_addresses_are_read_as_people_write_them(place: str, address: str) -> None:
    """The table holds words of 32 bits; IPv4 inside IPv6 is IPv4."""
    line = tcp_line(f"{place}:1F40", NOBODY, "0A", 77, uid=1000)
    assert parse_listening(line) == [Bound(address, 8000, 1000, 77)]


def test_only_listening_sockets_are_read() -> None:
    """The word 0A may stand elsewhere in a line too."""
    assert parse_listening(tcp_line("0100007F:1F40", "0100007F:000A", "01", 7)) == []


@given(st.text(alphabet="0123456789ABCDEF: \nx", max_size=200))
def test_no_table_makes_it_raise(text: str) -> None:
    """Tables are cut when they are read while they change."""
    assert parse_listening(f"{text} 0A {text}") is not None


def test_a_socket_of_this_process_is_found_with_its_address() -> None:
    """By netlink and by /proc alike."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        mine = Bound("127.0.0.1", server.getsockname()[1], os.getuid(), os.fstat(server.fileno()).st_ino)
        by_netlink, by_proc = read_listeners(""), read_namespace("/proc/net")
        assert not isinstance(by_netlink, Missing)
        assert not isinstance(by_proc, Missing)
        assert mine in by_netlink
        assert mine in by_proc


def test_an_ipv6_socket_has_its_whole_address() -> None:
    """Its last 32 bits would not tell ::1 from others."""
    if not socket.has_ipv6:
        pytest.skip("no IPv6 here")
    try:
        server = socket.create_server(("::1", 0), family=socket.AF_INET6)
    except OSError:
        pytest.skip("no IPv6 loopback here")
    with server:
        found = read_listeners("")
        assert not isinstance(found, Missing)
        assert [bound.address for bound in found if bound.port == server.getsockname()[1]] == ["::1"]


def test_without_netlink_proc_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """A sandbox may refuse it."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        monkeypatch.setattr(socket, "AF_NETLINK", 9999)
        assert sockdiag.listening(socket.AF_INET) is None
        assert sockdiag.connected(socket.AF_INET, {80}) is None
        found = read_listeners("")
        assert not isinstance(found, Missing)
        assert server.getsockname()[1] in {bound.port for bound in found}


def test_a_host_without_tables_has_a_reason(tmp_path: Path) -> None:
    """Nothing is not the same as no sockets."""
    assert read_listeners(str(tmp_path)) is Missing.UNSUPPORTED
    assert read_connections(str(tmp_path), {80}) == ((), 0)


def test_connections_of_a_port_have_both_ends() -> None:
    """The caller's and the server's."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        with socket.create_connection(("127.0.0.1", port)) as client:
            rows, seen = read_connections("", {port})
            here = end_of("127.0.0.1", client.getsockname()[1])
            there = end_of("127.0.0.1", port)
            assert {(row.near, row.far) for row in rows} == {(here, there), (there, here)}
            assert os.fstat(client.fileno()).st_ino in {row.inode for row in rows}
            assert seen >= 2


def test_connections_are_read_from_the_tables_of_another_root(tmp_path: Path) -> None:
    """Only those of the port, and only open ones."""
    root = FakeRoot(tmp_path)
    root.sockets(
        tcp_line("0100007F:C350", "0100007F:1F40", "01", 7),
        tcp_line("0100007F:C351", "0100007F:1F41", "01", 8),
        tcp_line("0100007F:C352", "0100007F:1F40", "08", 9),
    )
    rows, seen = read_connections(root.base, {8000})
    assert ([row.inode for row in rows], seen) == ([7], 4)
