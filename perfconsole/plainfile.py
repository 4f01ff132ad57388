"""Reads a plain file of a bounded size: a pipe must not block a command, and a device must not fill the memory."""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


def read_plain(path: Path, most: int) -> bytes:
    """The whole file; OSError where it cannot be opened, ValueError in words for what is no plain file or too large."""
    number = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    if not stat.S_ISREG(os.fstat(number).st_mode):
        os.close(number)  # of a folder fdopen would neither make a file nor close it
        raise ValueError("it is no plain file")
    with os.fdopen(number, "rb") as file:
        body = file.read(most + 1)
    if len(body) > most:
        raise ValueError(f"it is larger than {most >> 20} MiB")
    return body
