"""In which network a process lives, and under which address it is reached there. Never enters another namespace."""

from __future__ import annotations

import re

from perfconsole.model.sample import Missing
from perfconsole.sources.linux import procfs

_LEAF = re.compile(r"\|-- (\d+\.\d+\.\d+\.\d+)\s*\n\s*/32 host LOCAL")
_DEFAULT_PORTS = (32768, 60999)


def elsewhere(base: str, pid: int) -> bool:
    """Whether a process has another network than the console.

    The link that names the network is for its owner and root; for others the local addresses of the two decide.
    """
    here, there = (procfs.read_link(f"{base}/proc/{each}/ns/net") for each in ("self", pid))
    if here and there:
        return here != there
    mine, its = local_addresses(base, "self"), local_addresses(base, pid)
    return bool(mine) and bool(its) and set(mine) != set(its)


def local_addresses(base: str, pid: int | str) -> tuple[str, ...]:
    """IPv4 addresses of the network that a process lives in, loopback included, in the order of the routing trie."""
    text = procfs.read_text(f"{base}/proc/{pid}/net/fib_trie")
    return () if isinstance(text, Missing) else parse_fib_trie(text)


def parse_fib_trie(text: str) -> tuple[str, ...]:
    """Local addresses of /proc/net/fib_trie, each once: the trie of the main and of the local table both have them."""
    return tuple(dict.fromkeys(_LEAF.findall(text)))


def reached_at(base: str, pid: int) -> str:
    """Address at which a process of another network is reached; empty when it cannot be read or has only loopback."""
    return next((each for each in local_addresses(base, pid) if not each.startswith("127.")), "")


def ephemeral_ports(base: str) -> tuple[int, int]:
    """First and last of the ports that the kernel gives to whoever asks for any; its own default when unreadable."""
    text = procfs.read_text(f"{base}/proc/sys/net/ipv4/ip_local_port_range")
    words = [] if isinstance(text, Missing) else text.split()
    if len(words) != 2 or not all(word.isdecimal() for word in words):
        return _DEFAULT_PORTS
    return int(words[0]), int(words[1])
