"""Watches for a while, or replays a recording, to its last picture: what `check`, `rules why` and `demo` share."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from perfconsole.clock import SystemClock
from perfconsole.commands.printing import progress, say
from perfconsole.commands.profilefiles import load_profiles
from perfconsole.commands.watching import Watching
from perfconsole.config import user_file
from perfconsole.core.session import Session
from perfconsole.core.timeline import Timeline
from perfconsole.errors import EXIT_INTERRUPTED, EXIT_TERMINATED, UsageError
from perfconsole.model.snapshot import Snapshot
from perfconsole.view.layers import unheard

if TYPE_CHECKING:
    from collections.abc import Iterable

    from perfconsole.config import Config
    from perfconsole.model.profile import Profile
    from perfconsole.model.rule import Rule
    from perfconsole.runner import Source

DEFAULT_SECONDS = 30.0
_DAY_S = 86_400.0
_GAP_TICKS = 600
"""Ticks into a gap of a recording; by then everything is stale, and a gap may be years."""
_LAST_WALL = 253_402_300_799.0
"""End of the year 9999."""


@dataclass(slots=True)
class Run:
    """What one run gave."""

    snapshot: Snapshot
    start: float
    took_s: float
    timeline: Timeline
    replayed: str | None
    targets: int
    never_answered: bool
    ended: int | None = None
    """Exit code of the signal that ended it early; what was seen until then is reported all the same."""


def add_length(parser: argparse.ArgumentParser) -> None:
    """How long to watch."""
    parser.add_argument(
        "--for",
        dest="seconds",
        type=seconds_of,
        metavar="SECONDS",
        help="how long to watch (default 30 s; 45, 90s, 2m); longer holds of rules are cut to fit",
    )


def add_replay(parser: argparse.ArgumentParser) -> None:
    """A recording instead of this host."""
    parser.add_argument(
        "--replay",
        type=Path,
        metavar="SERIES.prom.gz",
        help="judge recorded metrics pages instead of watching, with the recorded times",
    )
    parser.add_argument(
        "--at", type=seconds_of, metavar="SECONDS", help="with --replay: judge the recording up to this second"
    )


def seconds_of(text: str) -> float:
    """`45`, `90s` or `2m`."""
    factor = {"s": 1.0, "m": 60.0}.get(text[-1:], 0.0)
    try:
        value = float(text[:-1]) * factor if factor else float(text)
    except ValueError:
        value = 0.0
    if not 1 <= value <= _DAY_S:
        raise argparse.ArgumentTypeError(f"{text!r} is no time from 1 s to 24 h, such as 45, 90s or 2m")
    return value


def refuse_mixed(arguments: argparse.Namespace) -> None:
    """A recording has its own length and its own engine: flags of live watching do nothing beside it."""
    if arguments.replay is None and arguments.at is not None:
        raise UsageError("--at goes with --replay: name a recording, or leave --at out")
    named = arguments.engine or arguments.gateway or arguments.orchestrator or arguments.log
    if arguments.replay is not None and (named or arguments.seconds is not None):
        raise UsageError("--replay judges a recording: leave targets, --log and --for out (--at ends it earlier)")


Follow = Callable[[Session, Snapshot], None]
"""Gets every snapshot of a run, right after its tick."""


def run_flags(
    arguments: argparse.Namespace,
    config: Config,
    rules: list[Rule],
    asked: str | None = None,
    follow: Follow | None = None,
) -> Run:
    """Replay or watch, as the flags say; `asked` is a rule to be explained, `follow` sees each snapshot."""
    judged_by = _JudgedBy(tuple(rules), known_profiles(), asked, follow)
    return (_replay if arguments.replay else _watch)(arguments, config, judged_by)


def known_profiles() -> tuple[Profile, ...]:
    """The saved profiles; a file that cannot be used is told of, and skipped."""
    shelf = load_profiles()
    for problem in shelf.problems:
        say(problem)
    return shelf.known


@dataclass(frozen=True, slots=True)
class _JudgedBy:
    """What a run is judged by, and who follows it."""

    rules: tuple[Rule, ...]
    profiles: tuple[Profile, ...]
    asked: str | None
    follow: Follow | None

    def session(self, config: Config, run_s: float) -> Session:
        session = Session(self.rules, config.dictionary, run_s, profiles=self.profiles)
        session.ask(self.asked)
        return session

    def seen(self, session: Session, snapshot: Snapshot) -> None:
        if self.follow is not None:
            self.follow(session, snapshot)


def _watch(arguments: argparse.Namespace, config: Config, judged_by: _JudgedBy) -> Run:
    seconds = DEFAULT_SECONDS if arguments.seconds is None else arguments.seconds
    session = judged_by.session(config, seconds)
    watching = Watching(config)
    if not config.targets and not config.discover and not arguments.quiet:
        say(f"no target: neither --engine nor a [[target]] in {arguments.config or user_file()} names one")
    watching.start_gpus()
    sources = [*watching.pages, *watching.local(), *watching.discovery()]
    return watch_for(seconds, session, sources, watching, quiet=arguments.quiet, follow=judged_by.seen)


def watch_for(
    seconds: float,
    session: Session,
    sources: Iterable[Source],
    watching: Watching,
    *,
    quiet: bool,
    follow: Follow | None = None,
) -> Run:
    """Poll the sources for so long; a signal ends it early, and what was seen until then counts."""
    from perfconsole.monitor import Monitor  # noqa: PLC0415 - threads are not needed to print a help text

    clock = SystemClock()
    start = clock.now()
    timeline = Timeline()
    last: list[Snapshot] = []
    announce = _announcer(watching)

    def on_snapshot(snapshot: Snapshot) -> None:
        timeline.add(snapshot)
        if follow is not None:
            follow(session, snapshot)
        if not quiet:
            announce(snapshot)
        progress(snapshot.t - start, seconds, quiet=quiet)
        last[:] = [snapshot]

    ended: int | None = None
    try:
        monitor = Monitor(session, sources, clock)
        watching.attach(monitor)
        monitor.run(seconds, on_snapshot)
    except (KeyboardInterrupt, SystemExit) as signal:
        if not last:
            raise
        ended = EXIT_INTERRUPTED if isinstance(signal, KeyboardInterrupt) else EXIT_TERMINATED
        say(f"ended by a signal after {clock.now() - start:.0f} of {seconds:.0f} s; this is what was seen until then")
    snapshot = last[0]
    silent = not watching.named.isdisjoint(unheard(snapshot))
    targets = len(watching.directory.members())
    return Run(snapshot, start, clock.now() - start, timeline, None, targets, silent, ended)


def _announcer(watching: Watching) -> Callable[[Snapshot], None]:
    """Says each target that was found and each trouble of a source once, at the moment it appears.

    Nobody should wait 30 s for a typing error.
    """
    said: set[tuple[str, str]] = set()
    told = 0

    def announce(snapshot: Snapshot) -> None:
        nonlocal told
        for found in watching.found[told:]:
            told += 1
            say(f"found {found.layer} {found.url or f'process {found.pid}'}: {found.how}")
        for source in snapshot.sources:
            key = (source.name, str(source.state))
            if source.state == "down" and source.kind != "health route" and key not in said:
                said.add(key)
                say(f"{source.name}: {source.reason}")

    return announce


def _replay(arguments: argparse.Namespace, config: Config, judged_by: _JudgedBy) -> Run:
    from perfconsole.sources.catalogue import shelves  # noqa: PLC0415 - as above
    from perfconsole.sources.recorded import Replay  # noqa: PLC0415 - parsers are not needed to print a help text

    clock = SystemClock()
    began = clock.now()
    replay = Replay(arguments.replay, shelves(), config.dictionary)
    seconds = min(replay.seconds, arguments.at) if arguments.at is not None else replay.seconds
    if replay.start + replay.seconds > _LAST_WALL:
        raise UsageError(f"{arguments.replay}: the times behind `# t` are no seconds since 1970; divide them by 1000")
    session = judged_by.session(config, seconds)
    timeline = Timeline()
    snapshot = None
    for snapshot in _ticks(session, replay, seconds):
        timeline.add(snapshot)
        judged_by.seen(session, snapshot)
    assert snapshot is not None  # noqa: S101 - a recording has at least one page, so at least one tick
    pages = [s for s in snapshot.sources if s.kind == replay.layer.page_kind]
    never = not any(s.answered for s in pages)
    if never and replay.has_pages:
        raise UsageError(f"{arguments.replay}: no page of it can be used: {pages[0].reason}")
    name = "/".join(arguments.replay.absolute().parts[-2:])
    return Run(snapshot, 0.0, clock.now() - began, timeline, name, 1, never)


def _ticks(session: Session, replay: Any, seconds: float) -> Iterable[Snapshot]:  # noqa: ANN401 - Replay, loaded late
    """One tick a second of recorded time, and one at its end, as live."""
    next_tick = 0.0
    for batches in replay.batches():
        t = batches[0].t
        if t > seconds + 1e-6:
            break
        gap_end = next_tick + _GAP_TICKS
        while next_tick < t - 1e-6:
            if next_tick >= gap_end:
                next_tick = float(int(t))
                gap_end = next_tick + _GAP_TICKS
                continue
            yield session.tick(next_tick, replay.start + next_tick)
            next_tick += 1.0
        for batch in batches:
            session.apply(batch)
    yield session.tick(seconds, replay.start + seconds)
