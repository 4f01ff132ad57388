"""A flame graph in character cells: boxes below their callers, as wide as their share, outermost function on top.

Owns which boxes are seen at a zoom and how the cursor moves among them. A box narrower than a column is not drawn; its
place stays empty, so that what is drawn is to scale. What a box is stands in its first characters too, not in colour
alone: ! waits, ~ waits for work, : is a library's.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

from perfconsole.model.flametree import Node, Shade
from perfconsole.view.canvas import Hit, Row, Span, cells, clip
from perfconsole.view.plain import plain
from perfconsole.view.spelling import spelled

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from perfconsole.view.glyphs import Glyphs

_SIGNS = {Shade.BLOCKING: "!", Shade.IDLE: "~", Shade.LIBRARY: ":"}
_STYLES = {
    Shade.BLOCKING: "critical",
    Shade.USER: "value",
    Shade.PACKAGE: "ok",
    Shade.LIBRARY: "spark",
    Shade.IDLE: "dim",
    Shade.GROUP: "head",
}
LEGEND = "! waits  ~ waits for work  : library"
_LABELLED = 5
"""Columns from which a box is labelled: a letter and three dots tell nothing."""
_CHANGED = 0.01
"""Difference of two shares that is told, of the whole: less is chance in a few hundred samples."""


@dataclass(frozen=True, slots=True)
class Flame:
    """What a person looks at. Both paths go from the root downwards and are never empty."""

    root: Node
    focus: tuple[Node, ...]
    """The last of them fills the width."""
    at: tuple[Node, ...]
    """The last of them is the box under the cursor."""
    word: str = ""
    found: frozenset[int] = frozenset()
    """Functions, by number, that have the word."""
    share: float = 0.0
    """Of the samples that pass through any of them."""
    compared: bool = False
    """Beside another recording: boxes are coloured by what grew and what shrank."""

    @classmethod
    def of(cls, root: Node, at: tuple[Node, ...] = (), *, compared: bool = False) -> Flame:
        """The tree with the cursor on a box, whose thread fills the width; on the whole where none is named."""
        path = at or (root,)
        groups = sum(node.shade is Shade.GROUP for node in path)
        return cls(root, path[:groups], path, compared=compared)


class Box(NamedTuple):
    """A function as it is drawn: columns [x0, x1) of a level below the focus."""

    path: tuple[Node, ...]
    level: int
    x0: int
    x1: int


def boxes(flame: Flame, columns: int, levels: int) -> list[Box]:
    """Boxes below the focus, level by level and from left to right."""
    found = [Box(flame.focus, 0, 0, columns)]
    for box in found:
        if box.level + 1 < levels:
            found.extend(_below(box))
    return found


def _below(box: Box) -> Iterator[Box]:
    node, passed = box.path[-1], 0.0
    children = node.ordered()
    # Beside another recording what is gone and what is new stand side by side: together more than either whole.
    whole = max(node.total, node.before, sum(max(c.total, c.before) for c in children)) or 1.0
    wide = box.x1 - box.x0
    for child in children:
        x0 = box.x0 + round(wide * passed / whole)
        passed += max(child.total, child.before)
        x1 = box.x0 + min(wide, round(wide * passed / whole))
        if x1 > x0:
            yield Box((*box.path, child), box.level + 1, x0, x1)


def depth_of(flame: Flame) -> int:
    """Levels from the focus down to the cursor's box, both counted."""
    return len(flame.at) - len(flame.focus) + 1


def moved(flame: Flame, way: str, columns: int) -> Flame:
    """The cursor one box further: up, down, left or right; it stays where there is none."""
    level = depth_of(flame) - 1
    seen = boxes(flame, columns, level + 2)
    if way == "up":
        return replace(flame, at=flame.at[:-1]) if level else flame
    if way == "down":
        below = [box for box in seen if box.level == level + 1 and box.path[:-1] == flame.at]
        return replace(flame, at=below[0].path) if below else flame
    row = [box.path for box in seen if box.level == level]
    if not row:
        return flame  # the cursor's box and its neighbours are narrower than a column
    place = row.index(flame.at) if flame.at in row else 0
    return replace(flame, at=row[max(0, min(place + (1 if way == "right" else -1), len(row) - 1))])


def zoomed(flame: Flame) -> Flame:
    """The box under the cursor fills the width."""
    return replace(flame, focus=flame.at)


def unzoomed(flame: Flame) -> Flame:
    """One box further out; the cursor stands on it."""
    focus = flame.focus[:-1] or flame.focus
    return replace(flame, focus=focus, at=focus)


def graph_rows(flame: Flame, columns: int, height: int, glyphs: Glyphs) -> tuple[tuple[Row, ...], tuple[Hit, ...]]:
    """Exactly `height` rows, those around the cursor, and what the mouse may press: ("box", its place in the list)."""
    top = _top(flame, height)
    every = boxes(flame, columns, top + height)
    by: list[list[tuple[int, Box]]] = [[] for _ in range(height)]
    for number, box in enumerate(every):
        if top <= box.level < top + height:
            by[box.level - top].append((number, box))
    rows = tuple(_row(flame, line, columns, glyphs) for line in by)
    hits = tuple(Hit(y, box.x0, box.x1, ("box", str(number))) for y, line in enumerate(by) for number, box in line)
    return rows, hits


def _top(flame: Flame, height: int) -> int:
    """Level in the first row, so that the cursor's is seen with one or two below it where there is room."""
    return max(0, depth_of(flame) - 1 - max(min(1, height - 1), height - 3))


def pressed(flame: Flame, number: int, columns: int, height: int) -> Flame:
    """The cursor on the box that was pressed; on the one that it stands on already, zoomed."""
    every = boxes(flame, columns, _top(flame, height) + height)
    if not 0 <= number < len(every):
        return flame
    return zoomed(flame) if every[number].path == flame.at else replace(flame, at=every[number].path)


def _row(flame: Flame, line: Sequence[tuple[int, Box]], columns: int, glyphs: Glyphs) -> Row:
    spans: list[Span] = []
    x = 0
    for _, box in line:
        if box.x0 > x:
            spans.append(Span(" " * (box.x0 - x)))
        spans.append(_drawn(flame, box, glyphs))
        x = box.x1
    if x < columns:
        spans.append(Span(" " * (columns - x)))
    return tuple(spans)


def _drawn(flame: Flame, box: Box, glyphs: Glyphs) -> Span:
    """One box in its columns: an edge, and of its name what fits."""
    node, room = box.path[-1], box.x1 - box.x0
    text = clip(label(flame, node, glyphs), room - 1, glyphs.more) if room >= _LABELLED else ""
    style = "select" if box.path == flame.at else _style(flame, node)
    return Span(f"{glyphs.edge}{text}{' ' * (room - 1 - cells(text))}", style)


def base(flame: Flame) -> float:
    """What shares are of: the thread or process that fills the width, or is above what does; else the whole."""
    group = next((node for node in reversed(flame.focus) if node.shade is Shade.GROUP), flame.root)
    return group.total or flame.root.total or flame.root.before or 1.0


def label(flame: Flame, node: Node, glyphs: Glyphs) -> str:
    """Sign, name and share of a box; beside another recording, by how much it changed."""
    name = spelled(plain(node.name), glyphs)
    whole = base(flame)
    change = (node.total - node.before) / whole
    told = f"{change:+.0%}" if flame.compared and abs(change) >= _CHANGED else f"{node.total / whole:.0%}"
    return f"{_SIGNS.get(node.shade, '')}{name} {told}"


def _style(flame: Flame, node: Node) -> str:
    if flame.word:
        return "info" if node.key in flame.found else "dim"
    if flame.compared:
        change = (node.total - node.before) / (flame.root.total or 1.0)
        return "critical" if change >= _CHANGED else "ok" if change <= -_CHANGED else "dim"
    return _STYLES[node.shade]


def place_words(node: Node) -> str:
    """Where a function is."""
    if not node.file:
        return ""
    return f"{node.file}:{node.line}" if node.line else node.file
