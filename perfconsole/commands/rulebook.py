"""The shipped rules with those of the user's folders; a user's rule of the same id replaces the shipped one."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import TYPE_CHECKING

from perfconsole.commands.printing import say
from perfconsole.config import user_home
from perfconsole.diagnose.lint import unusable
from perfconsole.diagnose.parse import nearest
from perfconsole.diagnose.rulefile import load_folder, shipped_folder
from perfconsole.errors import UsageError
from perfconsole.model.dictionary import DEFAULT, Dictionary

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from perfconsole.config import Config
    from perfconsole.model.rule import Rule


def user_folder(environment: Mapping[str, str] = os.environ) -> Path:
    """Folder of the user's own rules."""
    return user_home(environment) / "rules"


def load_rules(folders: Iterable[Path], dictionary: Dictionary = DEFAULT) -> tuple[list[Rule], list[UsageError]]:
    """All rules that can be used, and one error for each that cannot; the latter never stops the former."""
    own = [user_folder()] if os.path.isdir(user_folder()) else []  # noqa: PTH112 - never raises, whatever the rights
    found: dict[str, Rule] = {}
    problems: list[UsageError] = []
    for folder in [shipped_folder(), *own, *folders]:
        rules, errors = load_folder(folder, cases=False)
        problems.extend(errors)
        for rule in rules:
            fault = _fault(rule, dictionary)
            if fault is None:
                found[rule.id] = replace(rule, places=None)
            else:
                problems.append(fault)
    return list(found.values()), problems


def told_rules(config: Config) -> tuple[list[Rule], bool]:
    """The rules that can be used, with one line on stderr for each that cannot; whether there was one."""
    rules, broken = load_rules(config.rule_folders, config.dictionary)
    for problem in broken:
        say(skipped(problem))
    return rules, bool(broken)


def skipped(problem: UsageError) -> str:
    """What is said of a rule that cannot be used."""
    return f"{problem} (this rule is skipped)"


def chosen(rules: Sequence[Rule], rule_id: str) -> Rule:
    """The rule of this id; UsageError with the nearest one."""
    found = next((rule for rule in rules if rule.id == rule_id), None)
    if found is None:
        hint = nearest(rule_id, [rule.id for rule in rules]) or "; `perfconsole rules list` has them all"
        raise UsageError(f"no rule is called {rule_id!r}{hint}")
    return found


def _fault(rule: Rule, dictionary: Dictionary) -> UsageError | None:
    """What leaves the rule without meaning: a name that does not exist would look like missing data for ever."""
    problem = unusable(rule, dictionary)
    return UsageError(f"{problem.place}: {problem.message}") if problem else None
