"""`perfconsole rules lint`: each mistake with its place, the line it stands in and a caret below the very word."""

from __future__ import annotations

import json
import sys
from functools import lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING

from perfconsole.commands.printing import safe
from perfconsole.commands.rulebook import load_rules
from perfconsole.commands.rulefiles import load_paths
from perfconsole.diagnose.lint import lint
from perfconsole.diagnose.problem import Problem
from perfconsole.errors import EXIT_OK, EXIT_USAGE
from perfconsole.model.dictionary import DEFAULT
from perfconsole.view.excerpt import excerpt

if TYPE_CHECKING:
    import argparse

    from perfconsole.diagnose.yamltree import RuleFileError


def run(arguments: argparse.Namespace) -> int:
    """Print what is wrong; exit code 2 when anything is."""
    rules, errors = load_paths([*arguments.path, *arguments.rules])
    others, _ = load_rules(())
    problems = [_of_error(error) for error in errors] + lint(rules, DEFAULT, others)
    problems.sort(key=lambda p: (p.place.file, p.place.line, p.place.column))
    if arguments.json:
        sys.stdout.write(json.dumps([_document(problem) for problem in problems]) + "\n")
    else:
        _write(problems, len(rules), ascii_only=arguments.ascii)
    return EXIT_USAGE if problems else EXIT_OK


def _of_error(error: RuleFileError) -> Problem:
    return Problem(error.place, error.code, error.message)


def _document(problem: Problem) -> dict[str, str | int]:
    place = problem.place
    return {
        "file": place.file,
        "line": place.line,
        "column": place.column,
        "code": problem.code,
        "message": problem.message,
    }


def _write(problems: list[Problem], rules: int, *, ascii_only: bool) -> None:
    spell = partial(safe, ascii_only=ascii_only)
    for problem in problems:
        sys.stdout.write(spell(str(problem)) + "\n")
        line = _line(problem.place.file, problem.place.line)
        for shown in excerpt(line, problem.place.column, spell) if line.strip() else ():
            sys.stdout.write(f"  {shown}\n")
    if not problems:
        sys.stdout.write(f"{rules} rule{'s' * (rules != 1)}, no problem\n")


def _line(file: str, number: int) -> str:
    """One line of a file; empty where there is none or the file cannot be shown."""
    lines = _lines(file)
    return lines[number - 1] if number <= len(lines) else ""


@lru_cache(maxsize=1)
def _lines(file: str) -> list[str]:
    path = Path(file)
    try:
        # The size first: what was refused for it is not read here either.
        return path.read_text(encoding="utf-8-sig").split("\n") if path.is_file() and _small(path) else []
    except (OSError, UnicodeDecodeError):
        return []


def _small(path: Path) -> bool:
    return path.stat().st_size <= 1_000_000
