"""Networks of processes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from perfconsole.sources.linux.namespace import elsewhere, ephemeral_ports, local_addresses, parse_fib_trie, reached_at
from tests.sources.fakeroot import FakeRoot

if TYPE_CHECKING:
    from pathlib import Path

TRIE = """Main:
  +-- 0.0.0.0/0 3 0 5
     |-- 0.0.0.0
        /0 universe UNICAST
     +-- 127.0.0.0/8 2 0 2
        |-- 127.0.0.0
           /8 host LOCAL
        |-- 127.0.0.1
           /32 host LOCAL
     +-- 172.17.0.0/16 2 0 2
        |-- 172.17.0.0
           /16 link UNICAST
        |-- 172.17.0.2
           /32 host LOCAL
        |-- 172.17.255.255
           /32 link BROADCAST
Local:
        |-- 172.17.0.2
           /32 host LOCAL
"""


def test_local_addresses_are_the_leaves_that_say_so() -> None:
    """Each once, though two tables have them."""
    assert parse_fib_trie(TRIE) == ("127.0.0.1", "172.17.0.2")


def test_this_host_has_its_loopback_address() -> None:
    """By the kernel's own table."""
    assert "127.0.0.1" in local_addresses("", "self")


def test_the_link_of_the_network_decides(tmp_path: Path) -> None:
    """Where it can be read."""
    root = FakeRoot(tmp_path)
    root.link("proc/self/ns/net", "net:[1]")
    root.link("proc/7/ns/net", "net:[1]")
    root.link("proc/8/ns/net", "net:[2]")
    assert (elsewhere(root.base, 7), elsewhere(root.base, 8)) == (False, True)


def test_without_the_link_the_addresses_decide(tmp_path: Path) -> None:
    """They are for everybody; without either a process counts as one of the same network."""
    root = FakeRoot(tmp_path)
    root.link("proc/self/ns/net", "net:[1]")
    root.put("proc/self/net/fib_trie", TRIE.replace("172.17.0.2", "10.0.0.5"))
    root.put("proc/7/net/fib_trie", TRIE)
    assert (elsewhere(root.base, 7), elsewhere(root.base, 8)) == (True, False)
    assert (reached_at(root.base, 7), reached_at(root.base, 8)) == ("172.17.0.2", "")


@pytest.mark.parametrize(
    ("text", "ports"), [("1024\t2048\n", (1024, 2048)), ("x y", (32768, 60999)), ("1", (32768, 60999))]
)
def test_the_range_of_chosen_ports_is_read(tmp_path: Path, text: str, ports: tuple[int, int]) -> None:
    """Nonsense is the kernel's own default."""
    root = FakeRoot(tmp_path)
    root.put("proc/sys/net/ipv4/ip_local_port_range", text)
    assert ephemeral_ports(root.base) == ports
