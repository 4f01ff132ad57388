"""Flame graphs and readings of stacks by hand, and names as bad as a target may give them."""

from __future__ import annotations

from array import array
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from hypothesis import strategies as st

from perfconsole.model.flametree import Function, Node, Paths, Shade
from perfconsole.model.flametree import whole as tree_of
from perfconsole.model.stack import Frame
from perfconsole.model.stackreading import Blocking, StackReading
from perfconsole.stacks.reading import read_profile
from perfconsole.view.plain import plain
from tests.actions.stackwords import LOOP
from tests.stacks.building import profile, unread

if TYPE_CHECKING:
    from collections.abc import Iterable

    from hypothesis.strategies import SearchStrategy

    from perfconsole.model.stack import Profile
    from perfconsole.view.canvas import Row

HOSTILE = "\x1b[31mred"
NAMES = st.text(max_size=12) | st.sampled_from(
    (HOSTILE, "<lambda>", "a&\"b'", "]]>", "\u202eevil", "函数", "a;b\n", "\ud800")
)
SIZES = st.tuples(st.integers(1, 200), st.integers(1, 60))


@dataclass
class Made:
    """A box by hand; what its children do not have is its own."""

    name: str
    total: float
    children: tuple[Made, ...] = ()
    shade: Shade = Shade.USER
    before: float = 0.0
    file: str = "/srv/app/main.py"
    line: int = 7


def node(name: str, total: float, *children: Made, shade: Shade = Shade.USER, before: float = 0.0) -> Made:
    """A function with what it called; the rest of its weight is its own."""
    return Made(name, total, children, shade, before)


def whole(*children: Made, total: float = 100.0) -> Node:
    """The root above these."""
    numbers: dict[tuple[str, str, Shade], int] = {}
    rows: list[tuple[tuple[int, ...], tuple[int, ...], float, float]] = []

    def walk(made: Made, keys: tuple[int, ...], lines: tuple[int, ...]) -> None:
        inner = sum(child.total for child in made.children), sum(child.before for child in made.children)
        rows.append((keys, lines, max(0.0, made.total - inner[0]), max(0.0, made.before - inner[1])))
        for child in made.children:
            key = numbers.setdefault((child.name, child.file, child.shade), len(numbers))
            walk(child, (*keys, key), (*lines, child.line))

    inside = sum(child.total for child in children), sum(child.before for child in children)
    walk(Made("all", max(total, inside[0]), children, before=inside[1]), (), ())
    keys, lines, weights, before = zip(*rows, strict=True)
    functions = tuple(Function(name, file, shade) for name, file, shade in numbers)
    places = (lambda row, place: lines[row][place], bytes(len(keys)))
    return tree_of(Paths(functions, keys, *places, array("d", weights), array("d", before), lambda _row: False))


def down(root: Node, *names: str) -> tuple[Node, ...]:
    """Path from the root down these names."""
    path = [root]
    for name in names:
        path.append(next(child for child in path[-1].children.values() if child.name == name))
    return tuple(path)


def _made(name: str, shade: Shade, own: float, children: list[Made]) -> Made:
    return node(name, own + sum(child.total for child in children), *children, shade=shade)


def trees(names: SearchStrategy[str] = NAMES) -> SearchStrategy[Node]:
    """Small trees of any names."""
    shades, weights = st.sampled_from(list(Shade)), st.floats(0.0, 50.0)
    leaves = st.builds(_made, names, shades, weights, st.just([]))
    deeper = st.recursive(
        leaves, lambda below: st.builds(_made, names, shades, weights, st.lists(below, max_size=3)), max_leaves=8
    )
    return st.builds(lambda children: whole(*children, total=0.0), st.lists(deeper, max_size=3))


def loop_profile(*, idle: bool | None = True) -> Profile:
    """An event loop that waits for work in 60 of 100 samples, and for another thread below a callback in 40."""
    return profile(LOOP, idle=idle)


def loop_reading(**changes: object) -> StackReading:
    """What it says, with the fields that a test changes."""
    return replace(read_profile(loop_profile(), unread), **changes)  # type: ignore[arg-type]  # names of fields


def blocks(share: float, *, waits: bool = True, function: str = "handle") -> Blocking:
    """A line that keeps the loop."""
    frame = Frame(function, "/srv/app/main.py", 40)
    return Blocking("socket", share, "sock.recv", frame, (frame,), waits, "MainThread")


def harmless(rows: Iterable[Row]) -> bool:
    """Whether nothing in them acts on a terminal."""
    return all(plain(span.text) == span.text for line in rows for span in line)
