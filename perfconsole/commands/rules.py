"""`perfconsole rules list|show|why|lint|test`: the symptom table, and whether its files are right."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from perfconsole.commands.printing import safe, say
from perfconsole.commands.rulebook import load_rules
from perfconsole.config import load
from perfconsole.diagnose.lint import lint
from perfconsole.diagnose.rulefile import RuleFileError, load_folder, shipped_folder
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
    _add_why(actions, shared)
    for name, text in (("lint", "check rule files for mistakes"), ("test", "run the cases of rule files")):
        action = actions.add_parser(name, parents=[shared], help=text)
        action.add_argument("path", nargs="*", type=Path, help="folders or files (default: the shipped rules)")


def _add_why(actions: Any, shared: argparse.ArgumentParser) -> None:  # noqa: ANN401 - argparse has no public name for it
    from perfconsole.commands.running import add_length, add_replay  # noqa: PLC0415 - as in run

    why = actions.add_parser("why", parents=[shared], help="judge this host, say which condition keeps a rule silent")
    why.add_argument("id", help="the rule's id, as in the list")
    add_length(why)
    add_replay(why)


def run(arguments: argparse.Namespace) -> int:
    """Run the chosen action; exit code 2 when a rule file has a mistake or a case fails."""
    match arguments.action:
        case "lint":
            return _lint(arguments)
        case "test":
            return _test(arguments)
        case "show":
            return _show(arguments)
        case "why":
            from perfconsole.commands import ruleswhy  # noqa: PLC0415 - only this action watches anything

            return ruleswhy.run(arguments)
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


def _loaded(arguments: argparse.Namespace) -> tuple[list[Rule], list[RuleFileError]]:
    rules: list[Rule] = []
    errors: list[RuleFileError] = []
    for path in [*arguments.path, *arguments.rules] or [shipped_folder()]:
        more, wrong = _loaded_file(path) if path.is_file() else load_folder(path)
        if not more and not wrong:
            raise UsageError(f"{path}: no rule file in it; rules are files *.yaml in it or in its folders")
        rules += more
        errors += wrong
    return rules, errors


def _loaded_file(path: Path) -> tuple[list[Rule], list[RuleFileError]]:
    """The one rule of a file, by way of its folder."""
    if path.suffix != ".yaml":
        raise UsageError(f"{path}: rule files end in .yaml; rename it")
    rules, errors = load_folder(path.parent)
    return [r for r in rules if r.place.file == str(path)], [e for e in errors if e.place.file == str(path)]


def _lint(arguments: argparse.Namespace) -> int:
    from perfconsole.model.dictionary import DEFAULT  # noqa: PLC0415 - only lint and test read names

    rules, errors = _loaded(arguments)
    problems = [
        {
            "file": e.place.file,
            "line": e.place.line,
            "column": e.place.column,
            "code": "unreadable",
            "message": e.message,
        }
        for e in errors
    ]
    problems += [
        {"file": p.place.file, "line": p.place.line, "column": p.place.column, "code": p.code, "message": p.message}
        for p in lint(rules, DEFAULT)
    ]
    if arguments.json:
        sys.stdout.write(json.dumps(problems) + "\n")
    else:
        for p in problems:
            sys.stdout.write(plain(f"{p['file']}:{p['line']}:{p['column']}: {p['message']} [{p['code']}]") + "\n")
        if not problems:
            sys.stdout.write(f"{len(rules)} rule{'s' * (len(rules) != 1)}, no problem\n")
    return EXIT_USAGE if problems else EXIT_OK


def _test(arguments: argparse.Namespace) -> int:
    from perfconsole.core.cases import run_cases  # noqa: PLC0415 - only this action runs a session
    from perfconsole.model.dictionary import DEFAULT  # noqa: PLC0415 - as above

    rules, errors = _loaded(arguments)
    for error in errors:
        sys.stdout.write(f"{plain(str(error))}\n")
    failures = run_cases(rules, DEFAULT)
    for failure in failures:
        sys.stdout.write(plain(f"{failure.place}: {failure.rule}: {failure.message}") + "\n")
    count = sum(len(rule.cases) for rule in rules)
    sys.stdout.write(f"{len(rules)} rules, {count - len(failures)} of {count} cases hold\n")
    return EXIT_USAGE if failures or errors else EXIT_OK
