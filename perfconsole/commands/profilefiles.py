"""Saved profiles on disk: one JSON file each, for the user's eyes alone. What cannot be read is skipped with a line."""

from __future__ import annotations

import os
import re
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from perfconsole.actions.situationfile import state_folder
from perfconsole.errors import UsageError
from perfconsole.plainfile import read_plain

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from perfconsole.model.profile import Profile

_MOST_BYTES = 1 << 20
"""A profile of 400 figures takes 40 KiB."""
_MOST_FILES = 1000
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,47}")


@dataclass(frozen=True, slots=True)
class Shelf:
    """What the folder holds."""

    profiles: tuple[tuple[Path, Profile], ...] = ()
    problems: tuple[str, ...] = ()
    """One line for each file that was skipped."""

    @property
    def known(self) -> tuple[Profile, ...]:
        """The profiles without their files."""
        return tuple(profile for _, profile in self.profiles)


def folder(environment: Mapping[str, str] = os.environ) -> Path:
    """Folder of the saved profiles, below the XDG folder for state."""
    return state_folder(environment) / "baselines"


def checked_name(text: str) -> str:
    """A name that can be part of a file's; UsageError says what it may hold."""
    if not _NAME.fullmatch(text):
        raise UsageError(f"--name {text!r}: letters, digits, dots, dashes and underscores, 48 at most, e.g. night-load")
    return text


def load_profiles(place: Path | None = None) -> Shelf:
    """All profiles of the folder, the oldest first; a folder that is not there holds none."""
    place = place or folder()
    try:
        paths = sorted(path for path in place.iterdir() if path.suffix == ".json" and not path.name.startswith("."))
    except FileNotFoundError:
        return Shelf()
    except OSError as error:
        return Shelf(problems=(f"{place}: saved baselines cannot be read: {error.strerror or error}",))
    found: list[tuple[Path, Profile]] = []
    problems = [f"{place}: more than {_MOST_FILES} files; the rest is skipped"] if len(paths) > _MOST_FILES else []
    for path in paths[:_MOST_FILES]:
        try:
            found.append((path, _read(path)))
        except (OSError, ValueError, RecursionError) as error:
            reason = error.strerror if isinstance(error, OSError) else str(error) or "nested too deeply"
            problems.append(f"{path}: skipped, {reason}; move it away, or save that baseline anew")
    return Shelf(tuple(sorted(found, key=lambda pair: (pair[1].wall, pair[0]))), tuple(problems))


def _read(path: Path) -> Profile:
    import json  # noqa: PLC0415 - most starts have no saved profile

    from perfconsole.core.profilecodec import decode  # noqa: PLC0415 - as above

    body = read_plain(path, _MOST_BYTES)
    try:
        document = json.loads(body)
    except ValueError as error:
        raise ValueError(f"it is no JSON ({error})") from None
    return decode(document)


def save_profile(profile: Profile, place: Path | None = None) -> Path:
    """Write it in one step, over one of the same name and identity. UsageError when the place refuses it."""
    place = place or folder()
    path = place / _file_name(profile)
    try:
        place.mkdir(mode=0o700, parents=True, exist_ok=True)
        _write(path, _document(profile))
    except OSError as error:
        reason = error.strerror or error
        raise UsageError(f"{path}: cannot be written: {reason}; XDG_STATE_HOME names another place") from error
    return path


def _document(profile: Profile) -> bytes:
    import json  # noqa: PLC0415 - as above

    from perfconsole.core.profilecodec import encode  # noqa: PLC0415 - as above

    return (json.dumps(encode(profile), indent=1, allow_nan=False) + "\n").encode()


def _file_name(profile: Profile) -> str:
    """Name, kind and entity to read, and a mark of the whole identity: another build is another file."""
    import zlib  # noqa: PLC0415 - as above

    who = profile.identity
    mark = zlib.crc32(repr((who.adapter, who.model, who.build, who.config, who.entity, profile.host)).encode())
    entity = re.sub(r"[^A-Za-z0-9.-]+", "-", who.entity)[:48]
    return f"{profile.name}.{who.kind}-{entity}.{mark:08x}.json"


def _write(path: Path, body: bytes) -> None:
    """All or nothing: beside its place first, on the disk, then moved over."""
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    with suppress(FileNotFoundError):
        beside.unlink()
    try:
        with os.fdopen(os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600), "wb") as file:
            file.write(body)
            file.flush()
            os.fsync(file.fileno())
        beside.replace(path)
    except OSError:
        with suppress(OSError):
            beside.unlink()
        raise
