"""What the terminal shows against what it should show: only cells that differ are ever sent.

Owns two grids of cells. Between the two any number of frames may be dropped: what is sent next leads from what is
there to what is wanted now. Pure: no terminal, no clock.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

Cell = tuple[str, str]
"""A character and its SGR parameters ("" for the default). The second column of a wide character is ("", same)."""

BLANK: Cell = (" ", "")
_BRIDGE = 4
"""Equal cells between two runs that are sent again rather than jumped over: a jump costs 4 to 8 bytes."""


class Painter:
    """The two grids. `put` and `resize` say what is wanted, `take` gives the bytes that lead there."""

    def __init__(self, columns: int, rows: int) -> None:
        self.columns = columns
        self.rows = rows
        self._wanted: list[list[Cell]] = []
        self._shown: list[list[Cell]] = []
        self._dirty: dict[int, None] = {}
        """Rows that may differ, those wanted first in front."""
        self._urgent: set[int] = set()
        self._sgr = "?"
        self._clear = True
        self.resize(columns, rows)

    def resize(self, columns: int, rows: int) -> None:
        """A terminal of another size: nothing of what it shows is known any more."""
        self.columns, self.rows = columns, rows
        self._wanted = [[BLANK] * columns for _ in range(rows)]
        self.forget()

    def forget(self) -> None:
        """What the terminal shows is not known (it was resized, or suspended): everything is sent anew."""
        self._shown = [[BLANK] * self.columns for _ in range(self.rows)]
        self._dirty = dict.fromkeys(range(self.rows))
        self._urgent.clear()
        self._sgr = "?"
        self._clear = True

    def put(self, y: int, x: int, cells: Iterable[Cell], *, urgent: bool = False) -> None:
        """These cells are wanted from column x of row y on; what does not fit is cut."""
        if not 0 <= y < self.rows:
            return
        row = self._wanted[y]
        new = list(cells)[: self.columns - x]
        if row[x : x + len(new)] == new:
            return
        row[x : x + len(new)] = new
        self._dirty[y] = None
        if urgent:
            self._urgent.add(y)

    @property
    def pending(self) -> bool:
        """Something may have to be sent."""
        return self._clear or bool(self._dirty)

    @property
    def urgent(self) -> bool:
        """Something that a person waits for has to be sent."""
        return bool(self._urgent)

    def take(self, limit: int) -> str:
        """Text of about `limit` bytes that brings the terminal nearer to what is wanted; urgent rows come first."""
        out: list[str] = []
        size = 0
        if self._clear:
            self._clear = False
            out.append("\x1b[m\x1b[2J")
            self._sgr = ""
        for y in sorted(self._dirty, key=lambda y: (y not in self._urgent, y)):
            size = self._row(y, out, size, limit)
            if size >= limit:
                break
            del self._dirty[y]
            self._urgent.discard(y)
        return "".join(out)

    def _row(self, y: int, out: list[str], size: int, limit: int) -> int:
        """Send the runs of one row that differ; stops behind the run that passes the limit."""
        wanted, shown = self._wanted[y], self._shown[y]
        if wanted == shown:
            return size
        for start, end in _runs(wanted, shown):
            text = self._run(y, start, wanted[start:end])
            shown[start:end] = wanted[start:end]
            out.append(text)
            size += len(text) if text.isascii() else len(text.encode())
            if size >= limit:
                break
        return size

    def _run(self, y: int, x: int, cells: list[Cell]) -> str:
        parts = [f"\x1b[{y + 1};{x + 1}H" if x else f"\x1b[{y + 1}H"]
        sgr = self._sgr
        for character, style in cells:
            if style != sgr:
                parts.append(f"\x1b[0;{style}m" if style else "\x1b[m")
                sgr = style
            parts.append(character)
        self._sgr = sgr
        return "".join(parts)


def _runs(wanted: list[Cell], shown: list[Cell]) -> list[tuple[int, int]]:
    """Half-open column ranges that differ, near ones joined; a wide character is never split."""
    runs: list[tuple[int, int]] = []
    for x, (new, old) in enumerate(zip(wanted, shown, strict=True)):
        if new == old:
            continue
        if runs and x - runs[-1][1] <= _BRIDGE:
            runs[-1] = (runs[-1][0], x + 1)
        else:
            runs.append((x, x + 1))
    return [_whole(run, wanted, shown) for run in runs]


def _whole(run: tuple[int, int], wanted: list[Cell], shown: list[Cell]) -> tuple[int, int]:
    """The run widened to whole characters: a terminal blanks the other half of a wide one that is cut."""
    start, end = run
    while start > 0 and (not wanted[start][0] or not shown[start][0]):
        start -= 1
    while end < len(wanted) and (not wanted[end][0] or not shown[end][0]):
        end += 1
    return start, end
