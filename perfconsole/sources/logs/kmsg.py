"""Records of /dev/kmsg, read without waiting. Never takes a record away from anybody: each reader has its own place."""

from __future__ import annotations

import os
import stat
from contextlib import suppress

from perfconsole.model.sample import Missing
from perfconsole.sources.linux import procfs
from perfconsole.sources.logs.tail import Unreadable

_RECORD = 8192
"""Bytes of the longest record; the kernel refuses a smaller buffer."""
_MOST = 20_000
"""Records of one poll; the kernel's ring holds fewer."""
_REFUSED = "the kernel log may not be read by this user: run as root, or allow it with kernel.dmesg_restrict=0"


class Kmsg:
    """The only user of its descriptor; `close` may come from any thread after the last poll."""

    def __init__(self, base: str) -> None:
        self._base = base
        self._descriptor = -1

    def read(self, wall: float) -> list[tuple[float, str]] | Unreadable:
        """Messages since the last call (at first all that the ring holds) with the epoch seconds of each."""
        if self._descriptor < 0 and (failed := self._open()) is not None:
            return failed
        uptime = procfs.number(_first(procfs.read_text(f"{self._base}/proc/uptime")))
        booted = wall if isinstance(uptime, Missing) else wall - uptime
        found: list[tuple[float, str]] = []
        for _ in range(_MOST):
            try:
                record = os.read(self._descriptor, _RECORD)
            except BlockingIOError:
                break
            except BrokenPipeError:  # what was next is overwritten; the next read goes on with the oldest there is
                continue
            except OSError as error:
                self.close()
                return Unreadable(Missing.SOURCE_DOWN, f"the kernel log cannot be read: {error.strerror or error}")
            if not record:
                break
            if (entry := parse(record)) is not None:
                found.append((booted + entry[0], entry[1]))
        return found

    def close(self) -> None:
        """Let go of it."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
        self._descriptor = -1

    def _open(self) -> Unreadable | None:
        path = f"{self._base}/dev/kmsg"
        with suppress(FileNotFoundError):
            try:
                if not stat.S_ISCHR(os.stat(path).st_mode):  # noqa: PTH116 - one look, no Path needed
                    return Unreadable(Missing.UNSUPPORTED, f"{path} is no kernel log")
                self._descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
            except PermissionError:
                return Unreadable(Missing.NO_PERMISSION, _REFUSED)
            except FileNotFoundError:
                raise
            except OSError as error:
                return Unreadable(Missing.UNSUPPORTED, f"{path} cannot be opened: {error.strerror or error}")
            return None
        return Unreadable(Missing.UNSUPPORTED, f"there is no {path} here, as in a container")


def _first(text: str | Missing) -> str | Missing:
    return text if isinstance(text, Missing) else text.partition(" ")[0]


def parse(record: bytes) -> tuple[float, str] | None:
    """Seconds since boot and message of one record; None for what is none."""
    head, _, rest = record.partition(b";")
    fields = head.split(b",")
    if len(fields) < 3 or not fields[2].isdigit():
        return None
    return int(fields[2]) / 1e6, rest.partition(b"\n")[0].decode("utf-8", "replace")
