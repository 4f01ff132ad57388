"""Owns the form of rule files: YAML text to Rule, every part knowing its line and column.

Never judges a value and never asks whether an indicator exists: that is for evaluation and lint.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, NoReturn, TypeVar

from perfconsole.diagnose.parse import ExpressionError, nearest, parse
from perfconsole.diagnose.series import SeriesError, duration, parse_series, quantity
from perfconsole.errors import UsageError
from perfconsole.model.entity import Kind
from perfconsole.model.finding import Verdict
from perfconsole.model.rule import RANK_CLASSES, Case, Check, Condition, Place, Rule, Severity

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    import yaml

_T = TypeVar("_T")

LAYERS = ("client", "gateway", "orchestration", "engine", "gpu", "host", "net")
SCOPES = tuple(kind for kind in Kind if kind is not Kind.TARGET)
CHECK_KINDS = ("look", "run", "flame", "dump", "probe")
CONFIDENCES = ("high", "medium", "low")
CASE_STATES = ("firing", "pending", "undecided", "ruled-out", "silent")

_NEEDED = ("id", "title", "layer", "scope", "severity", "class", "when", "cause", "confidence")
_CHECK_KEYS = {"probe": ("recipe",), "run": ("shell",)}
"""Keys that only checks of a kind have, none of them needed."""
_LISTS = ("unless", "fallback", "escalate", "explains", "checks", "remedies", "evidence", "cases")
_OPTIONAL = ("row", "names", "note", *_LISTS)
# For people: they tie a rule to where it was learnt, and nothing is computed from them.
_IGNORED = ("seed", "incidents")

# One character as it is written between quotes: a doubled quote, an escape, or itself.
_WRITTEN = {
    "'": re.compile(r"''|."),
    '"': re.compile(r"\\(?:x.{2}|u.{4}|U.{8}|.)|."),
}
_BLOCKS = ("|", ">")


class RuleFileError(UsageError):
    """A rule file that cannot be used; its text is one line, `FILE:LINE:COLUMN: what is wrong; what to do`."""

    def __init__(self, place: Place, message: str) -> None:
        super().__init__(f"{place}: {message}")
        self.place = place
        self.message = message


@dataclass(frozen=True, slots=True)
class _Source:
    file: str
    text: str


@dataclass(frozen=True, slots=True)
class _Scalar:
    """A word or text; its place is worked out when asked for, as most scalars are never complained about."""

    text: str
    node: yaml.ScalarNode
    source: _Source

    @property
    def place(self) -> Place:
        """Place of its first character, behind the quote if there is one; of its start when it spans lines."""
        return self.at(1)

    def at(self, column: int) -> Place:
        """Place in the file of a column (from 1) of the text; its start when it spans lines."""
        start, end, quote = self.node.start_mark, self.node.end_mark, self.node.style or ""
        if start.line != end.line or quote in _BLOCKS:
            return Place(self.source.file, start.line + 1, start.column + 1)
        raw = self.source.text[start.index + len(quote) : end.index]
        units = _WRITTEN[quote].findall(raw) if quote else raw
        return Place(
            self.source.file, start.line + 1, start.column + 1 + len(quote) + sum(map(len, units[: column - 1]))
        )


@dataclass(frozen=True, slots=True)
class _List:
    items: tuple[_Node, ...]
    place: Place


@dataclass(frozen=True, slots=True)
class _Table:
    entries: dict[str, tuple[_Scalar, _Node]]
    place: Place


_Node = _Scalar | _List | _Table


def load_rule(text: str, file: str) -> Rule:
    """Rule of one file; `file` is its path as messages and places show it, and its stem must be the rule's id.

    RuleFileError for the first mistake.
    """
    return _rule(_table(_tree(text, file), "a rule"))


def load_folder(path: Path, *, cases: bool = True) -> tuple[list[Rule], list[RuleFileError]]:
    """Rules of all `*.yaml` files below a folder, in the order of their rows, and what was wrong with the others.

    Without their test cases they load in half the time: a console needs none.
    """
    if not path.is_dir():
        return [], [RuleFileError(Place(str(path), 1, 1), "not a folder; name the folder that holds the rule files")]
    rules: list[Rule] = []
    errors: list[RuleFileError] = []
    for file in sorted(path.rglob("*.yaml")):
        try:
            text = _read(file)
            rules.append(load_rule(text if cases else _without_cases(text), str(file)))
        except RuleFileError as error:
            errors.append(error)
    return sorted(rules, key=_row_order), errors


def shipped_folder() -> Path:
    """Folder of the rules that come with perfconsole: inside the installed package, or beside it in a checkout."""
    package = Path(__file__).parents[1]
    installed = package / "rules"
    return installed if installed.is_dir() else package.parent / "rules"


def _without_cases(text: str) -> str:
    """The text up to its cases where they stand last, so that every place in the rest stays as it is."""
    head, found, tail = text.partition("\ncases:\n")
    return f"{head}\n" if found and not re.search(r"^[^\s#]", tail, re.MULTILINE) else text


def _row_order(rule: Rule) -> tuple[bool, list[str | int], str]:
    """Natural order: S02 < S11a < S11b < S29 < S29b < S100; rules without a row last, by id."""
    words = re.split(r"([0-9]+)", rule.row)
    return not rule.row, [int(word) if place % 2 else word for place, word in enumerate(words)], rule.id


def _read(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8-sig")
    except OSError as error:
        _fail(Place(str(file), 1, 1), f"cannot be read ({error.strerror}); check its rights")
    except UnicodeDecodeError:
        _fail(Place(str(file), 1, 1), "is not UTF-8 text; save it as UTF-8")


def _fail(place: Place, message: str) -> NoReturn:
    raise RuleFileError(place, message)


# From YAML to nodes that know their places.


def _tree(text: str, file: str) -> _Node:
    import yaml  # noqa: PLC0415 - a third-party package that only reading rules needs

    loader: type[yaml.SafeLoader | yaml.CSafeLoader] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        node = yaml.compose(text, Loader=loader)
        if node is None:
            _fail(Place(file, 1, 1), "the file is empty; write one rule in it")
        return _converted(node, _Source(file, text), set())
    except yaml.YAMLError as error:
        _fail(_yaml_place(error, file), f"not YAML: {_yaml_problem(error)}; quote the value or mend the indentation")
    except RecursionError:
        _fail(Place(file, 1, 1), "nested too deeply; a rule needs four levels")


def _yaml_place(error: yaml.YAMLError, file: str) -> Place:
    mark = getattr(error, "problem_mark", None)
    return Place(file, mark.line + 1, mark.column + 1) if mark else Place(file, 1, 1)


def _yaml_problem(error: yaml.YAMLError) -> str:
    problem = getattr(error, "problem", None) or getattr(error, "reason", None) or "unreadable"
    return " ".join(str(problem).split())


def _converted(node: yaml.Node, source: _Source, seen: set[int]) -> _Node:
    import yaml  # noqa: PLC0415 - already loaded when a node exists

    if isinstance(node, yaml.ScalarNode):
        return _Scalar(node.value, node, source)
    place = Place(source.file, node.start_mark.line + 1, node.start_mark.column + 1)
    # An alias gives the same node again: refusing it also ends cycles and doubling towers.
    if id(node) in seen:
        _fail(place, "lists and tables cannot be shared by an alias; write the value out")
    seen.add(id(node))
    if isinstance(node, yaml.SequenceNode):
        return _List(tuple(_converted(item, source, seen) for item in node.value), place)
    entries: dict[str, tuple[_Scalar, _Node]] = {}
    for key_node, value_node in node.value:
        key = _converted(key_node, source, seen)
        if not isinstance(key, _Scalar):
            _fail(key.place, "a key must be one word; quote it or take the brackets away")
        if key.text in entries:
            _fail(key.place, f"{key.text!r} stands here twice; keep one")
        entries[key.text] = (key, _converted(value_node, source, seen))
    return _Table(entries, place)


# From nodes to values.


def _table(node: _Node, what: str) -> _Table:
    return node if isinstance(node, _Table) else _fail(node.place, f"{what} must be a table; write 'key: value' lines")


def _list(node: _Node, what: str) -> _List:
    return node if isinstance(node, _List) else _fail(node.place, f"{what} must be a list; write [] or '- ' lines")


def _word(node: _Node, what: str) -> _Scalar:
    if not isinstance(node, _Scalar):
        _fail(node.place, f"{what} must be text; take the brackets or the indented lines away")
    if not node.text.strip():
        _fail(node.place, f"{what} is empty; write a value")
    return node


def _check_keys(table: _Table, what: str, needed: Collection[str], optional: Collection[str]) -> None:
    known = (*needed, *optional)
    for key, (written, _) in table.entries.items():
        if key not in known:
            hint = nearest(key, known) or f"; it has {', '.join(known)}"
            _fail(written.place, f"{what} has no key {key!r}{hint}")
    for key in needed:
        if key not in table.entries:
            _fail(table.place, f"{what} lacks {key!r}; add it")


def _text(table: _Table, key: str) -> str:
    """Text of a key; empty when the key is not there."""
    return _word(table.entries[key][1], repr(key)).text if key in table.entries else ""


def _choice(table: _Table, key: str, known: Collection[str]) -> str:
    word = _word(table.entries[key][1], repr(key))
    if word.text not in known:
        _fail(word.place, f"{key} {word.text!r} is unknown{nearest(word.text, known)}; use one of {', '.join(known)}")
    return word.text


def _each(table: _Table, key: str, build: Callable[[_Node], _T]) -> tuple[_T, ...]:
    """One value for each item of a list; empty when the key is not there."""
    return tuple(build(item) for item in _list(table.entries[key][1], repr(key)).items) if key in table.entries else ()


def _texts(table: _Table, key: str) -> tuple[str, ...]:
    return _each(table, key, lambda item: _word(item, f"an item of {key!r}").text)


def _pairs(table: _Table, key: str) -> tuple[tuple[_Scalar, _Node], ...]:
    """Keys and values of an inner table; empty when the key is not there."""
    return tuple(_table(table.entries[key][1], repr(key)).entries.values()) if key in table.entries else ()


def _converted_number(table: _Table, key: str, convert: Callable[[str], float]) -> float:
    word = _word(table.entries[key][1], repr(key))
    try:
        return convert(word.text)
    except ValueError as error:
        _fail(word.place, f"{key}: {error}")


def _condition(node: _Node) -> Condition:
    word = _word(node, "a condition")
    try:
        first, last = word.at(1), word.at(len(word.text))
        exact = first.line == last.line and last.column - first.column == len(word.text) - 1
        return Condition(word.text, parse(word.text), first if exact else word.place, exact)
    except ExpressionError as error:
        _fail(word.at(error.column), f"{error.message}; mend the condition")


def _rule(top: _Table) -> Rule:
    _check_keys(top, "a rule", _NEEDED, (*_OPTIONAL, *_IGNORED))
    when = _each(top, "when", _condition)
    if not when:
        _fail(top.entries["when"][1].place, "'when' is empty; write at least one condition")
    return Rule(
        id=_id(top),
        row=_text(top, "row"),
        title=_text(top, "title"),
        layer=_choice(top, "layer", LAYERS),
        scope=Kind(_choice(top, "scope", SCOPES)),
        severity=Severity(_choice(top, "severity", tuple(Severity))),
        rank_class=_choice(top, "class", RANK_CLASSES),
        when=when,
        unless=_each(top, "unless", _condition),
        fallback=tuple(_fallback(key, value, when) for key, value in _pairs(top, "fallback")),
        escalate=tuple(_escalation(key, value) for key, value in _pairs(top, "escalate")),
        explains=_texts(top, "explains"),
        cause=_text(top, "cause"),
        checks=_each(top, "checks", _check),
        remedies=_texts(top, "remedies"),
        evidence=_texts(top, "evidence"),
        confidence=_choice(top, "confidence", CONFIDENCES),
        note=_text(top, "note"),
        cases=_each(top, "cases", _case),
        place=top.place,
        names=_position(_word(top.entries["names"][1], "'names'"), "names", when) if "names" in top.entries else None,
    )


def _id(top: _Table) -> str:
    word = _word(top.entries["id"][1], "'id'")
    stem = PurePath(word.place.file).stem
    if word.text != stem:
        _fail(word.place, f"id {word.text!r} differs from the file name {stem!r}; rename one of them")
    return word.text


def _fallback(key: _Scalar, value: _Node, when: tuple[Condition, ...]) -> tuple[int, Condition | None]:
    is_none = isinstance(value, _Scalar) and value.text == "none"
    return _position(key, "fallback", when), None if is_none else _condition(value)


def _position(word: _Scalar, what: str, when: tuple[Condition, ...]) -> int:
    """Place in `when`, from 0, of a condition that a file numbers from 1."""
    if not re.fullmatch(r"[1-9][0-9]?", word.text) or int(word.text) > len(when):
        _fail(word.place, f"{what} {word.text!r} is no condition of 'when'; use a number from 1 to {len(when)}")
    return int(word.text) - 1


def _escalation(key: _Scalar, value: _Node) -> tuple[Severity, Condition]:
    levels = (Severity.WARN, Severity.CRITICAL)
    if key.text not in levels:
        _fail(key.place, f"escalate level {key.text!r} is unknown; use {' or '.join(levels)}")
    return Severity(key.text), _condition(value)


def _check(node: _Node) -> Check:
    table = _table(node, "a check")
    if "kind" not in table.entries:
        _fail(table.place, f"a check lacks 'kind'; add one of {', '.join(CHECK_KINDS)}")
    kind = _choice(table, "kind", CHECK_KINDS)
    text = "what" if kind == "look" else "command"
    _check_keys(table, f"a {kind} check", ("kind", text, "confirms", "refutes"), _CHECK_KEYS.get(kind, ()))
    return Check(
        kind=kind,
        text=_text(table, text),
        recipe=_text(table, "recipe") or None,
        confirms=_sign(table, "confirms"),
        refutes=_sign(table, "refutes"),
        place=table.place,
        shell=_shell(table),
    )


def _shell(table: _Table) -> bool:
    """Its command may be handed to a shell: shipped rules are read by many, others say so themselves."""
    said = "shell" in table.entries and _choice(table, "shell", ("true", "false")) == "true"
    return said or PurePath(table.place.file).is_relative_to(shipped_folder())


def _sign(table: _Table, key: str) -> Condition | str:
    """Text to look for when it starts with `see:`, else a condition."""
    text = _text(table, key)
    return text if text.startswith("see:") else _condition(table.entries[key][1])


def _case(node: _Node) -> Case:
    table = _table(node, "a case")
    _check_keys(table, "a case", ("interval", "series", "expect"), ("base",))
    expect = _table(table.entries["expect"][1], "'expect'")
    _check_keys(expect, "'expect'", ("at", "state"), ("verdict", "missing", "severity"))
    base = _table(table.entries["base"][1], "'base'") if "base" in table.entries else _Table({}, table.place)
    return Case(
        interval_s=_converted_number(table, "interval", duration),
        series=tuple((key.text, _samples(key, value)) for key, value in _pairs(table, "series")),
        base=tuple((name, _converted_number(base, name, quantity)) for name in base.entries),
        at_s=_converted_number(expect, "at", duration),
        state=_choice(expect, "state", CASE_STATES),
        verdict=_choice(expect, "verdict", tuple(Verdict)) if "verdict" in expect.entries else None,
        missing=_text(expect, "missing") or None,
        place=table.place,
        severity=_choice(expect, "severity", tuple(Severity)) if "severity" in expect.entries else None,
    )


def _samples(key: _Scalar, value: _Node) -> tuple[float | None, ...]:
    word = _word(value, f"the series of {key.text}")
    try:
        return parse_series(word.text)
    except SeriesError as error:
        _fail(word.at(error.column), f"{error.message}; mend the series")
