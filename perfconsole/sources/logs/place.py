"""Where the output of an engine goes: a file, a container's log, the journal, or nowhere that can be read.

Reads links below /proc only; never opens what they lead to.
"""

from __future__ import annotations

import os
import re
import stat
from dataclasses import dataclass
from typing import TYPE_CHECKING

from perfconsole.model.sample import Missing
from perfconsole.sources.linux import procfs

if TYPE_CHECKING:
    from collections.abc import Iterable

_MOST_PROCESSES = 16
_MOST_FILES = 4
_CONTAINER = re.compile(r"([0-9a-f]{64})")
_ADVICE = "name its file: --log FILE"


@dataclass(frozen=True, slots=True)
class Place:
    """A file of a log."""

    path: str
    """To be opened: of a process its own descriptor, which also leads into containers and to deleted files."""
    shown: str
    """As a person knows it."""


@dataclass(frozen=True, slots=True)
class Nowhere:
    """Why there is no file; `journal` is the control group whose lines the journal has, empty for none."""

    reason: Missing
    words: str
    journal: str = ""


def find_places(base: str, pids: Iterable[int]) -> tuple[Place, ...] | Nowhere:
    """Files behind stdout and stderr of these processes, each once."""
    found: dict[tuple[int, int], Place] = {}
    ends: dict[str, int] = {}
    chosen = sorted(pids)[:_MOST_PROCESSES]
    for path in (f"{base}/proc/{pid}/fd/{number}" for pid in chosen for number in (1, 2)):
        try:
            status = os.stat(path)  # noqa: PTH116 - followed, not resolved: it may lead into a container
        except PermissionError:
            ends.setdefault("refused", _pid(path))
            continue
        except OSError:
            continue
        if stat.S_ISREG(status.st_mode):
            found.setdefault((status.st_dev, status.st_ino), Place(path, shown_path(path, status)))
        else:
            ends.setdefault(_kind(status.st_mode), _pid(path))
    return tuple(found.values())[:_MOST_FILES] or _nowhere(base, ends)


def _pid(path: str) -> int:
    return int(path.split("/")[-3])


def shown_path(path: str, status: os.stat_result) -> str:
    """The file's own path, where that leads to it: not of a deleted one, nor in another file system's view."""
    own = procfs.read_link(path)
    try:
        there = os.stat(own)  # noqa: PTH116 - one look, no Path needed
    except OSError:
        return path
    return own if (there.st_dev, there.st_ino) == (status.st_dev, status.st_ino) else path


def _kind(mode: int) -> str:
    if stat.S_ISFIFO(mode):
        return "a pipe"
    if stat.S_ISSOCK(mode):
        return "a socket"
    return "a terminal or device" if stat.S_ISCHR(mode) else "no file"


def _nowhere(base: str, ends: dict[str, int]) -> tuple[Place, ...] | Nowhere:
    if "a socket" in ends or "a pipe" in ends:
        kind = "a socket" if "a socket" in ends else "a pipe"
        group = _group(base, ends[kind])
        container = _container_log(base, group)
        if isinstance(container, Place):
            return (container,)
        words = container or f"the engine's output goes to {kind}: {_ADVICE}"
        reason = Missing.NO_PERMISSION if container else Missing.NOT_EXPORTED
        return Nowhere(reason, words, group if group.endswith(".service") else "")
    if "refused" in ends:
        return Nowhere(
            Missing.NO_PERMISSION,
            f"where the engine's output goes may not be seen: run as its user or as root, or {_ADVICE}",
        )
    if ends:
        return Nowhere(Missing.NOT_EXPORTED, f"the engine's output goes to {next(iter(ends))}: {_ADVICE}")
    return Nowhere(Missing.NOT_EXPORTED, f"no process of the engine is known here: {_ADVICE}")


def _group(base: str, pid: int) -> str:
    """Control group of a process, in the second hierarchy or in systemd's own: that of a service where there is one."""
    text = procfs.read_text(f"{base}/proc/{pid}/cgroup")
    rows = [] if isinstance(text, Missing) else [line.split(":", 2) for line in text.splitlines()]
    groups = [row[2] for row in rows if len(row) == 3 and row[1] in ("", "name=systemd")]
    return next((group for group in groups if group.endswith(".service")), groups[0] if groups else "")


def _container_log(base: str, group: str) -> Place | str:
    """Docker's file of a container; in words why it may not be read, empty where there is none."""
    match = _CONTAINER.search(group)
    if match is None:
        return ""
    path = f"{base}/var/lib/docker/containers/{match[1]}/{match[1]}-json.log"
    try:
        readable = stat.S_ISREG(os.stat(path).st_mode)  # noqa: PTH116 - one look, no Path needed
    except PermissionError:
        return f"the container's log may not be read by this user: run as root, or {_ADVICE}"
    except OSError:
        return ""
    return Place(path, path) if readable else ""
