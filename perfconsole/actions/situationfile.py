"""Writes a situation file where it can be written, for its owner alone, and never over another file."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from perfconsole.errors import PerfconsoleError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_TRIES = 20
"""Files of one second and one folder: more than that is a key that is stuck."""


def state_folder(environment: Mapping[str, str] = os.environ) -> Path:
    """Where files go when the current directory takes none."""
    home = environment.get("XDG_STATE_HOME") or str(Path(environment.get("HOME", "/")) / ".local" / "state")
    return Path(home) / "perfconsole"


def write_situation(text: str, stamp: str, folders: Iterable[Path]) -> Path:
    """Write `perfconsole-STAMP.yaml` into the first folder that takes it; PerfconsoleError says why none does."""
    refused: list[str] = []
    for folder in folders:
        try:
            return _written(text.encode(), stamp, folder)
        except OSError as error:
            refused.append(f"{folder}: {error.strerror or error}")
    raise PerfconsoleError(f"this moment could not be written to {'; '.join(refused)}")


def _written(data: bytes, stamp: str, folder: Path) -> Path:
    if not folder.is_dir():
        folder.mkdir(mode=0o700, parents=True)
    folder = folder.absolute()
    for number in range(1, _TRIES + 1):
        path = folder / f"perfconsole-{stamp}{f'-{number}' if number > 1 else ''}.yaml"
        with suppress(FileExistsError):
            write_new(path, data)
            return path
    raise FileExistsError(f"perfconsole-{stamp}.yaml and {_TRIES - 1} more are there already")


def write_new(path: Path, data: bytes) -> None:
    """All of it or nothing: half a file would be judged as if it were whole."""
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    try:
        left = memoryview(data)
        while left:
            left = left[os.write(fd, left) :]
        os.fsync(fd)
    except OSError:
        with suppress(OSError):
            path.unlink()
        raise
    finally:
        os.close(fd)
