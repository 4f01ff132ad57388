"""Owns YAML text as nodes that know their places: words, lists and tables, each with its line and column.

Never knows what a rule is: which keys there are and what they mean is for rulefile.py.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, NoReturn

from perfconsole.errors import UsageError
from perfconsole.model.rule import Place

if TYPE_CHECKING:
    from collections.abc import Iterator

    import yaml

_BLOCKS = ("|", ">")
# One character as it is written between quotes: a doubled quote, or an escape.
_WRITTEN = {"'": re.compile(r"''"), '"': re.compile(r"\\(?:x.{2}|u.{4}|U.{8}|.)")}
_JOINED = re.compile(r"\\\n[ \t]*")
# A rule needs four levels; the C loader climbs its own stack, which no RecursionError guards.
_DEEPEST = 50


class RuleFileError(UsageError):
    """A rule file that cannot be used; its text is one line, `FILE:LINE:COLUMN: what is wrong; what to do`."""

    def __init__(self, place: Place, message: str, code: str = "unreadable") -> None:
        super().__init__(f"{place}: {message}")
        self.place = place
        self.message = message
        self.code = code


def fail(place: Place, message: str, code: str = "unreadable") -> NoReturn:
    """RuleFileError there; the code is a word to search for."""
    raise RuleFileError(place, message, code)


@dataclass(frozen=True, slots=True)
class _Source:
    file: str
    text: str


@dataclass(frozen=True, slots=True)
class Scalar:
    """A word or text; its place is worked out when asked for, as most scalars are never complained about."""

    text: str
    node: yaml.ScalarNode
    source: _Source

    @property
    def place(self) -> Place:
        """Place of its first character, behind the quote if there is one."""
        return self.at(1)

    @property
    def style(self) -> str:
        """The quote or block mark it is written with; empty when it has none."""
        return self.node.style or ""

    @property
    def comment(self) -> str:
        """What is written behind it on its line, without the mark; empty when nothing is."""
        rest = self.source.text[self.node.end_mark.index :].partition("\n")[0].strip()
        return rest[1:].strip() if rest.startswith("#") else ""

    def at(self, column: int) -> Place:
        """Place in the file of a column (from 1) of the text."""
        start, end = self.node.start_mark, self.node.end_mark
        if start.line == end.line and not self.style:
            return Place(self.source.file, start.line + 1, start.column + column)
        offsets = self._offsets()
        place = min(column - 1, len(offsets) - 1)
        return self._placed(offsets[place] + (column - 1 - place))

    def runs(self) -> tuple[tuple[int, Place], ...]:
        """The columns (from 1) at which characters stop to follow one by one in the file, each with its place."""
        offsets = self._offsets()
        return tuple(
            (place + 1, self._placed(offset))
            for place, offset in enumerate(offsets)
            if place == 0 or offset != offsets[place - 1] + 1
        )

    def _placed(self, offset: int) -> Place:
        """Place of an offset from the start of the scalar."""
        start = self.node.start_mark
        before = self.source.text[start.index : start.index + offset]
        line = before.count("\n")
        column = len(before) - before.rfind("\n") if line else start.column + offset + 1
        return Place(self.source.file, start.line + 1 + line, column)

    def _offsets(self) -> list[int]:
        """Offset in the written form of each character of the text, and of the one behind the last."""
        raw = self.source.text[self.node.start_mark.index : self.node.end_mark.index]
        return list(_aligned(self.text, raw, self.style))


def _aligned(text: str, raw: str, style: str) -> Iterator[int]:
    """Walk the text and its written form side by side: breaks fold to blanks, quotes double, escapes are longer."""
    at = raw.find("\n") + 1 if style in _BLOCKS else len(style)
    for character in text:
        if style == '"' and (joined := _JOINED.match(raw, at)):
            at = joined.end()
        if raw[at : at + 1] != character and raw[at : at + 1].isspace():
            rest = _past_blanks(raw, at)
            if character.isspace():  # a fold: the break and the indentation behind it are this one character
                yield at
                at = rest
                continue
            at = rest
        yield at
        escape = _WRITTEN[style].match(raw, at) if style in _WRITTEN else None
        at = escape.end() if escape else min(at + 1, len(raw))
    yield at


def _past_blanks(raw: str, at: int) -> int:
    while raw[at : at + 1].isspace():
        at += 1
    return at


@dataclass(frozen=True, slots=True)
class ListNode:
    """A list, and where it starts."""

    items: tuple[Node, ...]
    place: Place


@dataclass(frozen=True, slots=True)
class Table:
    """A table, and where it starts; each key as it is written, with what it holds."""

    entries: dict[str, tuple[Scalar, Node]]
    place: Place

    def of(self, *path: str | int, column: int = 1) -> Place:
        """Place of what the path leads to, or of the deepest thing on its way."""
        node = self._followed(path)
        return node.at(column) if isinstance(node, Scalar) else node.place

    def key(self, *path: str | int) -> Place:
        """Place of the last key of the path itself."""
        holder, last = self._followed(path[:-1]), path[-1]
        if isinstance(holder, Table) and str(last) in holder.entries:
            return holder.entries[str(last)][0].place
        return holder.place

    def _followed(self, path: tuple[str | int, ...]) -> Node:
        node: Node = self
        for step in path:
            deeper = _step(node, step)
            if deeper is None:
                break
            node = deeper
        return node


Node = Scalar | ListNode | Table


def _step(node: Node, step: str | int) -> Node | None:
    if isinstance(node, Table):
        found = node.entries.get(str(step))
        return found[1] if found else None
    inside = isinstance(node, ListNode) and isinstance(step, int) and step < len(node.items)
    return node.items[step] if isinstance(node, ListNode) and isinstance(step, int) and inside else None


def tree(text: str, file: str) -> Node:
    """Nodes of one YAML document; RuleFileError for what is not one, and for aliases."""
    import yaml  # noqa: PLC0415 - a third-party package that only reading rules needs

    _check_depth(text, file)
    loader: type[yaml.SafeLoader | yaml.CSafeLoader] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        node = yaml.compose(text, Loader=loader)
        if node is None:
            fail(Place(file, 1, 1), "the file is empty; write one rule in it")
        return _converted(node, _Source(file, text), set())
    except yaml.YAMLError as error:
        fail(
            _yaml_place(error, file),
            f"not YAML: {_yaml_problem(error)}; quote the value or mend the indentation",
            "not-yaml",
        )
    except RecursionError:
        fail(Place(file, 1, 1), "nested too deeply; a rule needs four levels")


def _check_depth(text: str, file: str) -> None:
    """Refuse what would nest deeper than any rule, before the loader climbs down."""
    for number, line in enumerate(text.splitlines(), 1):
        opened = max(line.count("["), line.count("{"), line.count("- "))
        if opened > _DEEPEST and _nested(line):
            fail(Place(file, number, 1), "nested too deeply; a rule needs four levels")


def _nested(line: str) -> bool:
    """Whether brackets or dashes of one line really stand inside each other."""
    depth = deepest = 0
    for character in line:
        depth += (character in "[{") - (character in "]}")
        deepest = max(deepest, depth)
    return deepest > _DEEPEST or line.lstrip().startswith("- " * _DEEPEST)


def _yaml_place(error: yaml.YAMLError, file: str) -> Place:
    # A quote that is never closed is noticed at the end of the file; it stands where the text begins.
    quoted = "quoted" in (getattr(error, "context", None) or "")
    mark = getattr(error, "context_mark" if quoted else "problem_mark", None)
    return Place(file, mark.line + 1, mark.column + 1) if mark else Place(file, 1, 1)


def _yaml_problem(error: yaml.YAMLError) -> str:
    problem = getattr(error, "problem", None) or getattr(error, "reason", None) or "unreadable"
    return " ".join(str(problem).split())


def _converted(node: yaml.Node, source: _Source, seen: set[int]) -> Node:
    import yaml  # noqa: PLC0415 - already loaded when a node exists

    if isinstance(node, yaml.ScalarNode):
        return Scalar(node.value, node, source)
    place = Place(source.file, node.start_mark.line + 1, node.start_mark.column + 1)
    # An alias gives the same node again: refusing it also ends cycles and doubling towers.
    if id(node) in seen:
        fail(place, "lists and tables cannot be shared by an alias; write the value out", "alias")
    seen.add(id(node))
    if isinstance(node, yaml.SequenceNode):
        return ListNode(tuple(_converted(item, source, seen) for item in node.value), place)
    entries: dict[str, tuple[Scalar, Node]] = {}
    for key_node, value_node in node.value:
        key = _converted(key_node, source, seen)
        if not isinstance(key, Scalar):
            fail(key.place, "a key must be one word; quote it or take the brackets away")
        if key.text in entries:
            fail(key.place, f"{key.text!r} stands here twice; keep one", "repeated-key")
        entries[key.text] = (key, _converted(value_node, source, seen))
    return Table(entries, place)
