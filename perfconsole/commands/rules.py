"""`perfconsole rules list|show|why|lint|test|docs`: the symptom table, and whether its files are right."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from perfconsole.commands import rulesdocs, ruleslint, ruleslist
from perfconsole.commands.rulefiles import load_paths
from perfconsole.diagnose.rulefile import LAYERS
from perfconsole.errors import EXIT_OK, EXIT_USAGE
from perfconsole.view.plain import plain

if TYPE_CHECKING:
    import argparse


def add_arguments(parser: argparse.ArgumentParser, shared: argparse.ArgumentParser) -> None:
    """Subcommands with their arguments."""
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    listing = actions.add_parser("list", parents=[shared], help="one line a rule, in the order of the symptom table")
    listing.add_argument("--layer", choices=LAYERS, help="only the rules of one layer")
    listing.add_argument("--sort", choices=ruleslist.SORTS, default="row", help="order of the lines (default: row)")
    show = actions.add_parser("show", parents=[shared], help="one rule in full")
    show.add_argument("id", help="the rule's id, as in the list")
    _add_why(actions, shared)
    for name, text in (("lint", "check rule files for mistakes"), ("test", "run the cases of rule files")):
        action = actions.add_parser(name, parents=[shared], help=text)
        action.add_argument("path", nargs="*", type=Path, help="folders or files (default: the shipped rules)")
    docs = actions.add_parser("docs", parents=[shared], help="write a page for each rule, and an index of them")
    docs.add_argument(
        "folder", nargs="?", type=Path, default=rulesdocs.FOLDER, metavar="DIR", help="where to (default: docs/rules)"
    )
    docs.add_argument("--check", action="store_true", help="write nothing; exit code 2 when a page is not up to date")


def _add_why(actions: Any, shared: argparse.ArgumentParser) -> None:  # noqa: ANN401 - argparse has no public name
    from perfconsole.commands.lognames import add_log  # noqa: PLC0415 - as in run
    from perfconsole.commands.running import add_length, add_replay  # noqa: PLC0415 - as in run

    why = actions.add_parser("why", parents=[shared], help="judge this host, say which condition keeps a rule silent")
    why.add_argument("id", help="the rule's id, as in the list")
    add_length(why)
    add_log(why)
    add_replay(why)


def run(arguments: argparse.Namespace) -> int:
    """Run the chosen action; exit code 2 when a rule file has a mistake or a case fails."""
    match arguments.action:
        case "lint":
            return ruleslint.run(arguments)
        case "test":
            return _test(arguments)
        case "show":
            return ruleslist.run_show(arguments)
        case "docs":
            return rulesdocs.run(arguments)
        case "why":
            from perfconsole.commands import ruleswhy  # noqa: PLC0415 - only this action watches anything

            return ruleswhy.run(arguments)
        case _:
            return ruleslist.run_list(arguments)


def _test(arguments: argparse.Namespace) -> int:
    from perfconsole.core.cases import run_cases  # noqa: PLC0415 - only this action runs a session
    from perfconsole.model.dictionary import DEFAULT  # noqa: PLC0415 - as above

    rules, errors = load_paths([*arguments.path, *arguments.rules])
    failures = run_cases(rules, DEFAULT)
    count = sum(len(rule.cases) for rule in rules)
    wrong = [(e.place, "", e.message) for e in errors] + [(f.place, f.rule, f.message) for f in failures]
    if arguments.json:
        fields = [{"file": p.file, "line": p.line, "rule": rule, "message": text} for p, rule, text in wrong]
        sys.stdout.write(json.dumps({"rules": len(rules), "cases": count, "wrong": fields}) + "\n")
        return EXIT_USAGE if wrong else EXIT_OK
    for place, rule, text in wrong:
        sys.stdout.write(plain(f"{place}: {rule}{': ' if rule else ''}{text}") + "\n")
    sys.stdout.write(f"{len(rules)} rules, {count - len(failures)} of {count} cases hold\n")
    return EXIT_USAGE if wrong else EXIT_OK
