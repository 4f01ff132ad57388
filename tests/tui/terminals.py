"""A terminal by hand: enough of one to see what the console wrote on it."""

from __future__ import annotations

import re
import unicodedata

_TOKEN = re.compile(r"\x1b\[([?<>=]?)([\d;]*)([A-Za-z])|([^\x1b])", re.DOTALL)


class Terminal:
    """Understands cursor placing, SGR, clearing, and text with wide characters; modes are noted."""

    def __init__(self, columns: int, rows: int) -> None:
        self.columns, self.rows = columns, rows
        self.cells = [[("?", "?")] * columns for _ in range(rows)]
        self.modes: dict[str, bool] = {}
        self.asked = 0
        self._y = self._x = 0
        self._sgr = ""

    def feed(self, text: str) -> None:
        """Take in output."""
        for private, parameters, final, character in _TOKEN.findall(text):
            if character:
                self._print(character)
            elif private:
                self.modes.update({parameters: final == "h"} if final in "hl" else {})
            else:
                self._sequence(parameters, final)

    def _sequence(self, parameters: str, final: str) -> None:
        numbers = [int(n) if n else 0 for n in parameters.split(";")]
        if final == "H":
            self._y, self._x = max(numbers[0], 1) - 1, (numbers[1] if len(numbers) > 1 else 1) - 1
        elif final == "m":
            self._sgr = ";".join(str(n) for n in numbers if n)
        elif final == "J":
            self.cells = [[(" ", "")] * self.columns for _ in range(self.rows)]
        elif final == "n":
            self.asked += 1

    def _print(self, character: str) -> None:
        if self._y >= self.rows or self._x >= self.columns:
            return  # beyond the edge, where wrapping is off
        wide = unicodedata.east_asian_width(character) in "WF"
        row = self.cells[self._y]
        if row[self._x][0] == "" and self._x:
            row[self._x - 1] = (" ", self._sgr)
        row[self._x] = (character, self._sgr)
        self._x += 1
        if wide and self._x < self.columns:
            row[self._x] = ("", self._sgr)
            self._x += 1
        if self._x < self.columns and row[self._x][0] == "":
            row[self._x] = (" ", self._sgr)

    def text(self) -> str:
        """What stands on it."""
        return "\n".join("".join(c for c, _ in row).rstrip() for row in self.cells)
