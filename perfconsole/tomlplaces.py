"""Where each key and element of a TOML text stands, which tomllib does not tell: an error should point at its place.

Reads only text that tomllib has taken, so it need not doubt the grammar. Never judges a value.
"""

from __future__ import annotations

import re
import tomllib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from perfconsole.sources.mappingerror import TomlPath

_BLANK = re.compile(r"(?:[ \t\r\n]|#[^\n]*)*")
_GAP = re.compile(r"[ \t]*")
_BARE = re.compile(r"[A-Za-z0-9_-]+")
_STRINGS = (
    re.compile(r'"""(?:[^\\]|\\.)*?"{3,5}(?!")', re.DOTALL),
    re.compile(r"'''.*?'{3,5}(?!')", re.DOTALL),
    re.compile(r'"(?:[^"\\]|\\.)*"'),
    re.compile(r"'[^']*'"),
)
_PLAIN = re.compile(r"[^,\]}\n#]*")


def place(text: str, path: TomlPath) -> tuple[int, int] | None:
    """Line and column (from 1) of the key or element at a path, or of the nearest one above it that has a place."""
    found = _Scan(text).offsets
    while path and path not in found:
        path = path[:-1]
    if not path:
        return None
    at = found[path]
    return text.count("\n", 0, at) + 1, at - text.rfind("\n", 0, at)


def paths(text: str) -> frozenset[TomlPath]:
    """Every path of the text."""
    return frozenset(_Scan(text).offsets)


class _Scan:
    """One pass over a text; `offsets` has the beginning of the first mention of each path."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self.offsets: dict[TomlPath, int] = {}
        self._arrays: dict[TomlPath, int] = {}
        """Arrays of tables with the number of their last table."""
        table: TomlPath = ()
        self._skip()
        while self._at < len(text):
            if text[self._at] == "[":
                table = self._header()
            else:
                self._pair(table)
            self._skip()

    def _skip(self) -> None:
        """Over blanks, ends of lines and comments."""
        self._at = self._end(_BLANK)

    def _end(self, pattern: re.Pattern[str]) -> int:
        match = pattern.match(self._text, self._at)
        return match.end() if match else self._at

    def _header(self) -> TomlPath:
        """Path of the table that `[a.b]` or `[[a.b]]` opens."""
        many = self._text.startswith("[[", self._at)
        self._at += 2 if many else 1
        path: TomlPath = ()
        keys = self._keys()
        for number, (key, at) in enumerate(keys):
            path = (*path, key)
            self.offsets.setdefault(path, at)
            if many and number == len(keys) - 1:
                self._arrays[path] = self._arrays.get(path, -1) + 1
            if path in self._arrays:
                path = (*path, self._arrays[path])
                self.offsets.setdefault(path, at)
        self._at = self._text.index("]", self._at) + (2 if many else 1)
        return path

    def _keys(self) -> list[tuple[str, int]]:
        """A dotted key as its words, each with where it begins."""
        keys = []
        while True:
            self._at = self._end(_GAP)
            start = self._at
            self._at = self._after_string() or self._end(_BARE)
            keys.append((_word(self._text[start : self._at]), start))
            self._at = self._end(_GAP)
            if not self._text.startswith(".", self._at):
                return keys
            self._at += 1

    def _after_string(self) -> int:
        """End of the string that begins here, 0 when none does."""
        return next((m.end() for s in _STRINGS if (m := s.match(self._text, self._at))), 0)

    def _pair(self, table: TomlPath) -> None:
        path = table
        for key, at in self._keys():
            path = (*path, key)
            self.offsets.setdefault(path, at)
        self._at += 1  # =
        self._at = self._end(_GAP)
        self._value(path)

    def _value(self, path: TomlPath) -> None:
        opening = self._text[self._at]
        if opening in "[{":
            self._members(path, "]" if opening == "[" else "}")
        else:
            self._at = self._after_string() or self._end(_PLAIN)

    def _members(self, path: TomlPath, closing: str) -> None:
        """Elements of an array or pairs of an inline table."""
        self._at += 1
        self._skip()
        number = 0
        while self._text[self._at] != closing:
            if closing == "}":
                self._pair(path)
            else:
                self.offsets.setdefault((*path, number), self._at)
                self._value((*path, number))
            number += 1
            self._skip()
            self._at += self._text[self._at] == ","
            self._skip()
        self._at += 1


def _word(key: str) -> str:
    """A key as tomllib gives it: quotes and escapes resolved."""
    return next(iter(tomllib.loads(f"{key} = 0"))) if key[:1] in "\"'" else key
