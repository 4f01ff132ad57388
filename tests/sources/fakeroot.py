"""A small tree of /proc and /sys files for tests. Never stands for a whole host: it holds what a test puts there."""

from __future__ import annotations

from pathlib import Path

CAPTURES = Path(__file__).parent.parent / "captures" / "host"
NOT_LISTENING = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n"


def captured(name: str) -> str:
    """One captured file of a real host."""
    return (CAPTURES / f"{name}.txt").read_text()


def task_line(pid: int, parent: int, *, state: str = "S", ticks: int = 0, threads: int = 1, start: int = 100) -> str:
    """Line of /proc/PID/stat, with a name that tries to confuse; 256 resident pages."""
    return (
        f"{pid} (a) b (c) {state} {parent} 1 1 0 -1 4194560 1 0 0 0 {ticks} 0 0 0 20 0 {threads} 0 {start} 4096 256 "
        "18446744073709551615 1 1 0 0 0 0 0 16781312 0 0 0 0 17 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n"
    )


def tcp_line(near: str, far: str, state: str, inode: int, uid: int = 0) -> str:
    """Line of /proc/net/tcp; ends as in the file: 0100007F:1F40."""
    queues = "00000000:00000000 00:00000000 00000000"
    return f"   0: {near} {far} {state} {queues} {uid:>5}        0 {inode} 1 0 100 0 0 10 0\n"


class FakeRoot:
    """Files below a temporary folder, at the paths they have on a host."""

    def __init__(self, folder: Path) -> None:
        self.path = folder
        self.base = str(folder)

    def put(self, path: str, text: str = "") -> None:
        """Write a file, folders included."""
        target = self.path / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)

    def folder(self, path: str) -> None:
        """Make an empty folder."""
        (self.path / path).mkdir(parents=True, exist_ok=True)

    def link(self, path: str, target: str) -> None:
        """Make a link that leads nowhere, as those in /proc/PID/fd do."""
        place = self.path / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.unlink(missing_ok=True)
        place.symlink_to(target)

    def process(self, pid: int, parent: int, *argv: str, state: str = "S", ticks: int = 0, start: int = 100) -> None:
        """Put or change a process with one thread."""
        line = task_line(pid, parent, state=state, ticks=ticks, start=start)
        self.put(f"proc/{pid}/stat", line)
        self.put(f"proc/{pid}/task/{pid}/stat", line)
        self.put(f"proc/{pid}/cmdline", "\0".join(argv) + "\0")
        self.folder(f"proc/{pid}/fd")

    def end(self, pid: int) -> None:
        """Take a process away, as far as a watcher can tell."""
        (self.path / f"proc/{pid}/stat").unlink()

    def sockets(self, *lines: str) -> None:
        """Write the IPv4 table."""
        self.put("proc/net/tcp", NOT_LISTENING + "".join(lines))
