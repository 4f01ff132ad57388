"""`perfconsole rules why ID`: judges this host, or a recording, and says which condition keeps a rule silent."""

from __future__ import annotations

import difflib
import json
import sys
from contextlib import suppress
from typing import TYPE_CHECKING

from perfconsole import __version__
from perfconsole.commands.printing import say, wants_color, write_lines
from perfconsole.commands.rulebook import load_rules
from perfconsole.commands.running import refuse_mixed, run_flags
from perfconsole.commands.sourcing import host_name
from perfconsole.config import load_flags
from perfconsole.errors import EXIT_NEVER_ANSWERED, EXIT_OK, UsageError
from perfconsole.view.explainreport import why_json, why_lines

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from perfconsole.commands.running import Run
    from perfconsole.model.rule import Rule

_NEAR = 3


def run(arguments: argparse.Namespace) -> int:
    """Watch or replay with all rules, so that the one asked about is judged as `check` judges it."""
    refuse_mixed(arguments)
    config = load_flags(arguments)
    rules, broken = load_rules(config.rule_folders, config.dictionary)
    for problem in broken:
        say(f"{problem} (this rule is skipped)")
    rule = chosen(rules, arguments.id)
    done = run_flags(arguments, config, rules, rule.id)
    with suppress(BrokenPipeError):  # the reader of the pipe has left; the exit code is for somebody else
        _print(arguments, rule, done)
    if done.ended is not None:
        return done.ended
    return EXIT_NEVER_ANSWERED if done.never_answered else EXIT_OK


def chosen(rules: Sequence[Rule], rule_id: str) -> Rule:
    """The rule of this id; UsageError with the nearest ids."""
    ids = [rule.id for rule in rules]
    if rule_id in ids:
        return rules[ids.index(rule_id)]
    near = difflib.get_close_matches(rule_id, ids, n=_NEAR, cutoff=0.7)
    hint = f"did you mean {' or '.join(near)}?" if near else "`perfconsole rules list` has them all"
    raise UsageError(f"no rule is called {rule_id!r}; {hint}")


def _print(arguments: argparse.Namespace, rule: Rule, done: Run) -> None:
    if arguments.json:
        document = why_json(rule, done.snapshot, version=__version__, host=host_name())
        sys.stdout.write(json.dumps(document, allow_nan=False) + "\n")
        return
    color = wants_color(sys.stdout, no_color=arguments.no_color)
    write_lines(why_lines(rule, done.snapshot), color=color, ascii_only=arguments.ascii)
