"""A moment as a situation file: what a colleague or a bug report needs for `perfconsole diagnose` to judge it again.

YAML written by hand, so that no library is needed to write it. Only numbers, the names of what is watched, and facts of
an allowed list leave the console: no addresses with users, no command lines, no paths.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime
from itertools import pairwise
from math import isfinite
from typing import TYPE_CHECKING

from perfconsole.model.dictionary.entry import Sort
from perfconsole.model.sample import Missing
from perfconsole.view.plain import plain

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from perfconsole.model.entity import Entity, Kind
    from perfconsole.model.snapshot import Indicator
    from perfconsole.view.picture import Picture

RATE_S = 60
"""A counter carries its rate over so many seconds."""
COURSE_S, COURSE_POINTS = 300, 12
_FACTS = frozenset(("gpu.name",))
"""Facts in words that may leave the console beside those of the dictionary (version, model, origin of a limit)."""
_OVER_TIME = re.compile(r"\b(?:rate|delta|avg|min|max|slope|changes)\(\s*([\w.]+)\s*\[")
_USER = re.compile(r"[^\s/@]+@")
_QUERY = re.compile(r"\?\S*")
_FOLDERS = re.compile(r"(?:^|(?<=\s))/\S*/(?=\S)")
_BARE = re.compile(r"[A-Za-z][A-Za-z0-9_.]*")


def situation_text(picture: Picture) -> str:
    """The whole file."""
    return "".join(f"{line}\n" for line in _lines(picture))


def _lines(picture: Picture) -> Iterator[str]:
    snapshot = picture.snapshot
    when = datetime.fromtimestamp(snapshot.wall, UTC)
    where = "a simulation of perfconsole demo" if picture.simulated else f"perfconsole {picture.source}"
    first = next((f for f in snapshot.findings if not f.explained_by), None)
    kinds = _by_kind(picture)
    yield f"id: {_quoted(f'live-{when:%Y%m%d-%H%M%S}')}"
    yield f"title: {_quoted(f'{first.title} ({first.rule})' if first else 'nothing found')}"
    yield f"source: {_quoted(f'{where}, {picture.host}, {when:%Y-%m-%dT%H:%M:%SZ}')}"
    stated = _stated(picture)
    yield from _table("stated", _rows(stated, kinds))
    yield from _table("entities", [(str(k), _list(_quoted(e.name) for e in es)) for k, es in kinds.items()])
    yield from _items("links", [(str(k.relation), str(k.parent), str(k.child), k.role) for k in snapshot.links])
    bases = {(i.name, i.entity): i.baseline.value for i in snapshot.indicators if i.baseline}
    yield from _table("base", _rows(bases, kinds))
    yield from _table("facts", _rows(_facts(picture), kinds))
    yield f"held: {_number(round(_held_s(picture), 1))}"
    yield from _table("course", _courses(picture, kinds, stated))


def _by_kind(picture: Picture) -> dict[Kind, list[Entity]]:
    """What is watched, each kind in the order in which lists give their values."""
    found: dict[Kind, list[Entity]] = {}
    for entity in picture.snapshot.entities:
        found.setdefault(entity.kind, []).append(entity)
    return found


def _stated(picture: Picture) -> dict[tuple[str, Entity], float]:
    """Every indicator with a value; a counter's is its rate, and it is left out where that is unknown."""
    found: dict[tuple[str, Entity], float] = {}
    for indicator in picture.snapshot.indicators:
        value = _value(picture, indicator)
        if value is not None and isfinite(value):
            found[indicator.name, indicator.entity] = value
    return found


def _value(picture: Picture, indicator: Indicator) -> float | None:
    if isinstance(indicator.value, Missing):
        return None
    if picture.dictionary.sort(indicator.name) is Sort.COUNTER:
        return _rate(picture.trails(indicator.name, indicator.entity, 1.0, RATE_S + 1))
    return indicator.value


def _rate(totals: Sequence[float | None]) -> float | None:
    """Growth a second between the first and the last total that are known; a fall is a restart and adds nothing."""
    known = [(second, total) for second, total in enumerate(totals) if total is not None]
    if len(known) < 2 or known[-1][0] == known[0][0]:
        return None
    grown = sum(max(0.0, b - a) for (_, a), (_, b) in pairwise(known))
    return grown / (known[-1][0] - known[0][0])


def _facts(picture: Picture) -> dict[tuple[str, Entity], str]:
    allowed = (f for f in picture.snapshot.facts if f.name in _FACTS or picture.dictionary.sort(f.name) is Sort.TEXT)
    return {(fact.name, fact.entity): fact.value for fact in allowed}


def _held_s(picture: Picture) -> float:
    """How long the oldest finding on the list has held; without one, how long was watched."""
    t = picture.snapshot.t
    return max((t - f.since for f in picture.snapshot.findings), default=picture.watched_s)


def _courses(
    picture: Picture, kinds: dict[Kind, list[Entity]], stated: dict[tuple[str, Entity], float]
) -> list[tuple[str, str]]:
    """The last minutes of what rules read over time, of kinds with one entity: a course has one value a moment."""
    wanted = {name for rule in picture.rules for c in (*rule.when, *rule.unless) for name in _OVER_TIME.findall(c.text)}
    wanted |= {n for rule in picture.rules for _, c in rule.fallback if c for n in _OVER_TIME.findall(c.text)}
    lone = [(n, e) for n, e in stated if n in wanted and len(kinds.get(e.kind, ())) == 1]
    gauges = [key for key in lone if picture.dictionary.sort(key[0]) is not Sort.COUNTER]
    return [(name, _list(points)) for name, entity in gauges if len(points := _course(picture, name, entity)) > 1]


def _course(picture: Picture, name: str, entity: Entity) -> list[str]:
    """`[t, value]` from the oldest one on, which is at 0 s."""
    step = COURSE_S / COURSE_POINTS
    trail = picture.trails(name, entity, step, COURSE_POINTS)
    known = [(place, value) for place, value in enumerate(trail) if value is not None and isfinite(value)]
    return [_list((_number((place - known[0][0]) * step), _number(value))) for place, value in known]


def _rows(
    values: Mapping[tuple[str, Entity], float] | Mapping[tuple[str, Entity], str], kinds: dict[Kind, list[Entity]]
) -> list[tuple[str, str]]:
    """A value by name where its kind has one entity, else a list in the order of the entities."""
    texts = {key: _scalar(value) for key, value in values.items()}
    rows: dict[str, str] = {}
    for name, entity in texts:
        peers = kinds.get(entity.kind, [entity])
        each = [texts.get((name, peer), "null") for peer in peers]
        rows.setdefault(name, each[0] if len(peers) == 1 else _list(each))
    return sorted(rows.items())


def _items(name: str, rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """A key with a list a row below, `[]` for none."""
    yield f"{name}:" if rows else f"{name}: []"
    for row in rows:
        yield f"  - {_list(map(_quoted, row))}"


def _table(name: str, rows: Sequence[tuple[str, str]]) -> Iterator[str]:
    """A key with its rows below, `{}` for none."""
    yield f"{name}:" if rows else f"{name}: {{}}"
    for key, text in rows:
        yield f"  {key if _BARE.fullmatch(key) else _quoted(key)}: {text}"


def _list(items: Iterable[str]) -> str:
    return f"[{', '.join(items)}]"


def _scalar(value: float | str) -> str:
    return _quoted(value) if isinstance(value, str) else _number(value)


def _number(value: float) -> str:
    """A number that YAML reads as one: `1e-05` without a point would be text."""
    value = float(value)  # sources may hand over whole numbers
    if value.is_integer() and abs(value) < 1e15:  # noqa: PLR2004 - beyond it a float is no exact count any more
        return str(int(value))
    digits, e, exponent = repr(value).partition("e")
    return f"{digits if '.' in digits else digits + '.0'}{e}{exponent}"


def _quoted(text: str) -> str:
    """In double quotes, harmless, without the user and the query of an address, and without the folders of a path."""
    safe = plain(_FOLDERS.sub("", _QUERY.sub("", _USER.sub("", text))))
    return '"' + safe.replace("\\", "\\\\").replace('"', '\\"') + '"'
