"""Results of probes that were kept: saved, listed, read again, and compared."""

from __future__ import annotations

import json
import os
import stat
import sys
from contextlib import suppress
from typing import TYPE_CHECKING

from perfconsole.actions.savedfiles import save_all
from perfconsole.actions.situationfile import state_folder
from perfconsole.commands.printing import say, wants_color, write_lines
from perfconsole.errors import EXIT_LIKELY, EXIT_OK, EXIT_POSSIBLE, PerfconsoleError, UsageError
from perfconsole.plainfile import read_plain
from perfconsole.probing.comparison import compared
from perfconsole.probing.failon import gates, parse_fail_on
from perfconsole.probing.resultcodec import ResultError, read, written
from perfconsole.probing.tables import to_json
from perfconsole.view.probediff import comparison_lines
from perfconsole.view.probefiles import probe_name, probe_texts
from perfconsole.view.probereport import Archived, archive_json, archive_lines

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator
    from pathlib import Path

    from perfconsole.model.probecomparison import Gate
    from perfconsole.model.proberesult import ProbeResult

_KIND = "probes"
_JSON = ".json"
_MOST = 64 << 20
_LISTED = 1_000
"""Newest results that are listed."""


def check_out(path: Path | None) -> None:
    """UsageError before the first request where the result could not be written at the end."""
    if path is None:
        return
    if path.is_dir():
        raise UsageError(f"--out {path}: it is a folder; name a file in it")
    folder = path.absolute().parent
    if not folder.is_dir() or not os.access(folder, os.W_OK | os.X_OK):
        raise UsageError(f"--out {path}: nothing can be written in {folder}")


def keep(result: ProbeResult, meaning: str, out: Path | None) -> tuple[str, bool]:
    """Write the archive and FILE: where it lies, in words, and whether FILE was written if it was asked for.

    What cannot be written is told, and lost.
    """
    texts = {_JSON: written(result), **probe_texts(result, meaning)}
    places = []
    try:
        places.append(f"{save_all(texts, probe_name(result), None, _KIND)} ({' '.join(texts)})")
    except PerfconsoleError as error:
        say(str(error))
    if out is None:
        return ", ".join(places), True
    try:
        _write(out, texts[_JSON].encode())
    except OSError as error:
        say(f"--out {out}: {error.strerror or error}")
        return ", ".join(places), False
    return ", ".join([*places, str(out)]), True


def _write(path: Path, data: bytes) -> None:
    """All of it or nothing, for its owner alone; what is no plain file (a pipe) is written into."""
    with suppress(FileNotFoundError):
        if not stat.S_ISREG(path.stat().st_mode):
            path.write_bytes(data)
            return
    beside = path.with_name(f"{path.name}.{os.getpid()}")
    number = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    try:
        with os.fdopen(number, "wb") as file:
            file.write(data)
        beside.replace(path)
    except OSError:
        beside.unlink(missing_ok=True)
        raise


def list_kept(arguments: argparse.Namespace) -> int:
    """The archive, the newest first."""
    found = [Archived(str(path), result) for path, result in _kept()]
    if arguments.json:
        sys.stdout.write(json.dumps(archive_json(found), allow_nan=False) + "\n")
    else:
        color = wants_color(sys.stdout, no_color=arguments.no_color)
        write_lines(archive_lines(found), color=color, ascii_only=arguments.ascii)
    return EXIT_OK


def _kept() -> Iterator[tuple[Path, ProbeResult]]:
    """Results that can be read; of one that cannot, a line tells."""
    folder = state_folder() / _KIND
    for path in sorted(folder.glob(f"*{_JSON}"), reverse=True)[:_LISTED]:
        try:
            yield path, read_result(path)
        except UsageError as error:
            say(str(error))


def read_result(path: Path) -> ProbeResult:
    """The result in a file; UsageError says what is wrong with it."""
    try:
        return read(read_plain(path, _MOST).decode("utf-8", "replace"))
    except (ResultError, ValueError) as error:
        raise UsageError(f"{path}: {error}") from None
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror or error}") from None


def compare(arguments: argparse.Namespace, before: Path, after: Path) -> int:
    """What changed from one result to the other."""
    try:
        rules = parse_fail_on(arguments.fail_on) if arguments.fail_on else ()
    except ValueError as error:
        raise UsageError(f"--fail-on {error}") from None
    found = compared(read_result(before), read_result(after))
    decided = gates(found, rules)
    if arguments.json:
        document = {"schema": 1, **to_json(found), "gates": [to_json(gate) for gate in decided]}
        sys.stdout.write(json.dumps(document, allow_nan=False) + "\n")
    else:
        lines = comparison_lines(found, str(before), str(after), decided, every=arguments.verbose)
        write_lines(lines, color=wants_color(sys.stdout, no_color=arguments.no_color), ascii_only=arguments.ascii)
    return _code(decided)


def _code(decided: tuple[Gate, ...]) -> int:
    """1 where a limit was passed; 4 where one could not be looked at at all, which is no pass."""
    if any(gate.passed for gate in decided):
        return EXIT_LIKELY
    return EXIT_POSSIBLE if any(not gate.compared for gate in decided) else EXIT_OK
