"""`perfconsole check`: watch for a while, or replay a recording, and say what is wrong; exit code for scripts."""

from __future__ import annotations

import json
import sys
from contextlib import suppress
from typing import TYPE_CHECKING

from perfconsole import __version__
from perfconsole.commands.lognames import add_log
from perfconsole.commands.printing import wants_color, write_lines
from perfconsole.commands.rulebook import told_rules
from perfconsole.commands.running import add_length, add_replay, refuse_mixed, run_flags
from perfconsole.commands.sourcing import host_name
from perfconsole.commands.verdict import add_verdict_flags, code_of, limit_of, open_at, standing_verdicts
from perfconsole.config import load_flags
from perfconsole.errors import EXIT_NEVER_ANSWERED, EXIT_USAGE
from perfconsole.view.layers import unjudged
from perfconsole.view.report_json import episode_json, report
from perfconsole.view.report_text import indicator_lines, report_lines, search_lines, timeline_lines

if TYPE_CHECKING:
    import argparse

    from perfconsole.commands.running import Run
    from perfconsole.model.episode import Episode


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Flags of this command, beside those that all share."""
    add_length(parser)
    add_log(parser)
    add_verdict_flags(parser)
    add_replay(parser)


def run(arguments: argparse.Namespace) -> int:
    """Run the command; returns the exit code."""
    refuse_mixed(arguments)
    config = load_flags(arguments)
    rules, broken = told_rules(config)
    done = run_flags(arguments, config, rules)
    episodes = done.timeline.episodes()
    with suppress(BrokenPipeError):  # the reader of the pipe has left; the exit code is for somebody else
        print_run(arguments, done, episodes, host_name())
    if done.ended is not None:
        return done.ended
    if broken:
        return EXIT_USAGE
    return exit_code(done, episodes, fail_on=arguments.fail_on, strict=arguments.strict)


def print_run(arguments: argparse.Namespace, done: Run, episodes: tuple[Episode, ...], host: str) -> None:
    """The report: text, or one JSON document."""
    if arguments.json:
        document = report(done.snapshot, version=__version__, host=host, took_s=done.took_s)
        document["timeline"] = [episode_json(e, done.start) for e in episodes]
        sys.stdout.write(json.dumps(document, allow_nan=False) + "\n")
        return
    lines = [
        *report_lines(done.snapshot, host=host, took_s=done.snapshot.t - done.start, replayed=done.replayed),
        *timeline_lines(episodes, done.start, done.snapshot.t),
        *((*search_lines(done.snapshot), *indicator_lines(done.snapshot)) if arguments.verbose else ()),
    ]
    write_lines(lines, color=wants_color(sys.stdout, no_color=arguments.no_color), ascii_only=arguments.ascii)


def exit_code(done: Run, episodes: tuple[Episode, ...], *, fail_on: str, strict: bool) -> int:
    """The contract's table: 3 before 1 before 4 before 0. An engine that could not be judged at the end gives 4.

    A finding counts if it fired at any time of the run; one that stands under its cause does not count beside it.
    """
    if done.never_answered:
        return EXIT_NEVER_ANSWERED
    limit = limit_of(fail_on)
    fired = {e.verdict for e in episodes if e.fired and not e.explained_by and e.severity.rank >= limit}
    unsure = done.targets == 0 or (strict and open_at(done.snapshot, fail_on)) or bool(unjudged(done.snapshot))
    return code_of(fired | standing_verdicts(done.snapshot, fail_on), unsure=unsure)
