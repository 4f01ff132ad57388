"""Reads a plain file of a bounded size: a pipe must not block a command, and a device must not fill the memory."""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


def read_plain(path: Path, most: int) -> bytes:
    """The whole file; OSError where it cannot be opened, ValueError in words for what is no plain file or too large."""
    with os.fdopen(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise ValueError("it is no plain file")
        body = file.read(most + 1)
    if len(body) > most:
        raise ValueError(f"it is larger than {most >> 20} MiB")
    return body
