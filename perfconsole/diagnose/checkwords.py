"""Finds what is wrong with the checks of a rule: commands that do more than look, probes and profiles that cannot run.

Never runs or fills a command.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from perfconsole.diagnose.checks import PLACEHOLDERS, RECIPES
from perfconsole.diagnose.harm import harmful
from perfconsole.diagnose.parse import nearest, render
from perfconsole.diagnose.problem import Problem
from perfconsole.diagnose.scopes import belongs
from perfconsole.model.entity import Kind
from perfconsole.model.rule import Condition

if TYPE_CHECKING:
    from collections.abc import Iterator

    from perfconsole.diagnose.problem import Complaint
    from perfconsole.model.rule import Check, Rule

_BRACES = re.compile(r"(?<!%)\{([^{}\s]+)\}")
_PROBE = re.compile(r"perfconsole\s+probe\s+(\S+)")
_PROFILE = re.compile(r"py-spy\s+record\b")
_KINDS = {"orchestration": Kind.ORCHESTRATOR}


def of_checks(rule: Rule) -> Iterator[Problem]:
    """Problems of each check, at the word that is wrong."""
    if not rule.checks:
        yield Problem(rule.at("checks"), "no-check", "no check; add one that can confirm or refute the finding")
    for place, check in enumerate(rule.checks):
        key = "what" if check.kind == "look" else "command"
        for code, message, column in (*_of_placeholders(check.text, rule.scope), *_of_command(check)):
            yield Problem(rule.at("checks", place, key, column=column), code, message)
        yield from _of_recipe(rule, check, place)
        if _said(check.confirms) == _said(check.refutes):
            message = "what confirms the finding refutes it too; say what would be seen otherwise"
            yield Problem(rule.at("checks", place, "refutes"), "same-answer", message)


def _said(sign: Condition | str) -> str:
    return render(sign.expression) if isinstance(sign, Condition) else sign.strip()


def _of_placeholders(text: str, scope: Kind) -> Iterator[Complaint]:
    for match in _BRACES.finditer(text):
        name, column = match[1], match.start() + 2
        layer = name.partition(".")[0]
        if name not in PLACEHOLDERS:
            yield "unknown-placeholder", f"nothing fills {{{name}}}{nearest(name, PLACEHOLDERS)}", column
        elif not belongs(_KINDS.get(layer) or Kind(layer), scope):
            message = f"nothing fills {{{name}}} here: no {layer} belongs to a {scope}; use one of the {scope}'s own"
            yield "foreign-placeholder", message, column


def _of_command(check: Check) -> Iterator[Complaint]:
    if check.kind != "look":
        yield from harmful(check.text)
    if check.kind == "flame":
        yield from _of_profile(check.text)
    elif check.kind == "probe":
        yield from _of_probe(check)


def _of_profile(text: str) -> Iterator[Complaint]:
    profile = _PROFILE.match(text)
    if profile is None:
        yield "not-a-profile", "a flame check starts with 'py-spy record'; write it so, or make it a run check", 1
    elif not re.search(r"(?<!\S)--idle(?!\S)", text):
        message = "without --idle a thread that blocks is left out of the profile; add --idle behind 'record'"
        yield "flame-without-idle", message, profile.end() - len("record") + 1


def _of_probe(check: Check) -> Iterator[Complaint]:
    command = _PROBE.match(check.text)
    if command is None:
        yield "not-a-probe", f"a probe check starts with 'perfconsole probe {check.recipe or 'RECIPE'}'", 1
    elif check.recipe in RECIPES and command[1] != check.recipe:
        message = f"the command runs the recipe {command[1]!r}, the check names {check.recipe!r}; make them one"
        yield "not-a-probe", message, command.start(1) + 1
    elif not check.recipe and command[1] not in RECIPES:
        yield "unknown-recipe", _unknown(command[1]), command.start(1) + 1


def _of_recipe(rule: Rule, check: Check, place: int) -> Iterator[Problem]:
    if check.recipe and check.recipe not in RECIPES:
        yield Problem(rule.at("checks", place, "recipe"), "unknown-recipe", _unknown(check.recipe))


def _unknown(recipe: str) -> str:
    return f"no recipe is called {recipe!r}{nearest(recipe, RECIPES)}; there are {', '.join(RECIPES)}"
