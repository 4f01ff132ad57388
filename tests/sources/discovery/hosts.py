"""A fake host for the tests of discovery: processes that listen and call, below a temporary folder.

Ports of real loopback servers may be put in, so that what is asked is answered, and what must not be is seen.
"""

from __future__ import annotations

from shutil import rmtree
from typing import TYPE_CHECKING

from perfconsole.clock import ManualClock
from perfconsole.sources.discovery.source import DiscoverySource
from perfconsole.sources.http import Limits
from tests.sources.fakeroot import FakeRoot, tcp_line

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from perfconsole.model.sample import Batch
    from perfconsole.sources.discovery.found import Found, Untaken

LOOPBACK, ANY, CONTAINER = "0100007F", "00000000", "020011AC"
"""127.0.0.1, 0.0.0.0 and 172.17.0.2 as /proc writes them."""
VLLM = ("/opt/bin/python3", "/opt/bin/vllm", "serve", "meta-llama/Llama-3.1-8B")
APP = ("/opt/bin/python3", "/srv/app.py", "--key", "sk-secret")
ROOMY = Limits(connect_s=5.0, total_s=5.0, max_bytes=2 * 2**20)
"""For tests in which nothing hangs: a slow machine must not make one fail."""
SHORT = Limits(connect_s=0.3, total_s=0.3, max_bytes=2 * 2**20)


class Host:
    """Processes and sockets; each change is on disk at once."""

    def __init__(self, folder: Path) -> None:
        self.root = FakeRoot(folder)
        self._lines: dict[str, list[str]] = {}
        self._inode = 1000
        self.root.process(1, 0, "/sbin/init")
        self.root.put("proc/sys/net/ipv4/ip_local_port_range", "32768\t60999\n")
        self._write("self")

    def run(self, pid: int, *argv: str, parent: int = 1, ports: Iterable[int] = (), address: str = LOOPBACK) -> None:
        """Start a process that listens on ports."""
        self.root.process(pid, parent, *argv)
        for port in ports:
            self.listen(pid, port, address)

    def listen(self, pid: int, port: int, address: str = LOOPBACK) -> int:
        """Have a process listen; 0 is one that cannot be seen. Returns the inode."""
        inode = self._socket(pid)
        self._add("self", tcp_line(f"{address}:{port:04X}", f"{ANY}:0000", "0A", inode))
        return inode

    def share(self, pid: int, inode: int) -> None:
        """Have another process hold the same socket."""
        self.root.link(f"proc/{pid}/fd/{inode}", f"socket:[{inode}]")

    def connect(self, pid: int, port: int, near_port: int = 50000) -> None:
        """Have a process call a port of this host; the other end is there as well."""
        inode = self._socket(pid)
        near, far = f"{LOOPBACK}:{near_port:04X}", f"{LOOPBACK}:{port:04X}"
        self._add("self", tcp_line(near, far, "01", inode), tcp_line(far, near, "01", inode + 100_000))

    def contain(self, pid: int, port: int, address: str = "172.17.0.2") -> None:
        """Put a process into a network of its own, where it listens on a port."""
        self.root.link("proc/self/ns/net", "net:[1]")
        self.root.link(f"proc/{pid}/ns/net", "net:[2]")
        leaf = f"     |-- {address}\n        /32 host LOCAL\n     |-- 127.0.0.1\n        /32 host LOCAL\n"
        self.root.put(f"proc/{pid}/net/fib_trie", leaf * 2)
        self._add(str(pid), tcp_line(f"{ANY}:{port:04X}", f"{ANY}:0000", "0A", 7))

    def stop(self, pid: int) -> None:
        """End a process, and close all sockets of the host's own network."""
        rmtree(self.root.path / f"proc/{pid}")
        self.silence()

    def silence(self) -> None:
        """Close all sockets of the host's own network."""
        self._lines["self"] = []
        self._write("self")

    def _socket(self, pid: int) -> int:
        self._inode += 1
        if pid:
            self.root.link(f"proc/{pid}/fd/{self._inode}", f"socket:[{self._inode}]")
        return self._inode

    def _add(self, who: str, *lines: str) -> None:
        self._lines.setdefault(who, []).extend(lines)
        self._write(who)

    def _write(self, who: str) -> None:
        head = "  sl  local_address rem_address   st tx_queue\n"
        text = head + "".join(self._lines.get(who, []))
        self.root.put("proc/net/tcp" if who == "self" else f"proc/{who}/net/tcp", text)


class Look:
    """A discovery on a fake host, with a clock that the test moves and a list of what was taken."""

    def __init__(
        self,
        host: Host,
        *,
        taken: Iterable[int] = (),
        pids: Iterable[int] = (),
        limits: Limits = ROOMY,
        own_pid: int = 999_999,
    ) -> None:
        self.clock = ManualClock()
        self.taken: list[Found] = []
        self.gone: list[Found] = []
        self.dcgm: list[str] = []
        self.named = set(taken)
        self.source = DiscoverySource(
            self.taken.append,
            lambda: frozenset(self.named),
            host.root.path,
            on_dcgm=self.dcgm.append,
            drop=self.gone.append,
            pids=lambda: frozenset(pids),
            limits=limits,
            own_pid=own_pid,
        )

    def again(self, times: int = 1, step_s: float = 2.0) -> Batch:
        """Poll so many times, moving the clock on after each."""
        for _ in range(times):
            (batch,) = self.source.poll(self.clock.now(), self.clock.wall())
            self.clock.sleep(step_s)
        return batch

    @property
    def untaken(self) -> tuple[Untaken, ...]:
        """What was not taken at the last look."""
        return self.source.untaken

    def reason(self, port: int) -> str:
        """Why a port was not taken; empty when nothing is said of it."""
        return next((each.reason for each in self.untaken if each.port == port), "")
