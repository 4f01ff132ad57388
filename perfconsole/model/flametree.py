"""Stacks added up: how much of the samples passed through each function below each of its callers.

A recording of 50,000 different stacks has a million boxes, of which a screen shows two hundred: a box works out what is
below it when somebody looks there.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from array import array
    from collections.abc import Callable, Sequence


class Shade(StrEnum):
    """What a box of a flame graph is."""

    BLOCKING = "blocking"
    """It waits, and not for work."""
    USER = "user"
    PACKAGE = "package"
    LIBRARY = "library"
    IDLE = "idle"
    """It waits for work."""
    GROUP = "group"
    """A process or a thread, and the whole."""


@dataclass(frozen=True, slots=True)
class Function:
    """A function, or a process or a thread, wherever it stands in a stack."""

    name: str
    file: str
    shade: Shade


@dataclass(frozen=True, slots=True)
class Paths:
    """All stacks as rows of numbers of functions, outermost first, and what each weighs."""

    functions: tuple[Function, ...]
    rows: tuple[tuple[int, ...], ...]
    line: Callable[[int, int], int]
    """Line that was running at a place of a row; 0 where it is not known."""
    groups: bytes
    """How many of the first functions of a row are its process and thread."""
    weights: array[float]
    before: array[float]
    """Weights in the recording that this one is compared with."""
    waits: Callable[[int], bool]
    """Whether the innermost function of a row waits, and not for work: told by its line, where somebody looks."""


class Node:
    """One function below one chain of callers; the only writer of what it has worked out."""

    __slots__ = ("_children", "_depth", "_paths", "_rest", "_self", "_shade", "before", "key", "total")

    def __init__(self, paths: Paths, key: int, depth: int, rest: Sequence[int]) -> None:
        self.key = key
        """Number of its function; -1 for the whole."""
        self.total = 0.0
        self.before = 0.0
        """Total in the recording that this one is compared with, scaled to the same number of samples."""
        self._paths = paths
        self._depth = depth
        self._rest = rest
        """Rows that pass through it."""
        self._children: dict[int, Node] | None = None
        self._self = 0.0
        self._shade = paths.functions[key].shade if key >= 0 else Shade.GROUP

    @property
    def paths(self) -> Paths:
        """What it is a part of."""
        return self._paths

    @property
    def name(self) -> str:
        """Name of the function, or of the process or thread."""
        return self._paths.functions[self.key].name if self.key >= 0 else "all"

    @property
    def file(self) -> str:
        """Its file; empty where it has none."""
        return self._paths.functions[self.key].file if self.key >= 0 else ""

    @property
    def line(self) -> int:
        """A line of it that was running; 0 where none is known."""
        return self._paths.line(self._rest[0], self._depth - 1) if self.key >= 0 else 0

    @property
    def children(self) -> dict[int, Node]:
        """Functions that it called, by number."""
        return self._worked_out() if self._children is None else self._children

    @property
    def self_weight(self) -> float:
        """Of its total, what was not in a function that it called."""
        self.children  # noqa: B018 - works it out
        return self._self

    @property
    def shade(self) -> Shade:
        """What it is, by its name and by what its line turned out to call."""
        self.children  # noqa: B018 - works it out
        return self._shade

    def ordered(self) -> list[Node]:
        """Functions that it called, the largest first; equals by name, so that the picture stands still."""
        return sorted(self.children.values(), key=lambda node: (-max(node.total, node.before), node.name, node.file))

    def _worked_out(self) -> dict[int, Node]:
        paths, depth = self._paths, self._depth
        found: dict[int, Node] = {}
        below: dict[int, list[int]] = {}
        for row in self._rest:
            keys = paths.rows[row]
            if depth < len(keys):
                below.setdefault(keys[depth], []).append(row)
            else:
                self._self += paths.weights[row]
                if depth and paths.waits(row):
                    self._shade = Shade.BLOCKING
        for key, rows in below.items():
            child = found[key] = Node(paths, key, depth + 1, rows)
            child.total = sum(map(paths.weights.__getitem__, rows))
            child.before = sum(map(paths.before.__getitem__, rows))
        self._children = found
        return found


def whole(paths: Paths) -> Node:
    """The root of all rows."""
    root = Node(paths, -1, 0, range(len(paths.rows)))
    root.total, root.before = sum(paths.weights), sum(paths.before)
    return root
