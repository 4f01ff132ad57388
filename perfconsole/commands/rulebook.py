"""The shipped rules with those of the user's folders; a user's rule of the same id replaces the shipped one."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import TYPE_CHECKING

from perfconsole.config import user_home
from perfconsole.diagnose.lint import unusable
from perfconsole.diagnose.rulefile import load_folder, shipped_folder
from perfconsole.errors import UsageError
from perfconsole.model.dictionary import DEFAULT, Dictionary

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

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


def _fault(rule: Rule, dictionary: Dictionary) -> UsageError | None:
    """What leaves the rule without meaning: a name that does not exist would look like missing data for ever."""
    problem = unusable(rule, dictionary)
    return UsageError(f"{problem.place}: {problem.message}") if problem else None
