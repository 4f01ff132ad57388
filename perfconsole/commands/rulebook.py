"""The shipped rules with those of the user's folders; a user's rule of the same id replaces the shipped one."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from perfconsole.diagnose.rulefile import load_folder, shipped_folder

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from perfconsole.errors import UsageError
    from perfconsole.model.rule import Rule


def user_folder(environment: Mapping[str, str] = os.environ) -> Path:
    """Folder of the user's own rules below the XDG configuration folder."""
    home = environment.get("XDG_CONFIG_HOME") or str(Path(environment.get("HOME", "/")) / ".config")
    return Path(home) / "perfconsole" / "rules"


def load_rules(folders: Iterable[Path]) -> tuple[list[Rule], list[UsageError]]:
    """All rules that can be used, and one error for each that cannot; the latter never stops the former."""
    own = [user_folder()] if user_folder().is_dir() else []
    found: dict[str, Rule] = {}
    problems: list[UsageError] = []
    for folder in [shipped_folder(), *own, *folders]:
        rules, errors = load_folder(folder)
        found.update((rule.id, rule) for rule in rules)
        problems.extend(errors)
    return list(found.values()), problems
