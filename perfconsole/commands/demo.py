"""`perfconsole demo`: incidents of a simulated host, seen through the same sources and rules as real ones."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING

from perfconsole.actions.run import end_all
from perfconsole.commands.check import exit_code, print_run
from perfconsole.commands.printing import say
from perfconsole.commands.running import seconds_of, watch_for
from perfconsole.config import load
from perfconsole.core.session import Session
from perfconsole.demo.scenarios import ALL, NAMES, RUN_S, SCENARIOS
from perfconsole.demo.stage import Stage
from perfconsole.errors import EXIT_OK, EXIT_USAGE, UsageError

if TYPE_CHECKING:
    import argparse

    from perfconsole.commands.watching import Watching
    from perfconsole.config import Config
    from perfconsole.model.rule import Rule
    from perfconsole.runner import Source

_END_S = 1.0
"""How long children may take to end when the screen is left."""
_NOT_STAGED = ("host", "kernel log", "engine log")
"""Kinds of sources that would speak of the real host, or of logs that simulated engines do not write."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Flags of this command, beside those that all share."""
    parser.add_argument(
        "--scenario",
        choices=NAMES,
        metavar="NAME",
        help=f"what to play (default all, one after the other): {', '.join(NAMES)}",
    )
    parser.add_argument(
        "--for",
        dest="seconds",
        type=seconds_of,
        metavar="SECONDS",
        help="headless: how long to play (default: the whole script; 45, 90s, 2m)",
    )
    parser.add_argument("--list", action="store_true", help="list the scenarios and what to expect of each")
    parser.add_argument(
        "--headless",
        action="store_true",
        help="no screen: play the scenario once and print the report of `perfconsole check`, with its exit code",
    )


def run(arguments: argparse.Namespace) -> int:
    """Run the command; returns the exit code."""
    if arguments.list:
        return _list()
    if arguments.engine or arguments.gateway or arguments.orchestrator:
        raise UsageError("demo plays on a host of its own: leave --engine, --gateway and --orchestrator out")
    from perfconsole.commands.rulebook import told_rules  # noqa: PLC0415 - YAML is not needed to list scenarios

    config = load(arguments.config, (), arguments.rules)
    rules, broken = told_rules(config)
    stage = Stage(arguments.scenario or _default(arguments))
    try:
        code = (_headless if _wants_text(arguments) else _screen)(arguments, stage, config, rules)
    finally:
        stage.close()
    return EXIT_USAGE if broken else code


def _default(arguments: argparse.Namespace) -> str:
    """All of them for a person who watches; into a pipe nobody asked for, one is enough: all take seven minutes."""
    if arguments.headless or arguments.json or sys.stdout.isatty():
        return ALL
    say(f"no terminal to draw on: plays {SCENARIOS[0].name} alone and prints the report (--scenario all plays all)")
    return SCENARIOS[0].name


def _wants_text(arguments: argparse.Namespace) -> bool:
    return arguments.headless or arguments.json or not sys.stdout.isatty()


def _list() -> int:
    width = max(len(name) for name in NAMES)
    for scenario in SCENARIOS:
        sys.stdout.write(f"{scenario.name:<{width}}  {scenario.title}; {scenario.expect}\n")
    sys.stdout.write(f"{ALL:<{width}}  all but healthy, one after the other\n")
    return EXIT_OK


def stage_sources(stage: Stage, config: Config) -> tuple[list[Source], Watching]:
    """The sources of live watching for the simulated targets; starts the stage. From the main thread."""
    from perfconsole.commands.watching import Watching  # noqa: PLC0415 - not needed for a help text

    stage.start()
    watching = Watching(stage.config(config))
    watching.start_gpus(stage.gpu_helper())
    # What else this machine does would be taken for a part of the play.
    local = [source for source in watching.local() if source.kind not in _NOT_STAGED]
    return [*watching.pages, *local], watching


def _headless(arguments: argparse.Namespace, stage: Stage, config: Config, rules: list[Rule]) -> int:
    sources, watching = stage_sources(stage, config)
    if not arguments.quiet:
        names = ", ".join(scenario.name for scenario in stage.scenarios)
        say(f"SIMULATED, no engine, gateway, agent or GPU of it is real: {names}; {stage.length_s:.0f} s")
    session = Session(rules, config.dictionary, run_s=RUN_S)
    length_s = arguments.seconds or stage.lead_s + stage.length_s
    done = watch_for(length_s, session, sources, watching, quiet=arguments.quiet)
    episodes = done.timeline.episodes()
    with suppress(BrokenPipeError):  # the reader of the pipe has left; the exit code is for somebody else
        print_run(arguments, done, episodes, "SIMULATED host")
    return exit_code(done, episodes, fail_on="warn", strict=False) if done.ended is None else done.ended


def _screen(arguments: argparse.Namespace, stage: Stage, config: Config, rules: list[Rule]) -> int:
    """The live screen over the stage: its one call; the process ends inside."""
    from perfconsole.clock import SystemClock  # noqa: PLC0415 - no part of the screen is needed elsewhere
    from perfconsole.monitor import Monitor  # noqa: PLC0415 - as above
    from perfconsole.tui.feed import Feed  # noqa: PLC0415 - as above
    from perfconsole.tui.run import look_of, require_terminal, watch  # noqa: PLC0415 - as above

    require_terminal(os.environ)
    sources, _ = stage_sources(stage, config)  # first: children are started by a process that has no threads yet
    feed = Feed(Monitor(Session(rules, config.dictionary, run_s=RUN_S), sources, SystemClock()))
    feed.rules = tuple(rules)
    feed.start()
    watch(feed, look_of(arguments, config.dictionary, "simulated-host", stage.banner, [partial(end_all, _END_S)]))
