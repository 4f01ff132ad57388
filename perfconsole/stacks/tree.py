"""Makes the tree of a recording, from the outermost frame inwards, and turns it over. Pure."""

from __future__ import annotations

from array import array
from dataclasses import replace
from typing import TYPE_CHECKING

from perfconsole.model.flametree import Function, Node, Paths, Shade, whole
from perfconsole.model.stackreading import Change
from perfconsole.stacks.doing import doing
from perfconsole.stacks.framekind import FOR_WORK, Origin, traits

if TYPE_CHECKING:
    from perfconsole.model.stack import Frame, Profile, Stack
    from perfconsole.model.stackreading import Blocking, StackReading
    from perfconsole.stacks.doing import Source

_CHANGED = 0.01
_SHADES = {Origin.USER: Shade.USER, Origin.PACKAGE: Shade.PACKAGE, Origin.MACHINERY: Shade.LIBRARY}


def flame_tree(profile: Profile, source: Source, *, before: Profile | None = None) -> Node:
    """Tree of all stacks, below their processes and threads.

    `before` is another recording whose weights stand beside, scaled to the weight of this one.
    """
    table = _Table(source)
    for stack in profile.stacks:
        table.add(stack, stack.weight, 0.0)
    if before is not None:
        now, then = sum(s.weight for s in profile.stacks), sum(s.weight for s in before.stacks)
        for stack in before.stacks:
            table.add(stack, 0.0, stack.weight * now / then if then else 0.0)
    return whole(table.paths())


class _Table:
    """Numbers functions as they come; the only writer of the rows."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._numbers: dict[tuple[str, str], int] = {}
        self._of_frame: dict[Frame, int] = {}
        self._functions: list[Function] = []
        self._rows: list[tuple[int, ...]] = []
        self._groups = bytearray()
        self._weights, self._before = array("d"), array("d")
        self._frames: list[tuple[Frame, ...]] = []

    def add(self, stack: Stack, weight: float, before: float) -> None:
        """One more row."""
        known = self._of_frame
        keys = [known.get(frame, -1) for frame in stack.frames]
        if -1 in keys:
            keys = [self._number(frame) for frame in stack.frames]
        groups = [self._group(name) for name in stack.thread if name]
        self._rows.append((*groups, *keys))
        self._groups.append(len(groups))
        self._weights.append(weight)
        self._before.append(before)
        self._frames.append(stack.frames)

    def _number(self, frame: Frame) -> int:
        number = self._of_frame.get(frame)
        if number is None:
            number = self._of_frame[frame] = self._named(frame.function, frame.file, _shade(frame))
        return number

    def _group(self, name: str) -> int:
        return self._named(name, "", Shade.GROUP)

    def _named(self, name: str, file: str, shade: Shade) -> int:
        number = self._numbers.setdefault((name, file), len(self._functions))
        if number == len(self._functions):
            self._functions.append(Function(name, file, shade))
        return number

    def _line(self, row: int, place: int) -> int:
        frame = place - self._groups[row]
        return self._frames[row][frame].line if frame >= 0 else 0

    def _waits(self, row: int) -> bool:
        return doing(self._frames[row], self._source).blocked

    def paths(self) -> Paths:
        """What has been added."""
        return Paths(
            tuple(self._functions),
            tuple(self._rows),
            self._line,
            bytes(self._groups),
            self._weights,
            self._before,
            self._waits,
        )


def _shade(frame: Frame) -> Shade:
    kind = traits(frame)
    if kind.wait is None:
        return _SHADES[kind.origin]
    return Shade.IDLE if kind.wait in FOR_WORK else Shade.BLOCKING


def turned_over(root: Node) -> Node:
    """The same stacks from their innermost functions outwards, without their processes and threads."""
    paths = root.paths
    rows = tuple([keys[start:][::-1] for start, keys in zip(paths.groups, paths.rows, strict=True)])

    def line(row: int, place: int) -> int:
        return paths.line(row, len(paths.rows[row]) - 1 - place)

    return whole(replace(paths, rows=rows, line=line, groups=bytes(len(rows)), waits=lambda _row: False))


def matching(root: Node, word: str) -> tuple[frozenset[int], float]:
    """Numbers of the functions whose name or file has the word, and the share of the samples that passes through."""
    low, paths = word.lower(), root.paths
    if not low or not root.total:
        return frozenset(), 0.0
    found = frozenset(n for n, f in enumerate(paths.functions) if low in f.name.lower() or low in f.file.lower())
    matched = sum(weight for keys, weight in zip(paths.rows, paths.weights, strict=True) if not found.isdisjoint(keys))
    return found, matched / root.total


def functions(root: Node) -> list[tuple[str, str, float, float]]:
    """Function, file, self and total share of each, the largest self first; one that calls itself counts once."""
    paths, scale = root.paths, root.total or 1.0
    own, total = [0.0] * len(paths.functions), [0.0] * len(paths.functions)
    for keys, weight in zip(paths.rows, paths.weights, strict=True):
        for key in set(keys):
            total[key] += weight
        if keys:
            own[keys[-1]] += weight
    told = ((f.name, f.file, own[n] / scale, total[n] / scale) for n, f in enumerate(paths.functions) if _counts(f))
    return sorted(told, key=lambda r: (-r[2], -r[3], r[0], r[1]))


def changes(now: Profile, before: Profile) -> tuple[Change, ...]:
    """Functions whose share differs by a part in a hundred or more, the largest difference first."""

    def shares(profile: Profile) -> dict[tuple[str, str], float]:
        return {(name, file): total for name, file, _, total in functions(flame_tree(profile, lambda _f, _l: None))}

    after, earlier = shares(now), shares(before)
    told = (Change(*key, earlier.get(key, 0.0), after.get(key, 0.0)) for key in after.keys() | earlier.keys())
    found = [change for change in told if abs(change.now - change.before) >= _CHANGED]
    return tuple(sorted(found, key=lambda c: (-abs(c.now - c.before), c.function, c.file)))


def _counts(function: Function) -> bool:
    return function.shade is not Shade.GROUP


def culprit(root: Node, reading: StackReading) -> tuple[Node, ...]:
    """Path to the box of the call that blocks most; the root alone where none does."""
    worst = next(iter(reading.blocking), None)
    rows = _rows_of(root.paths, worst) if worst and worst.user and worst.waits else {}
    path = [root]
    for key in max(rows, key=rows.__getitem__, default=()):
        path.append(path[-1].children[key])
    return tuple(path)


def _rows_of(paths: Paths, worst: Blocking) -> dict[tuple[int, ...], float]:
    """Rows through the line that blocks, down to where its chain ends, with their weights."""
    numbers = {(function.name, function.file): n for n, function in enumerate(paths.functions)}
    user = numbers.get((worst.user.function, worst.user.file), -1) if worst.user else -1
    leaf = numbers.get((worst.chain[-1].function, worst.chain[-1].file), -1) if worst.chain else user
    found: dict[tuple[int, ...], float] = {}
    for keys, weight in zip(paths.rows, paths.weights, strict=True):
        if keys and keys[-1] == leaf and user in keys:
            found[keys] = found.get(keys, 0.0) + weight
    return found
