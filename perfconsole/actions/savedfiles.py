"""Files of one result, private to the user: all of them or none, and never over another file."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from perfconsole.actions.situationfile import state_folder, write_new
from perfconsole.errors import PerfconsoleError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

_TRIES = 20


def save_all(texts: Mapping[str, str], name: str, folder: Path | None, kind: str) -> Path:
    """Write `name` with each ending into the folder (the state folder's `kind` where none is named).

    Path without an ending; PerfconsoleError says why nothing was written.
    """
    into = (folder or state_folder() / kind).absolute()
    try:
        into.mkdir(mode=0o700, parents=True, exist_ok=True)
        for number in range(1, _TRIES + 1):
            path = into / f"{name}{f'-{number}' if number > 1 else ''}"
            with suppress(FileExistsError):
                _write(path, texts)
                return path
        raise FileExistsError(17, f"{name} and {_TRIES - 1} more are there already")
    except OSError as error:
        raise PerfconsoleError(f"nothing was saved in {into}: {error.strerror or error}") from None


def _write(path: Path, texts: Mapping[str, str]) -> None:
    done: list[Path] = []
    try:
        for ending, text in texts.items():
            file = path.with_name(path.name + ending)
            write_new(file, text.encode("utf-8", "replace"))
            done.append(file)
    except OSError:
        for file in done:
            with suppress(OSError):
                file.unlink()
        raise
