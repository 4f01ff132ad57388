"""Owns the form of situation files: YAML text to Situations. One incident a file, or a table of hosts by name.

Never judges a figure. A name that no dictionary has is left out and told: it must not pass for a value that is missing.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from perfconsole.errors import UsageError
from perfconsole.model.entity import Entity, Kind, Link, Relation
from perfconsole.model.situation import Expected, Figures, Situation
from perfconsole.plainfile import read_plain
from perfconsole.sources.margin import Margin
from perfconsole.sources.situationfigures import FigureReader

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from perfconsole.model.dictionary import Dictionary

_SECTIONS = ("stated", "implied", "base", "facts")
_KEYS = frozenset(
    (*_SECTIONS, "id", "title", "source", "base_implied", "relative", "sweep", "course", "held", "negative", "expect")
) | {"layer", "cause", "first_check", "confirmed", "grade", "observable", "note", "entities", "links"}
_HOST_KEYS = ("like", "allow", "base", "course")
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
    margin = Margin(path, text)
    top = _plain(text, path)
    if not isinstance(top, dict) or not top:
        margin.fail("must hold a table: one situation ('stated: {...}'), or hosts by name")
    single = not _KEYS.isdisjoint(top)
    reader = _Reader(margin, dictionary)
    found = [reader.situation(top)] if single else reader.hosts(top)
    return SituationFile(found, margin.remarks)


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


class _Reader:
    """One file on its way to situations."""

    def __init__(self, margin: Margin, dictionary: Dictionary) -> None:
        self._margin = margin
        self._read = FigureReader(margin, dictionary)

    def situation(self, top: Mapping[str, Any]) -> Situation:
        """One incident."""
        for key in sorted(map(str, top.keys() - _KEYS)):
            self._margin.leave_out(key, f"a situation has no key {key!r}; it has {', '.join(sorted(_KEYS))}")
        facts = self._margin.table(top, "facts")
        return Situation(
            id=str(top.get("id", self._margin.path.stem)),
            title=str(top.get("title", "")),
            stated={**self._read.figures(self._margin.table(top, "stated")), **self._read.figures(facts)},
            implied=self._read.figures(self._margin.table(top, "implied")),
            base=self._read.figures(self._margin.table(top, "base")),
            base_implied=frozenset(map(str, self._margin.items(top, "base_implied"))),
            texts=self._read.texts({**self._margin.table(top, "stated"), **facts}),
            names=self._names(self._margin.table(top, "entities")),
            links=tuple(self._link(item) for item in self._margin.items(top, "links")),
            courses=self._read.courses(self._margin.table(top, "course")),
            held_s=self._read.seconds(top, "held"),
            expected=self._expected(self._margin.table(top, "expect")) if "expect" in top else None,
        )

    def hosts(self, top: Mapping[str, Any]) -> list[Situation]:
        """Healthy hosts by name; each says only what differs from the one it is like, at the end from the first."""
        for name, table in top.items():
            if not isinstance(table, dict):
                self._margin.fail(f"{name}: must be a table of figures", str(name))
        first = next(iter(top))
        return [self._host(str(name), top, first) for name in top]

    def _host(self, name: str, top: Mapping[str, Any], first: str) -> Situation:
        table = top[name]
        return Situation(
            id=name,
            stated=self._inherited(name, top, first, ()),
            base={**self._inherited(first, top, first, ()), **self._read.figures(self._margin.table(table, "base"))},
            courses=self._read.courses(self._margin.table(table, "course")),
            expected=Expected(allowed=tuple(map(str, self._margin.items(table, "allow")))),
        )

    def _inherited(self, name: str, top: Mapping[str, Any], first: str, behind: tuple[str, ...]) -> dict[str, Figures]:
        """Figures of a host: those of what it is like, with its own laid over them; a null takes one away."""
        if name not in top or name in behind:
            self._margin.fail(f"{behind[-1]}: is like {name!r}, which is not there or leads back to it", behind[-1])
        table = top[name]
        found = {} if name == first else self._inherited(str(table.get("like", first)), top, first, (*behind, name))
        own = {key: value for key, value in table.items() if key not in _HOST_KEYS}
        found.update(self._read.figures({key: value for key, value in own.items() if value is not None}))
        return {key: row for key, row in found.items() if key not in own or own[key] is not None}

    def _link(self, item: Any) -> Link:  # noqa: ANN401 - any YAML
        words = [str(word) for word in item] if isinstance(item, list) else []
        try:
            relation, parent, child, *role = words
            return Link(Relation(relation), Entity.parse(parent), Entity.parse(child), *role[:1])
        except ValueError:
            self._margin.fail(
                f"links: {item!r} must be [RELATION, KIND/NAME, KIND/NAME] as the live screen writes it", "links"
            )

    def _names(self, table: Mapping[str, Any]) -> dict[Kind, tuple[str, ...]]:
        kinds = [str(kind) for kind in Kind if kind is not Kind.TARGET]
        for kind, names in table.items():
            if kind not in kinds or not isinstance(names, list) or not all(isinstance(n, str | int) for n in names):
                self._margin.fail(
                    f"entities: {kind!r} must be one of {', '.join(kinds)} with a list of names", str(kind)
                )
        return {Kind(str(kind)): tuple(map(str, names)) for kind, names in table.items()}

    def _expected(self, table: Mapping[str, Any]) -> Expected:
        first, present, absent = (tuple(map(str, self._margin.items(table, k))) for k in ("first", "present", "absent"))
        return Expected(first, present, absent)
