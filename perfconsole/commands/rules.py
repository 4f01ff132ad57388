"""`perfconsole rules list|show|lint|test`: the symptom table, and whether its files are right."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from perfconsole.commands import ruleslint
from perfconsole.commands.printing import safe, say
from perfconsole.commands.rulebook import load_rules
from perfconsole.commands.rulefiles import load_paths
from perfconsole.config import load
from perfconsole.errors import EXIT_OK, EXIT_USAGE, UsageError
from perfconsole.view.plain import plain

if TYPE_CHECKING:
    import argparse

    from perfconsole.model.rule import Condition, Rule


def add_arguments(parser: argparse.ArgumentParser, shared: argparse.ArgumentParser) -> None:
    """Subcommands with their arguments."""
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    actions.add_parser("list", parents=[shared], help="one line a rule, in the order of the symptom table")
    show = actions.add_parser("show", parents=[shared], help="one rule in full")
    show.add_argument("id", help="the rule's id, as in the list")
    for name, text in (("lint", "check rule files for mistakes"), ("test", "run the cases of rule files")):
        action = actions.add_parser(name, parents=[shared], help=text)
        action.add_argument("path", nargs="*", type=Path, help="folders or files (default: the shipped rules)")


def run(arguments: argparse.Namespace) -> int:
    """Run the chosen action; exit code 2 when a rule file has a mistake or a case fails."""
    match arguments.action:
        case "lint":
            return ruleslint.run(arguments)
        case "test":
            return _test(arguments)
        case "show":
            return _show(arguments)
        case _:
            return _list(arguments)


def _rules(arguments: argparse.Namespace) -> list[Rule]:
    config = load(arguments.config, [], arguments.rules)
    rules, broken = load_rules(config.rule_folders)
    for problem in broken:
        say(f"{problem} (this rule is skipped)")
    return rules


def _list(arguments: argparse.Namespace) -> int:
    rules = _rules(arguments)
    if arguments.json:
        fields = [{"id": r.id, "row": r.row, "title": r.title, "scope": r.scope, "severity": r.severity} for r in rules]
        sys.stdout.write(json.dumps(fields) + "\n")
        return EXIT_OK
    for rule in rules:
        place = f"  ({rule.place.file})" if arguments.verbose else ""
        text = f"{rule.row:5} {rule.id:28} {rule.severity:9} {rule.scope:13} {rule.title}{place}"
        sys.stdout.write(safe(text, ascii_only=arguments.ascii) + "\n")
    return EXIT_OK


def _show(arguments: argparse.Namespace) -> int:
    rule = next((r for r in _rules(arguments) if r.id == arguments.id), None)
    if rule is None:
        raise UsageError(f"no rule is called {arguments.id!r}; `perfconsole rules list` has them all")
    if arguments.json:
        sys.stdout.write(json.dumps(_rule_json(rule)) + "\n")
        return EXIT_OK
    for label, lines in _rule_text(rule):
        for i, line in enumerate(lines):
            text = safe(f"{label if i == 0 else '':14} {line}", ascii_only=arguments.ascii)
            sys.stdout.write(text + "\n")
    return EXIT_OK


def _texts(conditions: tuple[Condition, ...]) -> list[str]:
    return [c.text for c in conditions]


def _rule_text(rule: Rule) -> list[tuple[str, list[str]]]:
    checks = [f"{c.kind}: {c.text}" for c in rule.checks]
    head = f"{rule.title}  ({rule.severity}, {rule.rank_class}, scope {rule.scope}, row {rule.row})"
    return [
        (rule.id, [head]),
        ("when", _texts(rule.when)),
        ("unless", _texts(rule.unless)),
        ("cause", [rule.cause]),
        ("checks", checks),
        ("remedies", list(rule.remedies)),
        ("explains", [", ".join(rule.explains)] if rule.explains else []),
        ("confidence", [f"{rule.confidence}. {rule.note}".strip()]),
        ("file", [str(rule.place)]),
    ]


def _rule_json(rule: Rule) -> dict[str, Any]:
    return {
        "id": rule.id,
        "row": rule.row,
        "title": rule.title,
        "scope": rule.scope,
        "severity": rule.severity,
        "class": rule.rank_class,
        "when": _texts(rule.when),
        "unless": _texts(rule.unless),
        "explains": list(rule.explains),
        "cause": rule.cause,
        "remedies": list(rule.remedies),
        "file": rule.place.file,
    }


def _test(arguments: argparse.Namespace) -> int:
    from perfconsole.core.cases import run_cases  # noqa: PLC0415 - only this action runs a session
    from perfconsole.model.dictionary import DEFAULT  # noqa: PLC0415 - as above

    rules, errors = load_paths([*arguments.path, *arguments.rules])
    for error in errors:
        sys.stdout.write(f"{plain(str(error))}\n")
    failures = run_cases(rules, DEFAULT)
    for failure in failures:
        sys.stdout.write(plain(f"{failure.place}: {failure.rule}: {failure.message}") + "\n")
    count = sum(len(rule.cases) for rule in rules)
    sys.stdout.write(f"{len(rules)} rules, {count - len(failures)} of {count} cases hold\n")
    return EXIT_USAGE if failures or errors else EXIT_OK
