"""`perfconsole rules why ID`: judges this host, or a recording, and says which condition keeps a rule silent."""

from __future__ import annotations

import json
import sys
from contextlib import suppress
from typing import TYPE_CHECKING

from perfconsole import __version__
from perfconsole.commands.printing import wants_color, write_lines
from perfconsole.commands.rulebook import chosen, told_rules
from perfconsole.commands.running import refuse_mixed, run_flags
from perfconsole.commands.sourcing import host_name
from perfconsole.config import load_flags
from perfconsole.errors import EXIT_NEVER_ANSWERED, EXIT_OK
from perfconsole.view.explainreport import why_json, why_lines

if TYPE_CHECKING:
    import argparse

    from perfconsole.commands.running import Run
    from perfconsole.model.rule import Rule

_NEAR = 3


def run(arguments: argparse.Namespace) -> int:
    """Watch or replay with all rules, so that the one asked about is judged as `check` judges it."""
    refuse_mixed(arguments)
    config = load_flags(arguments)
    rules, _ = told_rules(config)
    rule = chosen(rules, arguments.id)
    done = run_flags(arguments, config, rules, rule.id)
    with suppress(BrokenPipeError):  # the reader of the pipe has left; the exit code is for somebody else
        _print(arguments, rule, done)
    if done.ended is not None:
        return done.ended
    return EXIT_NEVER_ANSWERED if done.never_answered else EXIT_OK


def _print(arguments: argparse.Namespace, rule: Rule, done: Run) -> None:
    if arguments.json:
        document = why_json(rule, done.snapshot, version=__version__, host=host_name())
        sys.stdout.write(json.dumps(document, allow_nan=False) + "\n")
        return
    color = wants_color(sys.stdout, no_color=arguments.no_color)
    write_lines(why_lines(rule, done.snapshot), color=color, ascii_only=arguments.ascii)
