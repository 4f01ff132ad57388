"""Reading the text files and folders of /proc and /sys. Never raises for what is missing or not permitted."""

from __future__ import annotations

import os
from math import isfinite
from typing import TYPE_CHECKING

from perfconsole.model.sample import Missing

if TYPE_CHECKING:
    from pathlib import Path

_CHUNK = 1 << 16
"""Bytes a read: one is enough for nearly every file here, and a page of /proc never needs a seek."""


def base(root: Path) -> str:
    """`root` without its trailing slash, to build paths from: joining strings costs a tenth of joining Paths."""
    return str(root).rstrip("/")


def read_text(path: str) -> str | Missing:
    """Whole text of a file. NO_PERMISSION when refused, UNSUPPORTED when it is not there or cannot be read."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except PermissionError:
        return Missing.NO_PERMISSION
    except OSError:
        return Missing.UNSUPPORTED
    try:
        return _drain(descriptor)
    except PermissionError:
        return Missing.NO_PERMISSION
    except OSError:
        return Missing.UNSUPPORTED
    finally:
        os.close(descriptor)


def list_names(path: str) -> list[str] | Missing:
    """Names in a folder, in no order; the same two reasons when there are none to be had."""
    try:
        return os.listdir(path)  # noqa: PTH208 - a Path object for each of some thousand descriptors costs 1 us apiece
    except PermissionError:
        return Missing.NO_PERMISSION
    except OSError:
        return Missing.UNSUPPORTED


def read_link(path: str) -> str:
    """Target of a link; empty when it is gone or refused."""
    try:
        return os.readlink(path)  # noqa: PTH115 - as above, called for each descriptor
    except OSError:
        return ""


def number(text: str | Missing) -> float | Missing:
    """Read the one number a file holds; UNSUPPORTED when it holds something else."""
    if isinstance(text, Missing):
        return text
    try:
        value = float(text)
    except ValueError:
        return Missing.UNSUPPORTED
    return value if isfinite(value) else Missing.UNSUPPORTED


def _drain(descriptor: int) -> str:
    parts = []
    while part := os.read(descriptor, _CHUNK):
        parts.append(part)
    return b"".join(parts).decode("utf-8", "replace")
