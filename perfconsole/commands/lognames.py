"""Which log files a person named for which engine: `--log FILE`, `--log ENGINE=FILE`, and `log` in a [[target]]."""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass
from typing import TYPE_CHECKING

from perfconsole.errors import UsageError
from perfconsole.model.sample import Batch

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterable

    from perfconsole.sources.directory import Directory, Member
    from perfconsole.sources.layer import Layer

_LOOK_S = 5.0
_SAY_WHICH = "say whose it is: --log ENGINE=FILE"


@dataclass(frozen=True, slots=True)
class NamedLog:
    """One `--log`."""

    engine: str
    """Name, URL, host:port or port of the engine; empty where just the file was given."""
    path: str


def add_log(parser: argparse.ArgumentParser) -> None:
    """The flag of the commands that watch."""
    parser.add_argument(
        "--log",
        action="append",
        default=[],
        metavar="[ENGINE=]FILE",
        help="log of an engine, where it is not found by itself; ENGINE is its name or port (repeatable)",
    )


def named_logs(texts: Iterable[str]) -> tuple[NamedLog, ...]:
    """What the flags say; UsageError for a file that cannot be read."""
    return tuple(_named(text) for text in texts)


def _named(text: str) -> NamedLog:
    head, equals, rest = text.partition("=")
    whole = not equals or head.startswith(("/", ".")) or not head or os.path.exists(text)  # noqa: PTH110 - one look
    engine, path = ("", text) if whole else (head, rest)
    _refuse_unreadable(path)
    return NamedLog(engine, path)


def _refuse_unreadable(path: str) -> None:
    if not path:
        raise UsageError("--log names no file; write --log FILE or --log ENGINE=FILE")
    try:
        regular = stat.S_ISREG(os.stat(path).st_mode)  # noqa: PTH116 - one look, no Path needed
    except (OSError, ValueError) as error:
        words = getattr(error, "strerror", None) or error
        raise UsageError(f"--log {path}: cannot be read: {words}") from error
    if not regular:
        raise UsageError(f"--log {path}: is no regular file; name the file that the engine's output is written to")
    if not os.access(path, os.R_OK):
        raise UsageError(f"--log {path}: may not be read by this user; run as the engine's user or as root")


def refuse_strangers(logs: Iterable[NamedLog], engines: Iterable[tuple[str, ...]]) -> None:
    """UsageError for a log of an engine that is not watched, and for one of nobody where several are.

    `engines` are all that will be watched, each with the words that it is known by.
    """
    known = list(engines)
    shown = ", ".join(names[0] for names in known) or "none"
    for log in logs:
        if not log.engine and len(known) > 1:
            raise UsageError(f"--log {log.path}: {len(known)} engines are watched ({shown}); {_SAY_WHICH}")
        if log.engine and not any(_is(log.engine, names) for names in known):
            raise UsageError(f"--log {log.engine}={log.path}: no such engine is watched; watched: {shown}")


def logs_of(
    member: Member, directory: Directory, logs: tuple[NamedLog, ...], own: str
) -> Callable[[], tuple[str, ...] | str]:
    """The files of one engine as far as is known now; in words why a flag cannot be understood."""

    def files() -> tuple[str, ...] | str:
        mine = [log.path for log in logs if log.engine and _is(log.engine, _words(member))]
        named = [own] if own else []
        loose = [log.path for log in logs if not log.engine]
        if loose and not mine and not named:
            others = directory.members(member.layer)
            if len(others) > 1:
                names = ", ".join(each.entity().name for each in others)
                return f"--log {loose[0]}: {len(others)} engines are watched ({names}); {_SAY_WHICH}"
            return tuple(loose)
        return tuple(dict.fromkeys(named + mine))

    return files


class UnclaimedLogs:
    """Says which named engines are not watched, where all are still being looked for: a source without values."""

    name = "--log"
    kind = "engine log"
    deadline_s = 5.0
    brief = True

    def __init__(self, logs: tuple[NamedLog, ...], directory: Directory, layer: Layer) -> None:
        self._logs = [log for log in logs if log.engine]
        self._directory = directory
        self._layer = layer

    def poll(self, now: float, wall: float) -> tuple[Batch, ...]:
        """A remark for each log that is nobody's so far."""
        members = self._directory.members(self._layer)
        shown = ", ".join(member.entity().name for member in members) or "none"
        lost = [log for log in self._logs if not any(_is(log.engine, _words(member)) for member in members)]
        notes = tuple(f"--log {log.engine}={log.path}: no such engine is watched; watched: {shown}" for log in lost)
        return (Batch(self.name, self.kind, now, wall, _LOOK_S, took_s=0.0, notes=notes),)

    def interrupt(self) -> None:
        """There is nothing to break off."""

    def close(self) -> None:
        """There is nothing to let go of."""


def _words(member: Member) -> tuple[str, ...]:
    return (member.entity().name, member.source, member.url, str(member.place[1] or ""))


def _is(engine: str, names: tuple[str, ...]) -> bool:
    """The word stands for that engine; a name that ends in its port does before the page has said what it is."""
    port = names[-1]
    return engine.rstrip("/") in [name for name in names if name] or (bool(port) and engine.endswith(f":{port}"))
