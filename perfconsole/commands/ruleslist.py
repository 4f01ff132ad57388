"""`perfconsole rules list|show`: the rules that count here, one line each, and one of them in full."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

from perfconsole.commands.printing import safe
from perfconsole.commands.rulebook import chosen, told_rules
from perfconsole.config import load
from perfconsole.errors import EXIT_OK
from perfconsole.model.rule import RANK_CLASSES, Condition

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable

    from perfconsole.model.rule import Check, Rule

_KEYS: dict[str, Callable[[Rule], int | str]] = {
    "row": lambda _: 0,
    "id": lambda rule: rule.id,
    "layer": lambda rule: rule.layer,
    "severity": lambda rule: -rule.severity.rank,
    "class": lambda rule: RANK_CLASSES.index(rule.rank_class),
}
SORTS = tuple(_KEYS)
"""What the list can be sorted by; rules that are equal there stay in the order of their rows."""


def run_list(arguments: argparse.Namespace) -> int:
    """One line a rule, or with --json the same five keys of each."""
    chosen = [rule for rule in _rules(arguments) if arguments.layer in (None, rule.layer)]
    rules = sorted(chosen, key=_KEYS[arguments.sort])
    if arguments.json:
        fields = [{"id": r.id, "row": r.row, "title": r.title, "scope": r.scope, "severity": r.severity} for r in rules]
        sys.stdout.write(json.dumps(fields) + "\n")
        return EXIT_OK
    for rule in rules:
        place = f"  ({rule.place.file})" if arguments.verbose else ""
        text = f"{rule.row:5} {rule.id:28} {rule.severity:9} {rule.scope:13} {rule.title}{place}"
        sys.stdout.write(safe(text, ascii_only=arguments.ascii) + "\n")
    return EXIT_OK


def run_show(arguments: argparse.Namespace) -> int:
    """Everything that one rule says."""
    rule = chosen(_rules(arguments), arguments.id)
    if arguments.json:
        sys.stdout.write(json.dumps(_document(rule)) + "\n")
        return EXIT_OK
    for label, lines in _parts(rule):
        for i, line in enumerate(lines):
            text = safe(f"{label if i == 0 else '':14} {line}", ascii_only=arguments.ascii)
            sys.stdout.write(text + "\n")
    return EXIT_OK


def _rules(arguments: argparse.Namespace) -> list[Rule]:
    config = load(arguments.config, [], arguments.rules)
    return told_rules(config)[0]


def _texts(conditions: tuple[Condition, ...]) -> list[str]:
    return [" ".join(c.text.split()) for c in conditions]


def _text(words: Condition | str) -> str:
    return " ".join((words.text if isinstance(words, Condition) else words).split())


def _parts(rule: Rule) -> list[tuple[str, list[str]]]:
    """Label and lines of each part; one without lines is left out."""
    head = f"{rule.title}  ({rule.severity}, {rule.rank_class}, scope {rule.scope}, row {rule.row})"
    note = f"{rule.confidence}{_incidents(rule)}. {rule.note}".strip()
    return [
        (rule.id, [head]),
        ("when", _texts(rule.when)),
        ("unless", _texts(rule.unless)),
        ("no history", _fallbacks(rule)),
        ("escalates", [f"{level} when {_text(condition)}" for level, condition in rule.escalate]),
        ("cause", [rule.cause]),
        ("checks", [line for check in rule.checks for line in _check(check)]),
        ("remedies", list(rule.remedies)),
        ("explains", [", ".join(rule.explains)] if rule.explains else []),
        ("evidence", [", ".join(rule.evidence)] if rule.evidence else []),
        ("confidence", [note]),
        ("file", [str(rule.place)]),
    ]


def _incidents(rule: Rule) -> str:
    return f" (incidents {', '.join(rule.incidents)})" if rule.incidents else ""


def _fallbacks(rule: Rule) -> list[str]:
    """What stands for a condition while its baseline is missing."""
    return [
        f"condition {place + 1}: {'waits for a baseline' if instead is None else _text(instead)}"
        for place, instead in rule.fallback
    ]


def _check(check: Check) -> list[str]:
    return [
        f"{check.kind}: {_text(check.text)}",
        f"  confirms  {_text(check.confirms)}",
        f"  refutes   {_text(check.refutes)}",
    ]


def _document(rule: Rule) -> dict[str, Any]:
    return {
        "id": rule.id,
        "row": rule.row,
        "title": rule.title,
        "layer": rule.layer,
        "scope": rule.scope,
        "severity": rule.severity,
        "class": rule.rank_class,
        "when": _texts(rule.when),
        "unless": _texts(rule.unless),
        "fallback": {str(place + 1): None if c is None else _text(c) for place, c in rule.fallback},
        "escalate": {str(level): _text(condition) for level, condition in rule.escalate},
        "explains": list(rule.explains),
        "cause": rule.cause,
        "checks": [_check_document(check) for check in rule.checks],
        "remedies": list(rule.remedies),
        "evidence": list(rule.evidence),
        "incidents": list(rule.incidents),
        "confidence": rule.confidence,
        "note": rule.note,
        "file": rule.place.file,
    }


def _check_document(check: Check) -> dict[str, str | None]:
    return {
        "kind": check.kind,
        "text": check.text,
        "recipe": check.recipe,
        "confirms": _text(check.confirms),
        "refutes": _text(check.refutes),
    }
