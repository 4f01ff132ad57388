"""What the first thread of a process does, looked at once a poll by the kernel's own words. Never stops the process.

An event loop that is idle waits for events; one that waits on a lock or a socket is held up by a call that blocks.
"""

from __future__ import annotations

import os
import re
from collections import Counter, deque
from typing import TYPE_CHECKING

from perfconsole.model.sample import Missing
from perfconsole.sources.linux import procfs

if TYPE_CHECKING:
    from collections.abc import Iterable

MEMORY_S = 60.0
_LEAST = 5
"""Looks below which a share says nothing."""
_STEP = 5
"""Percent to which shares are rounded: sixty looks tell no more."""
RUNS, EVENTS, LOCK, SOCKET, PIPE, SLEEP, CHILD, DISK, ELSEWHERE, UNSEEN = (
    "runs",
    "waits for events",
    "waits for a lock",
    "waits on a socket",
    "waits on a pipe",
    "sleeps",
    "waits for a child",
    "waits for a disk",
    "waits elsewhere",
    "waits, nobody may see where",
)
_STATES = {"R": RUNS, "D": DISK, "T": "is stopped", "t": "is held by a tracer", "Z": "has ended"}
_CHANNELS = (
    (EVENTS, r"\w*epoll|ep_poll|poll_schedule_timeout|do_(?:sys_)?poll|do_select"),
    (LOCK, r"\w*futex"),
    (PIPE, r"(?:anon_)?pipe_"),
    (SLEEP, r"\w*nanosleep"),
    (CHILD, r"(?:do|kernel)_wait"),
    ("waits for a signal", r"\w*sigsuspend|do_sigtimedwait|do_pause"),
    (SOCKET, r"unix_|\w*skb_|sk_|tcp_|inet_|udp_|wait_woken"),
    (DISK, r"io_schedule|folio_|\w*wait_on_page|rq_qos_|blk_|submit_bio|filemap_|jbd2_|xfs_|ext4_|btrfs_|nfs|rpc_"),
)
"""By the beginning of the kernel's function in which a thread sleeps."""
_CALLS = {
    "x86_64": {
        EVENTS: (7, 23, 232, 270, 271, 281, 441),
        LOCK: (202, 449),
        SOCKET: (43, 44, 45, 46, 47, 288),
        SLEEP: (35, 230),
        CHILD: (61, 247),
    },
    "aarch64": {
        EVENTS: (22, 72, 73, 441),
        LOCK: (98, 449),
        SOCKET: (202, 206, 207, 211, 212, 242),
        SLEEP: (101, 115),
        CHILD: (95, 260),
    },
}
"""Numbers of system calls, for a kernel that hides the function."""
_READS = {"x86_64": 0, "aarch64": 63}


def channel_words(channel: str) -> str:
    """What a thread waits for, by the kernel's function it sleeps in; empty for one that is not given ("0")."""
    if channel in ("", "0"):
        return ""
    return next((words for words, pattern in _CHANNELS if re.match(pattern, channel)), ELSEWHERE)


def call_words(line: str, machine: str) -> str:
    """What a thread waits for, by the line of its `syscall` file; empty where that says nothing."""
    number = line.partition(" ")[0]
    if not number.isdecimal():
        return ""
    found = (words for words, numbers in _CALLS.get(machine, {}).items() if int(number) in numbers)
    return next(found, ELSEWHERE if int(number) != _READS.get(machine) else "waits on a socket or a pipe")


def shares_words(looks: Iterable[str]) -> str:
    """`waits for events 80%, runs 20%`, the largest share first; empty for fewer than five looks."""
    counts = Counter(looks)
    whole = counts.total()
    if whole < _LEAST:
        return ""
    shares = [(words, round(100 * count / whole / _STEP) * _STEP) for words, count in counts.most_common()]
    return ", ".join(f"{words} {f'{share}%' if share else 'under 5%'}" for words, share in shares)


class MainThread:
    """Looks at the first thread of one process over the last minute; the only writer of what was seen."""

    def __init__(self, base: str, pid: int, machine: str = os.uname().machine) -> None:
        self._folder = f"{base}/proc/{pid}/task/{pid}"
        self._machine = machine
        self._seen: deque[tuple[float, str]] = deque()

    def look(self, now: float, state: str) -> str:
        """One more look; in words what the last minute was made of. `state` is the letter of its stat file."""
        self._seen.append((now, self._now(state)))
        while self._seen[0][0] < now - MEMORY_S:
            self._seen.popleft()
        return shares_words(words for _, words in self._seen)

    def _now(self, state: str) -> str:
        if state in _STATES:
            return _STATES[state]
        return self._asleep("wchan") or self._asleep("syscall") or UNSEEN

    def _asleep(self, name: str) -> str:
        text = procfs.read_text(f"{self._folder}/{name}")
        if isinstance(text, Missing) or text.startswith("running"):
            return ""
        return channel_words(text.strip()) if name == "wchan" else call_words(text, self._machine)
