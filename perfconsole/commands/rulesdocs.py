"""`perfconsole rules docs`: one page a rule and an index, written anew or compared with what is there."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from perfconsole.commands.printing import safe
from perfconsole.commands.rulefiles import load_paths
from perfconsole.diagnose.rulefile import LAYERS, shipped_folder
from perfconsole.errors import EXIT_OK, EXIT_USAGE, UsageError
from perfconsole.model.dictionary import DEFAULT
from perfconsole.view.rulemarkdown import MADE, rule_markdown
from perfconsole.view.rulesindex import index_markdown

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable

FOLDER = Path("docs") / "rules"


def run(arguments: argparse.Namespace) -> int:
    """Write the pages of the shipped rules, or of those named; exit code 2 where one is stale or a rule is broken."""
    if arguments.json:
        raise UsageError(
            "rules docs writes pages and has no JSON; leave --json out (`rules show ID --json` has a rule)"
        )
    rules, errors = load_paths(arguments.rules)
    for error in errors:
        _say(str(error), arguments)
    if errors:
        return EXIT_USAGE
    known = {rule.id: rule for rule in rules}
    pages = {f"{rule.id}.md": rule_markdown(rule, known, DEFAULT) for rule in rules}
    pages["index.md"] = index_markdown(rules, LAYERS)
    return _check(pages, arguments) if arguments.check else _write(pages, arguments)


def _check(pages: dict[str, str], arguments: argparse.Namespace) -> int:
    folder: Path = arguments.folder
    wrong = [(name, "differs from its rule") for name, text in pages.items() if _text(folder / name) != text]
    if not folder.is_dir():
        raise UsageError(f"{folder}: no such folder; `perfconsole rules docs {folder}` writes the pages")
    wrong += [(path.name, "has no rule any more") for path in _left_over(folder, pages)]
    for name, what in sorted(wrong):
        _say(f"{folder / name}: {what}; run `perfconsole rules docs {folder}`", arguments)
    if not wrong:
        _say(f"{len(pages)} pages, all as their rules say", arguments)
    return EXIT_USAGE if wrong else EXIT_OK


def _write(pages: dict[str, str], arguments: argparse.Namespace) -> int:
    folder: Path = arguments.folder
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except FileExistsError:
        raise UsageError(f"{folder}: is no folder; name one for the pages") from None
    changed = [name for name, text in pages.items() if _text(folder / name) != text]
    for name in changed:
        (folder / name).write_text(pages[name], encoding="utf-8")
    left_over = _left_over(folder, pages)
    for path in left_over:
        path.unlink()
    _say(f"{len(pages)} pages in {folder}: {len(changed)} written, {len(left_over)} removed", arguments)
    return EXIT_OK


def _text(path: Path) -> str | None:
    """Text of a page; None where there is none or it is no text."""
    try:
        return path.read_text(encoding="utf-8")
    except (FileNotFoundError, UnicodeDecodeError):
        return None


def _left_over(folder: Path, pages: Iterable[str]) -> list[Path]:
    """Pages made from rules that are gone; of shipped rules, and what somebody wrote by hand, none is touched."""
    kept = {*pages, *(f"{path.stem}.md" for path in shipped_folder().rglob("*.yaml"))}
    others = (path for path in sorted(folder.glob("*.md")) if path.name not in kept)
    return [path for path in others if MADE in (_text(path) or "")]


def _say(text: str, arguments: argparse.Namespace) -> None:
    sys.stdout.write(safe(text, ascii_only=arguments.ascii) + "\n")
