"""Runs a probe without a screen: watches the target, asks, drives the load, saves and prints what was found."""

from __future__ import annotations

import json
import os
import resource
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Self

from perfconsole.actions.proberun import LOOK_S, ProbeRun
from perfconsole.clock import SystemClock
from perfconsole.commands.printing import say, wants_color, write_lines
from perfconsole.commands.probeaim import aims_of, engines_of, member_of, model_of, watched_with
from perfconsole.commands.probeask import confirmed, require_terminal
from perfconsole.commands.probekept import check_out, keep
from perfconsole.commands.probetold import Teller
from perfconsole.commands.rulebook import told_rules
from perfconsole.commands.running import known_profiles
from perfconsole.commands.watching import Watching
from perfconsole.config import load_flags
from perfconsole.core.session import Session
from perfconsole.errors import (
    EXIT_INTERRUPTED,
    EXIT_NEVER_ANSWERED,
    EXIT_OK,
    EXIT_SAFETY_STOP,
    EXIT_TERMINATED,
    EXIT_USAGE,
    UsageError,
)
from perfconsole.monitor import Monitor
from perfconsole.plainfile import read_plain
from perfconsole.probing.asking import asked, traffic_of
from perfconsole.probing.conductor import Lead, Phase
from perfconsole.probing.environment import environment_of
from perfconsole.probing.guard import Cause, Stopped
from perfconsole.probing.indicators import probe_batch
from perfconsole.probing.meaning import meaning
from perfconsole.probing.opening import opening_of
from perfconsole.probing.outcome import outcome
from perfconsole.probing.planning import plan_of, recipe_of, with_sample
from perfconsole.probing.precautions import Surroundings, precautions
from perfconsole.probing.resultcodec import encode
from perfconsole.probing.sample import read_sample
from perfconsole.sources.layer import ENGINE
from perfconsole.sources.linux.machine import read_machine
from perfconsole.tui.feed import Feed
from perfconsole.view.probereport import probe_lines

if TYPE_CHECKING:
    import argparse

    from perfconsole.commands.probeaim import Aim
    from perfconsole.config import Config
    from perfconsole.model.enginestretch import EngineStretch
    from perfconsole.model.entity import Entity
    from perfconsole.model.probeask import ProbeAsk
    from perfconsole.model.probeorders import Arrival
    from perfconsole.model.probeplan import ProbePlan
    from perfconsole.model.proberesult import ProbeResult
    from perfconsole.model.snapshot import Snapshot, SourceHealth

_FIRST_LOOK_S = 4.0
"""So long the target is watched at most before the first request: traffic is a rate, and takes two polls."""
_MEANING_S = 2.5
"""For a picture in which findings know what was measured."""
_MOST_SAMPLE = 256 << 20
_PAUSE_S = 0.05
_RATE = "engine.request_rate"


@dataclass(frozen=True, slots=True)
class _Task:
    """What is to be done."""

    plan: ProbePlan
    aims: tuple[Aim, ...]
    arrivals: tuple[Arrival, ...]


def run_probe(arguments: argparse.Namespace) -> int:
    """Run the command; returns the exit code."""
    config = load_flags(arguments)
    task = _task(arguments, config)
    check_out(arguments.out)
    if not arguments.yes:
        require_terminal()
    model = model_of(task.aims[0], task.plan.model)
    if model is None:
        return EXIT_NEVER_ANSWERED
    task = replace(task, plan=replace(task.plan, model=model))
    with _Watch(watched_with(config, task.aims), task.aims) as watch:
        watch.first_look()
        return _probe(arguments, task, watch)


def _task(arguments: argparse.Namespace, config: Config) -> _Task:
    recipe, urls = recipe_of(arguments.what)
    aims = aims_of(recipe, urls, config, arguments.token_env)
    seed = int(SystemClock().wall() * 1000) & 0x7FFFFFFF  # no two probes share a text: a prefix cache would flatter
    plan = plan_of(recipe, tuple(aim.shown for aim in aims), arguments, seed)
    if arguments.replay is None:
        return _Task(plan, aims, ())
    arrivals = _sample(Path(arguments.replay))
    return _Task(with_sample(plan, arrivals, arguments), aims, arrivals)


def _sample(path: Path) -> tuple[Arrival, ...]:
    try:
        lines = read_plain(path, _MOST_SAMPLE).decode("utf-8", "replace").splitlines()
        return read_sample(lines, str(path))
    except ValueError as error:
        text = str(error)
        raise UsageError(text if text.startswith(str(path)) else f"{path}: {text}") from None


class _Watch:
    """The monitor over the target, on a thread of its own, and what is asked of it."""

    def __init__(self, config: Config, aims: tuple[Aim, ...]) -> None:
        self.clock = SystemClock()
        self._aims = aims
        rules, _ = told_rules(config)
        self._watching = Watching(config)
        self._watching.start_gpus()
        session = Session(rules, config.dictionary, profiles=known_profiles())
        sources = [*self._watching.pages, *self._watching.local(), *self._watching.discovery()]
        self._monitor = Monitor(session, sources, self.clock)
        self._watching.attach(self._monitor)
        self._feed = Feed(self._monitor)

    def __enter__(self) -> Self:
        self._feed.start()
        self._monitor.drawn.set()
        return self

    def __exit__(self, *_: object) -> None:
        self._monitor.stop()

    @property
    def snapshot(self) -> Snapshot | None:
        """The newest picture."""
        return self._feed.newest

    @property
    def fault(self) -> str | None:
        """Why no more pictures come."""
        return self._feed.fault

    def engines(self) -> tuple[Entity | None, ...]:
        """The engine behind each target; None for one that has said nothing yet."""
        health = self._source()
        heard = health is None or health.answered
        return engines_of(self._aims, self._watching) if heard else (None,) * len(self._aims)

    def stretch(self, engine: Entity, start: float, end: float) -> EngineStretch | None:
        """What an engine did between two moments."""
        return self._monitor.visit(lambda session: session.stretch(engine, start, end))

    def first_look(self) -> None:
        """Until the engine has said what others send it, or it is plain that it says nothing."""
        until = self.clock.now() + _FIRST_LOOK_S
        while self.clock.now() < until and not self.fault and not self._known():
            self.clock.sleep(_PAUSE_S)

    def told(self, result: ProbeResult) -> str:
        """What the result means for findings that a probe answers; waits for a picture that knows it."""
        engine = next((e for e in self.engines() if e is not None), None)
        before = self.snapshot
        if engine is None or before is None or not any(c.kind == "probe" for f in before.findings for c in f.checks):
            return ""
        self._monitor.post(probe_batch(result.indicators, [engine], self.clock.now(), self.clock.wall()))
        until = self.clock.now() + _MEANING_S
        while self.clock.now() < until and (self.snapshot is None or self.snapshot.seq < before.seq + 2):
            self.clock.sleep(_PAUSE_S)
        return meaning(self.snapshot)

    def _known(self) -> bool:
        picture, health = self.snapshot, self._source()
        if picture is None:
            return False
        if health is None or health.state == "down":
            return True
        if not self._watching.directory.members(ENGINE):
            return health.answered
        return any(i.name == _RATE and isinstance(i.value, float) for i in picture.indicators)

    def _source(self) -> SourceHealth | None:
        member = member_of(self._aims[-1], self._watching)
        rows = self.snapshot.sources if self.snapshot is not None else ()
        return next((row for row in rows if member is not None and row.name == member.source), None)


def _ask(arguments: argparse.Namespace, task: _Task, watch: _Watch) -> ProbeAsk:
    """The question, as things stand now."""
    engine, picture = watch.engines()[0], watch.snapshot
    _, files = resource.getrlimit(resource.RLIMIT_NOFILE)
    around = Surroundings(
        snapshot=picture,
        engine=engine,
        local=all(aim.local for aim in task.aims),
        files=files if files > 0 else 1 << 20,
        despite_traffic=arguments.despite_traffic,
    )
    return asked(task.plan, precautions(task.plan, around), picture, engine, task.arrivals)


def _probe(arguments: argparse.Namespace, task: _Task, watch: _Watch) -> int:
    if not confirmed(_ask(arguments, task, watch), yes=arguments.yes, quiet=arguments.quiet):
        say("nothing was sent")
        return EXIT_OK
    if refused := _ask(arguments, task, watch).refusals:  # somebody may have thought about it for a while
        raise UsageError(f"not started: {'; '.join(refused)}")
    engines, before = watch.engines(), watch.snapshot
    clock = watch.clock
    began, now = clock.wall(), clock.now()
    lead = Lead(opening_of(task.plan, [aim.address for aim in task.aims]), began - now, engines, before, task.arrivals)
    teller = Teller(quiet=arguments.quiet)
    run = ProbeRun(task.plan, lead, now)
    try:
        signalled, loaded = _drive(run, watch, teller)
    finally:
        run.close()
        teller.end()
    environment = environment_of(loaded or before, engines[0], read_machine(Path("/"), {"client": os.getpid()}))
    result = outcome(run.conductor, environment, began, clock.now(), traffic_of(before, engines[0]).requests_per_s)
    said = "" if signalled is not None else watch.told(result)
    saved, written = keep(result, said, arguments.out)
    _print(arguments, result, saved, said)
    if signalled is not None:
        return signalled
    return _code(run.conductor.stopped) if written else EXIT_USAGE


def _drive(run: ProbeRun, watch: _Watch, teller: Teller) -> tuple[int | None, Snapshot | None]:
    """Until it has ended: the exit code of a signal that ended it, and the last picture of the time of a step."""
    signalled: int | None = None
    loaded: Snapshot | None = None
    while True:
        try:
            now = watch.clock.now()
            if run.look(watch.snapshot, watch.stretch, now):
                return signalled, loaded
            if run.conductor.phase is Phase.STEP:
                loaded = watch.snapshot
            if watch.fault:
                run.stop(
                    Stopped(Cause.CLIENT, f"nobody watches the engine any more: {watch.fault}"), watch.stretch, now
                )
            teller.tell(run.conductor, now)
            watch.clock.sleep(LOOK_S)
        except (KeyboardInterrupt, SystemExit) as signal:
            if signalled is not None:
                raise
            interrupted = isinstance(signal, KeyboardInterrupt)
            signalled = EXIT_INTERRUPTED if interrupted else EXIT_TERMINATED
            why = "ended by Ctrl-C" if interrupted else "ended by a signal"
            run.stop(Stopped(Cause.PERSON, why), watch.stretch, watch.clock.now())


def _code(stopped: Stopped | None) -> int:
    if stopped is None:
        return EXIT_OK
    return EXIT_NEVER_ANSWERED if stopped.cause is Cause.UNREACHED else EXIT_SAFETY_STOP


def _print(arguments: argparse.Namespace, result: ProbeResult, saved: str, said: str) -> None:
    if arguments.json:
        sys.stdout.write(json.dumps(encode(result), allow_nan=False) + "\n")
        return
    color = wants_color(sys.stdout, no_color=arguments.no_color)
    write_lines(probe_lines(result, saved, said), color=color, ascii_only=arguments.ascii)
