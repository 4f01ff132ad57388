"""Traffic, drops and retransmissions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

from perfconsole.model.sample import Missing
from perfconsole.sources.linux.network import (
    NetworkReader,
    parse_conntrack,
    parse_default_interfaces,
    parse_net_dev,
    parse_protocols,
)
from tests.sources.fakeroot import FakeRoot, captured

if TYPE_CHECKING:
    from pathlib import Path


def _dev(**links: tuple[int, int, int]) -> str:
    """Interface: bytes received, packets received, errors; what is sent is half of the bytes and no packet."""
    rows = (
        f" {name}: {rx} {packets} {bad} 2 0 0 0 0 {rx // 2} 0 0 1 0 0 0 0" for name, (rx, packets, bad) in links.items()
    )
    return "\n".join(("Inter-|", " face |", *rows))


def _snmp(sent: int, again: int) -> str:
    return f"Tcp: RtoMin OutSegs RetransSegs\nTcp: 200 {sent} {again}\n"


def test_captured_pages_have_what_is_read() -> None:
    """Real files parse."""
    assert parse_net_dev(captured("net_dev"))["eth0"].rx == 738956971
    assert parse_protocols(captured("net_snmp"), ("Tcp.OutSegs",))["Tcp.OutSegs"] == 12982
    overflows = "TcpExt.ListenOverflows"
    assert overflows in parse_protocols(captured("net_netstat"), (overflows,))
    assert parse_conntrack(captured("nf_conntrack")) == 0.0
    assert parse_default_interfaces(captured("net_route")) == {"eth0"}


def test_conntrack_failures_are_hexadecimal_and_summed() -> None:
    """One line a core."""
    assert parse_conntrack("found insert_failed drop\n00 0000000a 00\n00 00000010 00\n") == 26.0


def test_loopback_is_left_out_of_the_traffic(tmp_path: Path) -> None:
    """What a host says to itself is no load of its links."""
    root = FakeRoot(tmp_path)
    reader = NetworkReader(root.base)
    root.put("proc/net/dev", _dev(lo=(0, 0, 0), eth0=(0, 0, 0)))
    assert reader.read(0.0)["net.rx"] is Missing.WARMING_UP
    root.put("proc/net/dev", _dev(lo=(9999, 9, 9), eth0=(2000, 20, 1)))
    values = reader.read(2.0)
    assert (values["net.rx"], values["net.tx"]) == (1000.0, 500.0)
    assert (values["net.errors"], values["net.drops"]) == (1.0, 3.0)


def test_a_packet_through_a_bridge_counts_once(tmp_path: Path) -> None:
    """Only interfaces with hardware behind them count on a host that has some."""
    root = FakeRoot(tmp_path)
    for name in ("eth0/device", "br0/lower_eth0", "veth1", "lo"):
        root.folder(f"sys/class/net/{name}")
    root.put("proc/net/route", "Iface Destination\nbr0 00000000\n")
    root.put("proc/net/dev", _dev(eth0=(0, 0, 1), br0=(0, 0, 10), veth1=(0, 0, 100)))
    assert NetworkReader(root.base).read(0.0)["net.errors"] == 1.0


def test_the_one_virtual_link_of_a_container_counts(tmp_path: Path) -> None:
    """The way out counts also beside a card that was handed in."""
    root = FakeRoot(tmp_path)
    for name in ("eth0", "ib0/device", "lo"):
        root.folder(f"sys/class/net/{name}")
    root.put("proc/net/route", "Iface Destination\neth0 00000000\n")
    root.put("proc/net/dev", _dev(eth0=(0, 0, 1), ib0=(0, 0, 10)))
    assert NetworkReader(root.base).read(0.0)["net.errors"] == 11.0


def test_link_ratio_is_the_busier_direction_of_the_fastest_link(tmp_path: Path) -> None:
    """8 Mbit/s are 1 MB/s; a link that is down does not count."""
    root = FakeRoot(tmp_path)
    for name, speed, state in (("eth0", "8", "up"), ("eth1", "1000", "down"), ("tap0", "-1", "up")):
        root.put(f"sys/class/net/{name}/speed", speed)
        root.put(f"sys/class/net/{name}/operstate", state)
    reader = NetworkReader(root.base)
    root.put("proc/net/dev", _dev(eth0=(0, 0, 0)))
    reader.read(0.0)
    root.put("proc/net/dev", _dev(eth0=(500_000, 0, 0)))
    values = reader.read(1.0)
    assert (values["net.link_speed"], values["net.link_ratio"]) == (1e6, 0.5)


def test_a_link_without_a_speed_has_no_ratio(tmp_path: Path) -> None:
    """A virtual card has no nominal speed."""
    root = FakeRoot(tmp_path)
    root.put("sys/class/net/eth0/speed", "-1")
    assert NetworkReader(root.base).read(0.0)["net.link_speed"] is Missing.UNSUPPORTED


def test_error_ratio_is_over_the_packets_of_the_window(tmp_path: Path) -> None:
    """One bad packet of twenty."""
    root = FakeRoot(tmp_path)
    reader = NetworkReader(root.base)
    root.put("proc/net/dev", _dev(eth0=(0, 0, 0)))
    assert reader.read(0.0)["net.error_ratio"] is Missing.WARMING_UP
    root.put("proc/net/dev", _dev(eth0=(0, 20, 1)))
    assert reader.read(10.0)["net.error_ratio"] == 0.05


def test_retransmissions_are_a_share_of_what_was_sent(tmp_path: Path) -> None:
    """Ten of a thousand segments in ten seconds."""
    root = FakeRoot(tmp_path)
    reader = NetworkReader(root.base)
    root.put("proc/net/snmp", _snmp(500, 5))
    reader.read(0.0)
    root.put("proc/net/snmp", _snmp(1500, 15))
    values = reader.read(10.0)
    assert (values["net.retrans_ratio"], values["net.tcp_retrans"]) == (0.01, 15.0)


def test_few_segments_give_no_ratio(tmp_path: Path) -> None:
    """Below 100 segments a second one lost packet would look like a fault."""
    root = FakeRoot(tmp_path)
    reader = NetworkReader(root.base)
    root.put("proc/net/snmp", _snmp(500, 5))
    reader.read(0.0)
    root.put("proc/net/snmp", _snmp(1499, 15))
    assert reader.read(10.0)["net.retrans_ratio"] is Missing.WARMING_UP


def test_without_the_files_all_is_unsupported(tmp_path: Path) -> None:
    """Nothing is 0 where nothing can be read."""
    assert set(NetworkReader(str(tmp_path)).read(0.0).values()) == {Missing.UNSUPPORTED}


@given(st.text() | st.from_regex(r"([a-zA-Z]{1,4}: ([0-9²a-z]{1,3} ){1,17}\n){1,4}"))
def test_no_text_makes_them_raise(text: str) -> None:
    """Any text gives a table or a reason."""
    parse_net_dev(text)
    parse_protocols(text, ("Tcp.OutSegs", "TcpExt.ListenOverflows"))
    parse_conntrack(text)
    parse_conntrack(f"insert_failed\n{text}")
    parse_default_interfaces(text)
