"""Rule files as a person names them: single ones or folders, with what was wrong with those that did not load."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from perfconsole.diagnose.rulefile import load_file, load_folder, shipped_folder
from perfconsole.diagnose.yamltree import RuleFileError
from perfconsole.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from perfconsole.model.rule import Rule


def load_paths(paths: Iterable[Path]) -> tuple[list[Rule], list[RuleFileError]]:
    """Rules of files and folders, those that come with perfconsole where none is named; UsageError for an empty one."""
    rules: list[Rule] = []
    errors: list[RuleFileError] = []
    for path in list(paths) or [shipped_folder()]:
        more, wrong = _of_file(path) if os.path.isfile(path) else load_folder(path)  # noqa: PTH113 - never raises
        if not more and not wrong:
            raise UsageError(f"{path}: no rule file in it; rules are files *.yaml in it or in its folders")
        rules += more
        errors += wrong
    return rules, errors


def _of_file(path: Path) -> tuple[list[Rule], list[RuleFileError]]:
    if path.suffix != ".yaml":
        raise UsageError(f"{path}: rule files end in .yaml; rename it")
    try:
        return [load_file(path)], []
    except RuleFileError as error:
        return [], [error]
