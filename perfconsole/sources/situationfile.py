"""Owns the form of situation files: YAML text to Situations. One incident a file, or a table of hosts by name.

Never judges a figure. A name that no dictionary has is left out and told: it must not pass for a value that is missing.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NoReturn

from perfconsole.errors import UsageError
from perfconsole.model.dictionary.entry import Sort
from perfconsole.model.entity import Entity, Kind, Link, Relation
from perfconsole.model.situation import Course, Expected, Figures, Situation
from perfconsole.plainfile import read_plain

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from perfconsole.model.dictionary import Dictionary

_SECTIONS = ("stated", "implied", "base", "facts")
_KEYS = frozenset(
    (*_SECTIONS, "id", "title", "source", "base_implied", "relative", "sweep", "course", "held", "negative", "expect")
) | {"layer", "cause", "first_check", "confirmed", "grade", "observable", "note", "entities", "links"}
_HOST_KEYS = ("like", "allow", "base", "course")
_MOST = 1e300
"""Beyond it sums and products are no numbers any more."""
_SAID = 40
_LARGEST = 4 * 1024 * 1024
"""Bytes; a moment of 16 engines and 8 GPUs is about 100 kB."""


@dataclass(slots=True)
class SituationFile:
    """What one file gave."""

    situations: list[Situation] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)
    """What of it was left out, a line each."""


def read_situations(path: Path, dictionary: Dictionary) -> SituationFile:
    """The situations of a file; UsageError says in one line what is wrong with it."""
    try:
        text = read_plain(path, _LARGEST).decode("utf-8-sig")
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror or error}") from None
    except UnicodeDecodeError:
        raise UsageError(f"{path}: is not UTF-8 text; save it as UTF-8") from None
    except ValueError as error:
        raise UsageError(f"{path}: {error}; a situation holds the figures of one moment") from None
    return parse_situations(text, path, dictionary)


def files_below(paths: list[Path]) -> list[Path]:
    """The files named, and every `*.yaml` of the folders named."""
    found: list[Path] = []
    for path in paths:
        inside = sorted(path.rglob("*.yaml")) if path.is_dir() else [path]
        if not inside:
            raise UsageError(f"{path}: no situation in it; situations are files *.yaml")
        found += inside
    return found


def parse_situations(text: str, path: Path, dictionary: Dictionary) -> SituationFile:
    """The situations of a text; `path` names it in messages and gives a situation without an id its name."""
    reader = _Reader(path, dictionary, _lines_of(text))
    top = _plain(text, path)
    if not isinstance(top, dict) or not top:
        reader.fail("must hold a table: one situation ('stated: {...}'), or hosts by name")
    single = not _KEYS.isdisjoint(top)
    found = [reader.situation(top)] if single else reader.hosts(top)
    return SituationFile(found, reader.remarks)


def _plain(text: str, path: Path) -> Any:  # noqa: ANN401 - any YAML
    import yaml  # noqa: PLC0415 - a third-party package that only reading files needs

    loader: type[yaml.SafeLoader | yaml.CSafeLoader] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        if any(isinstance(token, yaml.AliasToken) for token in yaml.scan(text, Loader=loader)):
            raise UsageError(f"{path}: has an alias (*name); write the values out")
        return yaml.load(text, Loader=loader)  # noqa: S506 - both are safe loaders
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        place = f"{path}:{mark.line + 1}:{mark.column + 1}" if mark else str(path)
        what = getattr(error, "problem", None) or getattr(error, "reason", None) or "unreadable"
        raise UsageError(f"{place}: not YAML: {what}") from None
    except (RecursionError, ValueError) as error:
        raise UsageError(f"{path}: not YAML: {' '.join(str(error).split())[:120]}") from None


def _lines_of(text: str) -> dict[str, int]:
    """Line of the first place of each word that may be a name, for messages."""
    found: dict[str, int] = {}
    for number, line in enumerate(text.splitlines(), 1):
        for word in line.replace("{", " ").replace(",", " ").replace(":", " ").split():
            found.setdefault(word, number)
    return found


def _is_text(value: Any) -> bool:  # noqa: ANN401 - any YAML
    """A fact in words, or one for each of several entities."""
    items = value if isinstance(value, list) else [value]
    return any(isinstance(item, str) for item in items) and all(item is None or isinstance(item, str) for item in items)


class _Reader:
    """One file on its way to situations."""

    def __init__(self, path: Path, dictionary: Dictionary, lines: Mapping[str, int]) -> None:
        self._path = path
        self._dictionary = dictionary
        self._lines = lines
        self.remarks: list[str] = []

    def fail(self, message: str, word: str = "") -> NoReturn:
        line = self._lines.get(word)
        raise UsageError(f"{self._path}{f':{line}' if line else ''}: {message}")

    def situation(self, top: Mapping[str, Any]) -> Situation:
        """One incident."""
        for key in sorted(map(str, top.keys() - _KEYS)):
            self._leave_out(key, f"a situation has no key {key!r}; it has {', '.join(sorted(_KEYS))}")
        facts = self._table(top, "facts")
        return Situation(
            id=str(top.get("id", self._path.stem)),
            title=str(top.get("title", "")),
            stated={**self._figures(self._table(top, "stated")), **self._figures(facts)},
            implied=self._figures(self._table(top, "implied")),
            base=self._figures(self._table(top, "base")),
            base_implied=frozenset(map(str, self._list(top, "base_implied"))),
            texts=self._texts({**self._table(top, "stated"), **facts}),
            names=self._names(self._table(top, "entities")),
            links=tuple(self._link(item) for item in self._list(top, "links")),
            courses=self._courses(self._table(top, "course")),
            held_s=self._seconds(top, "held"),
            expected=self._expected(self._table(top, "expect")) if "expect" in top else None,
        )

    def hosts(self, top: Mapping[str, Any]) -> list[Situation]:
        """Healthy hosts by name; each says only what differs from the one it is like, at the end from the first."""
        for name, table in top.items():
            if not isinstance(table, dict):
                self.fail(f"{name}: must be a table of figures", str(name))
        first = next(iter(top))
        return [self._host(str(name), top, first) for name in top]

    def _host(self, name: str, top: Mapping[str, Any], first: str) -> Situation:
        table = top[name]
        return Situation(
            id=name,
            stated=self._inherited(name, top, first, ()),
            base={**self._inherited(first, top, first, ()), **self._figures(self._table(table, "base"))},
            courses=self._courses(self._table(table, "course")),
            expected=Expected(allowed=tuple(map(str, self._list(table, "allow")))),
        )

    def _inherited(self, name: str, top: Mapping[str, Any], first: str, behind: tuple[str, ...]) -> dict[str, Figures]:
        """Figures of a host: those of what it is like, with its own laid over them; a null takes one away."""
        if name not in top or name in behind:
            self.fail(f"{behind[-1]}: is like {name!r}, which is not there or leads back to it", behind[-1])
        table = top[name]
        found = {} if name == first else self._inherited(str(table.get("like", first)), top, first, (*behind, name))
        own = {key: value for key, value in table.items() if key not in _HOST_KEYS}
        found.update(self._figures({key: value for key, value in own.items() if value is not None}))
        return {key: row for key, row in found.items() if key not in own or own[key] is not None}

    def _figures(self, table: Mapping[str, Any]) -> dict[str, Figures]:
        numbers = {str(name): value for name, value in table.items() if not _is_text(value)}
        return {name: self._row(name, value) for name, value in numbers.items() if self._known(name)}

    def _row(self, name: str, value: Any) -> Figures:  # noqa: ANN401 - any YAML
        items = value if isinstance(value, list) else [value]
        if not items:
            self.fail(f"{name}: an empty list; write one figure for each entity", name)
        return tuple(self._figure(name, item) for item in items)

    def _figure(self, name: str, item: Any) -> float | None:  # noqa: ANN401 - any YAML
        if item is None:
            return None
        if isinstance(item, bool):
            return float(item)
        if not isinstance(item, int | float) or not abs(item) <= _MOST:
            said = repr(item)[:_SAID]
            self.fail(f"{name}: {said} is no number; write one in base units, as 0.25 or 1.0e+9 (s, bytes, 0..1)", name)
        return float(item)

    def _known(self, name: str) -> bool:
        """A name that may have a figure; one that may not is told once."""
        bar = self._dictionary.readable(name)
        if bar:
            self._leave_out(name, bar)
        return not bar

    def _leave_out(self, word: str, why: str) -> None:
        line = self._lines.get(word)
        remark = f"{self._path}{f':{line}' if line else ''}: {why} (left out)"
        if remark not in self.remarks:
            self.remarks.append(remark)

    def _texts(self, table: Mapping[str, Any]) -> dict[str, tuple[str | None, ...]]:
        """Facts in words."""
        found: dict[str, tuple[str | None, ...]] = {}
        for name, value in table.items():
            if _is_text(value):
                entry = self._dictionary.find(str(name))
                if entry is not None and entry.sort is not Sort.TEXT:
                    self.fail(f"{name}: {value!r} is no number; write one in base units", str(name))
                items = value if isinstance(value, list) else [value]
                found[str(name)] = tuple(None if item is None else str(item) for item in items)
        return found

    def _link(self, item: Any) -> Link:  # noqa: ANN401 - any YAML
        words = [str(word) for word in item] if isinstance(item, list) else []
        try:
            relation, parent, child, *role = words
            return Link(Relation(relation), Entity.parse(parent), Entity.parse(child), *role[:1])
        except ValueError:
            self.fail(f"links: {item!r} must be [RELATION, KIND/NAME, KIND/NAME] as the live screen writes it", "links")

    def _names(self, table: Mapping[str, Any]) -> dict[Kind, tuple[str, ...]]:
        kinds = [str(kind) for kind in Kind if kind is not Kind.TARGET]
        for kind, names in table.items():
            if kind not in kinds or not isinstance(names, list) or not all(isinstance(n, str | int) for n in names):
                self.fail(f"entities: {kind!r} must be one of {', '.join(kinds)} with a list of names", str(kind))
        return {Kind(str(kind)): tuple(map(str, names)) for kind, names in table.items()}

    def _courses(self, table: Mapping[str, Any]) -> dict[str, Course]:
        return {str(name): self._course(str(name), points) for name, points in table.items() if self._known(str(name))}

    def _course(self, name: str, points: Any) -> Course:  # noqa: ANN401 - any YAML
        pairs = points if isinstance(points, list) else []
        if not pairs or not all(isinstance(pair, list) and len(pair) == 2 for pair in pairs):
            self.fail(f"course of {name}: must be [[seconds, value], ...]", name)
        rows = [(self._figure(name, t), self._figure(name, value)) for t, value in pairs]
        course = tuple((t, value) for t, value in rows if t is not None and value is not None)
        if not course or any(b[0] <= a[0] for a, b in pairwise(course)):
            self.fail(f"course of {name}: the seconds must rise", name)
        return course

    def _seconds(self, top: Mapping[str, Any], key: str) -> float | None:
        value = self._figure(key, top.get(key))
        if value is not None and value <= 0:
            self.fail(f"{key}: must be more than 0 seconds", key)
        return value

    def _expected(self, table: Mapping[str, Any]) -> Expected:
        first, present, absent = (tuple(map(str, self._list(table, k))) for k in ("first", "present", "absent"))
        return Expected(first, present, absent)

    def _table(self, top: Mapping[str, Any], key: str) -> Mapping[str, Any]:
        value = top.get(key)
        if value is not None and not isinstance(value, dict):
            self.fail(f"{key} must be a table; write 'name: value'", key)
        return value or {}

    def _list(self, top: Mapping[str, Any], key: str) -> list[Any]:
        value = top.get(key)
        if value is not None and not isinstance(value, list):
            self.fail(f"{key} must be a list; write [] or '- ' lines", key)
        return value or []
