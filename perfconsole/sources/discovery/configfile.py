"""Reads configuration files that a command line names, as the process itself sees them. Bounded; regular files only."""

from __future__ import annotations

import glob
import os
import stat
from typing import TYPE_CHECKING

from perfconsole.sources.linux import procfs

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

MAX_BYTES = 64 * 1024
"""Of one file. A configuration of a hundred models has about 20 kB."""
_MAX_FILES = 64


class ProcessFiles:
    """The files of one process: below its own root (a container), else below that of the host."""

    def __init__(self, base: str, pid: int) -> None:
        self._roots = (f"{base}/proc/{pid}/root", base)
        self._folder = procfs.read_link(f"{base}/proc/{pid}/cwd") or "/"
        self._left = _MAX_FILES

    def read(self, path: str) -> str | None:
        """Text of a file; None when it is not there, not permitted, no regular file or too large."""
        whole = os.path.normpath(os.path.join(self._folder, path))  # noqa: PTH118 - a Path knows no normal form
        return next((text for root in self._roots if (text := read_bounded(f"{root}{whole}")) is not None), None)

    def including(self, folder: str) -> Callable[[str], Sequence[str]]:
        """Reader of the files that a pattern matches; some dozen of them in all."""

        def read_all(pattern: str) -> list[str]:
            path = os.path.normpath(os.path.join(self._folder, folder, pattern))  # noqa: PTH118 - as above
            for root in self._roots:
                names = sorted(glob.glob(f"{glob.escape(root)}{path}"))[: self._left]  # noqa: PTH207
                texts = [text for name in names if (text := read_bounded(name)) is not None]
                if texts:
                    self._left -= len(names)
                    return texts
            return []

        return read_all


def read_bounded(path: str) -> str | None:
    """Text of a regular file of at most MAX_BYTES; never waits for a pipe or a device."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOCTTY)
    except (OSError, ValueError):
        return None
    try:
        facts = os.fstat(descriptor)
        if not stat.S_ISREG(facts.st_mode) or facts.st_size > MAX_BYTES:
            return None
        return os.read(descriptor, MAX_BYTES + 1)[:MAX_BYTES].decode("utf-8", "replace")
    except OSError:
        return None
    finally:
        os.close(descriptor)
