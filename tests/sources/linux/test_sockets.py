"""TCP sockets of one port."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perfconsole.model.sample import Missing
from perfconsole.sources.linux.sockets import Sockets, SocketWatch, merge, parse_rows, parse_tcp, socket_inodes
from tests.sources.fakeroot import NOT_LISTENING, FakeRoot, captured, tcp_line

if TYPE_CHECKING:
    from pathlib import Path

PORT = 8000
HERE = "0100007F:1F40"
ANY = "00000000:0000"
HERE_6 = "0000000000000000FFFF00000100007F:1F40"


@pytest.fixture
def root(tmp_path: Path) -> FakeRoot:
    """Make a host on which socket 11 listens on the port."""
    root = FakeRoot(tmp_path)
    root.sockets(tcp_line(HERE, ANY, "0A", 11, uid=1000))
    return root


def _found(root: FakeRoot) -> Sockets:
    found = SocketWatch(root.base, PORT).read(0.0)
    assert not isinstance(found, Missing)
    return found


def test_a_captured_page_has_its_listener() -> None:
    """A real file parses: 0xB205 listens."""
    assert parse_tcp(captured("net_tcp"), 0xB205).listening == {6474}


def test_the_listener_has_an_inode_and_a_user(root: FakeRoot) -> None:
    """Both lead to its process."""
    found = _found(root)
    assert found.listening == {11}
    assert found.owners == {1000}


def test_sides_of_a_connection_are_told_apart() -> None:
    """Near port: served here; far port: a client here; another port: neither."""
    found = parse_tcp(
        tcp_line(HERE, "0200007F:C001", "01", 21)
        + tcp_line("0200007F:C001", HERE, "01", 22)
        + tcp_line("0100007F:1F41", "0200007F:C002", "01", 23),
        PORT,
    )
    assert found.served == ("0200007F:C001",)
    assert found.calling == ((22, "0200007F:C001"),)


def test_a_connection_not_yet_accepted_is_served() -> None:
    """It has no inode yet and waits for the front-end all the same."""
    assert parse_tcp(tcp_line(HERE, "0200007F:C001", "01", 0), PORT).served == ("0200007F:C001",)


def test_close_wait_counts_on_any_port() -> None:
    """A leak of connections to a backend is one too; a socket without a process is not."""
    text = tcp_line("0100007F:0050", "0200007F:C001", "08", 31) + tcp_line(HERE, "0200007F:C002", "08", 0)
    assert parse_tcp(text, PORT).close_wait == {31}


def test_own_connections_are_left_out(root: FakeRoot) -> None:
    """The console's request for the metrics page is no request of a client, over IPv6 as over IPv4."""
    root.sockets(tcp_line("0100007F:C001", HERE, "01", 22))
    rows = tcp_line(HERE_6, HERE_6[:-4] + "C001", "01", 21) + tcp_line(HERE_6, HERE_6[:-4] + "C002", "01", 23)
    root.put("proc/net/tcp6", NOT_LISTENING + tcp_line(HERE_6, ANY, "0A", 11) + rows)
    root.link("proc/self/fd/3", "socket:[22]")
    watch = SocketWatch(root.base, PORT)
    found = watch.read(0.0)
    assert not isinstance(found, Missing)
    assert watch.inflight(found) == 1


def test_connections_of_other_local_programs_count(root: FakeRoot) -> None:
    """A gateway on the same host is a client."""
    root.sockets(tcp_line("0100007F:C001", HERE, "01", 22), tcp_line(HERE, "0100007F:C001", "01", 21))
    assert SocketWatch(root.base, PORT).inflight(_found(root)) == 1


def test_the_table_of_the_listener_is_read_at_each_poll(root: FakeRoot) -> None:
    """The number of connections is as old as the poll."""
    watch = SocketWatch(root.base, PORT)
    watch.read(0.0)
    root.sockets(tcp_line(HERE, ANY, "0A", 11), tcp_line(HERE, "0200007F:C001", "01", 21))
    found = watch.read(1.0)
    assert not isinstance(found, Missing)
    assert len(found.served) == 1


def test_the_other_table_is_read_every_five_seconds(root: FakeRoot) -> None:
    """Reading one costs the kernel milliseconds."""
    watch = SocketWatch(root.base, PORT)
    root.put("proc/net/tcp6", NOT_LISTENING)
    watch.read(0.0)
    root.put("proc/net/tcp6", tcp_line(HERE_6, "0" * 24 + "0200007F:C001", "08", 31))
    assert [_waiting(watch, now) for now in (4.9, 5.0)] == [0, 1]


def test_a_port_without_listener_is_looked_up_every_two_seconds(tmp_path: Path) -> None:
    """An engine that starts is found soon, and a remote one costs little."""
    root = FakeRoot(tmp_path)
    root.sockets()
    watch = SocketWatch(root.base, PORT)
    watch.read(0.0)
    root.sockets(tcp_line(HERE, ANY, "0A", 11))
    assert [_listening(watch, now) for now in (1.9, 2.0)] == [0, 1]


def test_a_host_with_thousands_of_sockets_is_read_every_five_seconds(root: FakeRoot) -> None:
    """The kernel needs a microsecond a line."""
    many = [tcp_line("0100007F:0050", "0200007F:C001", "01", 9)] * 5001
    root.sockets(tcp_line(HERE, ANY, "0A", 11), *many)
    watch = SocketWatch(root.base, PORT)
    watch.read(0.0)
    root.sockets()
    assert [_listening(watch, now) for now in (4.0, 5.0)] == [1, 0]


def test_close_wait_goes_to_the_process_that_holds_the_socket(root: FakeRoot) -> None:
    """Sockets of other programs go to nobody."""
    root.sockets(*(tcp_line(HERE, "0200007F:C001", "08", inode) for inode in (31, 32, 33)))
    root.link("proc/7/fd/3", "socket:[31]")
    root.link("proc/7/fd/4", "pipe:[32]")
    root.folder("proc/8/fd")
    watch = SocketWatch(root.base, PORT)
    assert watch.close_wait(_found(root), (7, 8)) == {7: 1, 8: 0}


def test_close_wait_is_remembered_while_the_socket_stays(root: FakeRoot) -> None:
    """Descriptors are not read again for a socket already known."""
    root.sockets(tcp_line(HERE, "0200007F:C001", "08", 31))
    root.link("proc/7/fd/3", "socket:[31]")
    watch = SocketWatch(root.base, PORT)
    watch.close_wait(_found(root), (7,))
    (root.path / "proc/7/fd/3").unlink()
    assert watch.close_wait(_found(root), (7,)) == {7: 1}
    root.sockets()
    assert watch.close_wait(_found(root), (7,)) == {7: 0}


def test_a_host_without_tables_has_a_reason(tmp_path: Path) -> None:
    """No table is not no sockets."""
    assert SocketWatch(str(tmp_path), PORT).read(0.0) is Missing.UNSUPPORTED


def test_one_table_is_enough() -> None:
    """A kernel without IPv6 has only the other."""
    found = parse_tcp(tcp_line(HERE, ANY, "0A", 11), PORT)
    assert merge([found, Missing.UNSUPPORTED]) == found
    assert merge([Missing.UNSUPPORTED, Missing.NO_PERMISSION]) is Missing.NO_PERMISSION


def test_descriptors_of_a_process_that_is_gone_are_a_reason(tmp_path: Path) -> None:
    """No folder is not no sockets."""
    assert socket_inodes(str(tmp_path), 7) is Missing.UNSUPPORTED


@given(st.text() | st.from_regex(r"( [0-9A-F:]{1,3}:1F40 [0-9A-F]{1,4}:1F40 (01|08|0A) ([0-9²]{1,2} ){3,9}\n){1,3}"))
def test_no_text_makes_it_raise(text: str) -> None:
    """Any text gives a table."""
    parse_tcp(text, PORT)


def _listening(watch: SocketWatch, now: float) -> int:
    found = watch.read(now)
    return -1 if isinstance(found, Missing) else len(found.listening)


def _waiting(watch: SocketWatch, now: float) -> int:
    found = watch.read(now)
    return -1 if isinstance(found, Missing) else len(found.close_wait)


def test_rows_in_one_state_are_read_whatever_their_port() -> None:
    """For those who look at many ports."""
    lines = [tcp_line("0100007F:1F40", "0100007F:C350", state, 7) for state in ("01", "0A", "08")]
    assert [row.state for row in parse_rows([*lines, "cut  01 "], 1)] == [1]
