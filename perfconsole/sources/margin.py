"""What is said of a file while it is read: where it cannot be used, and what of it was left out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn

from perfconsole.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


class Margin:
    """Remarks on one file, each with the line of the word that it is about."""

    def __init__(self, path: Path, text: str) -> None:
        self.path = path
        self._lines = _lines_of(text)
        self.remarks: list[str] = []

    def fail(self, message: str, word: str = "") -> NoReturn:
        """Give the file up: UsageError in one line."""
        raise UsageError(f"{self._at(word)}: {message}")

    def leave_out(self, word: str, why: str) -> None:
        """Go on without it, and say so once."""
        remark = f"{self._at(word)}: {why} (left out)"
        if remark not in self.remarks:
            self.remarks.append(remark)

    def table(self, top: Mapping[str, Any], key: str) -> Mapping[str, Any]:
        """The table under a key; empty where there is none."""
        value = top.get(key)
        if value is not None and not isinstance(value, dict):
            self.fail(f"{key} must be a table; write 'name: value'", key)
        return value or {}

    def items(self, top: Mapping[str, Any], key: str) -> list[Any]:
        """The list under a key; empty where there is none."""
        value = top.get(key)
        if value is not None and not isinstance(value, list):
            self.fail(f"{key} must be a list; write [] or '- ' lines", key)
        return value or []

    def _at(self, word: str) -> str:
        line = self._lines.get(word)
        return f"{self.path}{f':{line}' if line else ''}"


def _lines_of(text: str) -> dict[str, int]:
    """Line of the first place of each word that may be a name, for messages."""
    found: dict[str, int] = {}
    for number, line in enumerate(text.splitlines(), 1):
        for word in line.replace("{", " ").replace(",", " ").replace(":", " ").split():
            found.setdefault(word, number)
    return found
