"""Owns the form of rule files: YAML text to Rule, every part knowing its line and column.

Never judges a value and never asks whether an indicator exists: that is for evaluation and lint.
"""

from __future__ import annotations

import os
import re
from pathlib import Path, PurePath
from stat import S_ISREG
from typing import TYPE_CHECKING, TypeVar

from perfconsole.diagnose.parse import ExpressionError, nearest, parse
from perfconsole.diagnose.series import SeriesError, duration, parse_series, quantity
from perfconsole.diagnose.yamltree import ListNode, Node, RuleFileError, Scalar, Table, fail, tree
from perfconsole.model.entity import Kind
from perfconsole.model.finding import Verdict
from perfconsole.model.rule import RANK_CLASSES, Case, Check, Condition, Place, Rule, Severity

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

_T = TypeVar("_T")

LAYERS = ("client", "gateway", "orchestration", "engine", "gpu", "host", "net")
SCOPES = tuple(kind for kind in Kind if kind is not Kind.TARGET)
CHECK_KINDS = ("look", "run", "flame", "dump", "probe")
CONFIDENCES = ("high", "medium", "low")
CASE_STATES = ("firing", "pending", "undecided", "ruled-out", "silent")

_NEEDED = ("id", "title", "layer", "scope", "severity", "class", "when", "cause", "confidence")
_LISTS = ("unless", "fallback", "escalate", "explains", "checks", "remedies", "evidence", "incidents", "cases")
_CHECK_KEYS = {"probe": ("recipe",), "run": ("shell",)}
"""Keys that only checks of a kind have, none of them needed."""
_OPTIONAL = ("row", "names", "note", *_LISTS)
# For people: they tie a rule to where it was learnt, and nothing is computed from them.
_IGNORED = ("seed",)

# The longest shipped rule has 6 KB; a file of a megabyte is no rule, and reading it would hold up the console.
_MOST_BYTES = 1_000_000


def load_rule(text: str, file: str) -> Rule:
    """Rule of one file; `file` is its path as messages and places show it, and its stem must be the rule's id.

    RuleFileError for the first mistake.
    """
    return _rule(_table(tree(text, file), "a rule"))


def load_file(path: Path, *, cases: bool = True) -> Rule:
    """Rule of one file; RuleFileError for the first mistake, or why the file cannot be read."""
    text = _read(path)
    return load_rule(text if cases else _without_cases(text), str(path))


def load_folder(path: Path, *, cases: bool = True) -> tuple[list[Rule], list[RuleFileError]]:
    """Rules of all `*.yaml` files below a folder, in the order of their rows, and what was wrong with the others.

    Without their test cases they load in half the time: a console needs none.
    """
    if not os.path.isdir(path):  # noqa: PTH112 - Path.is_dir raises where a folder above may not be entered
        return [], [RuleFileError(Place(str(path), 1, 1), "not a folder; name the folder that holds the rule files")]
    rules: list[Rule] = []
    files, errors = _files(path)
    for file in files:
        try:
            rules.append(load_file(file, cases=cases))
        except RuleFileError as error:
            errors.append(error)
    return sorted(rules, key=_row_order), errors


def _files(path: Path) -> tuple[list[Path], list[RuleFileError]]:
    """Rule files below a folder in order, and the folders that could not be looked into."""
    errors: list[RuleFileError] = []

    def closed(error: OSError) -> None:
        message = f"this folder cannot be read ({error.strerror}); check its rights"
        errors.append(RuleFileError(Place(str(error.filename), 1, 1), message))

    found = [Path(folder, name) for folder, inner, names in os.walk(path, onerror=closed) for name in (*inner, *names)]
    return sorted(file for file in found if file.suffix == ".yaml"), errors


def shipped_folder() -> Path:
    """Folder of the rules that come with perfconsole: inside the installed package, or beside it in a checkout."""
    package = Path(__file__).parents[1]
    installed = package / "rules"
    return installed if installed.is_dir() else package.parent / "rules"


def _without_cases(text: str) -> str:
    """The text up to its cases where they stand last, so that every place in the rest stays as it is."""
    head, found, tail = text.partition("\ncases:\n")
    return f"{head}\n" if found and not re.search(r"^[^\s#]", tail, re.MULTILINE) else text


def _row_order(rule: Rule) -> tuple[bool, list[str], str]:
    """Natural order: S02 < S11a < S11b < S29 < S29b < S100; rules without a row last, by id."""
    words = re.split(r"([0-9]+)", rule.row)
    return not rule.row, [word.zfill(9) if place % 2 else word for place, word in enumerate(words)], rule.id


def _read(file: Path) -> str:
    try:
        status = file.stat()
        if not S_ISREG(status.st_mode):
            fail(Place(str(file), 1, 1), "is no regular file; a rule is a text file")
        if status.st_size > _MOST_BYTES:
            fail(Place(str(file), 1, 1), f"is larger than {_MOST_BYTES // 1000} KB; a file holds one rule")
        return file.read_text(encoding="utf-8-sig")
    except OSError as error:
        fail(Place(str(file), 1, 1), f"cannot be read ({error.strerror}); check its rights")
    except UnicodeDecodeError:
        fail(Place(str(file), 1, 1), "is not UTF-8 text; save it as UTF-8")


# From nodes to values.


def _table(node: Node, what: str) -> Table:
    return node if isinstance(node, Table) else fail(node.place, f"{what} must be a table; write 'key: value' lines")


def _list(node: Node, what: str) -> ListNode:
    return node if isinstance(node, ListNode) else fail(node.place, f"{what} must be a list; write [] or '- ' lines")


def _word(node: Node, what: str) -> Scalar:
    if not isinstance(node, Scalar):
        fail(node.place, f"{what} must be text; take the brackets or the indented lines away")
    if not node.text.strip():
        fail(node.place, f"{what} is empty; write a value")
    return node


def _check_keys(table: Table, what: str, needed: Collection[str], optional: Collection[str]) -> None:
    known = (*needed, *optional)
    for key, (written, _) in table.entries.items():
        if key not in known:
            hint = nearest(key, known) or f"; it has {', '.join(known)}"
            fail(written.place, f"{what} has no key {key!r}{hint}", "unknown-key")
    for key in needed:
        if key not in table.entries:
            fail(table.place, f"{what} lacks {key!r}; add it", "missing-key")


def _text(table: Table, key: str) -> str:
    """Text of a key; empty when the key is not there."""
    return _word(table.entries[key][1], repr(key)).text if key in table.entries else ""


def _choice(table: Table, key: str, known: Collection[str]) -> str:
    word = _word(table.entries[key][1], repr(key))
    if word.text not in known:
        hint = f"{nearest(word.text, known)}; use one of {', '.join(known)}"
        fail(word.place, f"{key} {word.text!r} is unknown{hint}", "unknown-word")
    return word.text


def _each(table: Table, key: str, build: Callable[[Node], _T]) -> tuple[_T, ...]:
    """One value for each item of a list; empty when the key is not there."""
    return tuple(build(item) for item in _list(table.entries[key][1], repr(key)).items) if key in table.entries else ()


def _texts(table: Table, key: str) -> tuple[str, ...]:
    return _each(table, key, lambda item: _word(item, f"an item of {key!r}").text)


def _pairs(table: Table, key: str) -> tuple[tuple[Scalar, Node], ...]:
    """Keys and values of an inner table; empty when the key is not there."""
    return tuple(_table(table.entries[key][1], repr(key)).entries.values()) if key in table.entries else ()


def _converted_number(table: Table, key: str, convert: Callable[[str], float]) -> float:
    word = _word(table.entries[key][1], repr(key))
    try:
        return convert(word.text)
    except ValueError as error:
        fail(word.place, f"{key}: {error}", "not-a-number")


def _condition(node: Node) -> Condition:
    word = _word(node, "a condition")
    try:
        first, last = word.at(1), word.at(len(word.text))
        exact = first.line == last.line and last.column - first.column == len(word.text) - 1
        return Condition(word.text, parse(word.text), first, exact, () if exact else word.runs())
    except ExpressionError as error:
        fail(word.at(error.column), f"{error.message}; mend the condition", "not-a-condition")


def _rule(top: Table) -> Rule:
    _check_keys(top, "a rule", _NEEDED, (*_OPTIONAL, *_IGNORED))
    when = _each(top, "when", _condition)
    if not when:
        fail(top.entries["when"][1].place, "'when' is empty; write at least one condition", "missing-key")
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
        incidents=_texts(top, "incidents"),
        places=top,
        names=_position(_word(top.entries["names"][1], "'names'"), "names", when) if "names" in top.entries else None,
    )


def _id(top: Table) -> str:
    word = _word(top.entries["id"][1], "'id'")
    stem = PurePath(word.place.file).stem
    if word.text != stem:
        fail(
            word.place,
            f"id {word.text!r} differs from the file name {stem!r}; rename one of them",
            "id-is-not-the-file",
        )
    return word.text


def _fallback(key: Scalar, value: Node, when: tuple[Condition, ...]) -> tuple[int, Condition | None]:
    is_none = isinstance(value, Scalar) and value.text == "none"
    return _position(key, "fallback", when), None if is_none else _condition(value)


def _position(word: Scalar, what: str, when: tuple[Condition, ...]) -> int:
    """Place in `when`, from 0, of a condition that a file numbers from 1."""
    if not re.fullmatch(r"[1-9][0-9]?", word.text) or int(word.text) > len(when):
        fail(
            word.place,
            f"{what} {word.text!r} is no condition of 'when'; use a number from 1 to {len(when)}",
            "no-such-condition",
        )
    return int(word.text) - 1


def _escalation(key: Scalar, value: Node) -> tuple[Severity, Condition]:
    levels = (Severity.WARN, Severity.CRITICAL)
    if key.text not in levels:
        fail(key.place, f"escalate level {key.text!r} is unknown; use {' or '.join(levels)}", "unknown-word")
    return Severity(key.text), _condition(value)


def _check(node: Node) -> Check:
    table = _table(node, "a check")
    if "kind" not in table.entries:
        fail(table.place, f"a check lacks 'kind'; add one of {', '.join(CHECK_KINDS)}", "missing-key")
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


def _shell(table: Table) -> bool:
    """Its command may be handed to a shell: shipped rules are read by many, others say so themselves."""
    said = "shell" in table.entries and _choice(table, "shell", ("true", "false")) == "true"
    return said or PurePath(table.place.file).is_relative_to(shipped_folder())


def _sign(table: Table, key: str) -> Condition | str:
    """Text to look for when it starts with `see:`, else a condition."""
    text = _text(table, key)
    return text if text.startswith("see:") else _condition(table.entries[key][1])


def _case(node: Node) -> Case:
    table = _table(node, "a case")
    _check_keys(table, "a case", ("interval", "series", "expect"), ("base",))
    expect = _table(table.entries["expect"][1], "'expect'")
    _check_keys(expect, "'expect'", ("at", "state"), ("verdict", "missing", "severity"))
    base = _table(table.entries["base"][1], "'base'") if "base" in table.entries else Table({}, table.place)
    return Case(
        interval_s=_converted_number(table, "interval", duration),
        series=tuple((key.text, one) for key, value in _pairs(table, "series") for one in _rows(key, value)),
        base=tuple((name, _converted_number(base, name, quantity)) for name in base.entries),
        at_s=_converted_number(expect, "at", duration),
        state=_choice(expect, "state", CASE_STATES),
        verdict=_choice(expect, "verdict", tuple(Verdict)) if "verdict" in expect.entries else None,
        missing=_text(expect, "missing") or None,
        place=table.place,
        severity=_choice(expect, "severity", tuple(Severity)) if "severity" in expect.entries else None,
        note=_word(table.entries["interval"][1], "'interval'").comment,
    )


def _rows(key: Scalar, value: Node) -> tuple[tuple[float | None, ...], ...]:
    """One series, or a list with one for each of several entities of the indicator's kind."""
    if not isinstance(value, ListNode):
        return (_samples(key, value),)
    if not value.items:
        fail(value.place, f"the list of {key.text} is empty; write one series for each entity", "not-a-series")
    return tuple(_samples(key, item) for item in value.items)


def _samples(key: Scalar, value: Node) -> tuple[float | None, ...]:
    word = _word(value, f"the series of {key.text}")
    try:
        return parse_series(word.text)
    except SeriesError as error:
        fail(word.at(error.column), f"{error.message}; mend the series", "not-a-series")
