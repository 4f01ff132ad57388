"""A `[[target]]` table to start from, guessed from a page: TOML that loads as it is, every guess marked as one."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from perfconsole.view.pagereport_guess import guess
from perfconsole.view.plain import plain

if TYPE_CHECKING:
    from collections.abc import Iterator

    from perfconsole.view.pagereport import Family

_MOST_OTHERS = 20
_NAME = re.compile(r"[A-Za-z_:][A-Za-z0-9_:]*")
"""Names that stand in TOML and in a row without any doubt; others are left to the user."""
_FAILED = re.compile(r"5\d\d|5xx|error|failed|failure|exception|timeout", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Place:
    """Where the page was read, as far as that is known."""

    url: str = ""
    """Base URL of the target, empty for a page from a file."""
    path: str = ""
    """Path of its page where that is not the adapter's own or /metrics."""
    name: str = ""
    """Name that the configuration gives the target already."""
    adapter: str = ""
    """Known table that the page is read by."""
    complete: bool = False
    """That table knows the whole page: what it leaves out is rather left out by you too."""
    configured: bool = False
    """The configuration has this target already, named or not."""


def stub_lines(place: Place, layer: str, families: tuple[Family, ...], filled: frozenset[str]) -> Iterator[str]:
    """The lines of the table. `filled` are indicators that are filled already: no guess is laid over them."""
    if place.name or place.configured:
        yield "# this target is in your configuration: add to its table there what is new here"
    yield "[[target]]"
    yield f"name = {_quoted(place.name)}" if place.name else '# name = "a-name"'
    yield f"layer = {_quoted(layer)}"
    if place.url:
        yield f"url = {_quoted(place.url)}"
    else:
        yield 'url = "http://127.0.0.1:9000"  # change this: where it serves requests'
    if place.path:
        yield f"metrics = {_quoted(place.path)}"
    yield '# health = "/health"  # a cheap route, if it has one'
    yield '# calls = ["http://127.0.0.1:8000"]  # the engines or gateways that it calls'
    if place.adapter:
        yield f"adapter = {_quoted(place.adapter)}"
    yield ""
    yield "[target.metrics_map]"
    yield "# each line is a guess by the name: keep it only if the series means that"
    yield from _rows(layer, families, filled, commented=place.complete)


def _rows(layer: str, families: tuple[Family, ...], filled: frozenset[str], *, commented: bool) -> Iterator[str]:
    taken = set(filled)
    others: list[str] = []
    for family in (f for f in families if _NAME.fullmatch(f.sample)):
        found = guess(family, layer)
        if found is None:
            others.append(f"# {plain(family.name)} ({family.kind}): no guess")
            continue
        text = f"{_quoted(found.indicator)} = {_row(family, found.unit)}"
        yield f"# {text}" if commented or found.indicator in taken else f"{text}  # guess"
        taken.add(found.indicator)
    errors = next((line for f in families if (line := _errors(f, layer)) is not None), None)
    if errors is not None and f"{layer}.errors" not in taken and layer != "engine":
        yield f"# {errors}" if commented else errors
    yield from others[:_MOST_OTHERS]
    if len(others) > _MOST_OTHERS:
        yield f"# and {len(others) - _MOST_OTHERS} more without a guess"


def _row(family: Family, unit: str) -> str:
    name = _quoted(family.sample)
    return f"{{ metric = {name}, unit = {_quoted(unit)} }}" if unit else name


def _errors(family: Family, layer: str) -> str | None:
    """Errors that are counted by a label of a counter of requests."""
    found = guess(family, layer)
    if found is None or found.indicator != f"{layer}.requests" or not _NAME.fullmatch(family.sample):
        return None
    for label, values in family.labels:
        bad = [value for value in values if _FAILED.fullmatch(value)]
        if bad and _NAME.fullmatch(label):
            where = f"where = {{ {label} = {_quoted('~' + '|'.join(bad))} }}"
            row = f"{{ metric = {_quoted(family.sample)}, {where}, zero_with = {_quoted(family.sample)} }}"
            return f'"{layer}.errors" = {row}  # guess'
    return None


def _quoted(text: str) -> str:
    """A basic string of TOML, all ASCII."""
    return '"' + "".join(_escaped(char) for char in text) + '"'


def _escaped(char: str) -> str:
    if char in '"\\':
        return f"\\{char}"
    if " " <= char <= "~":
        return char
    return f"\\u{ord(char):04x}" if ord(char) < 0x10000 else f"\\U{ord(char):08x}"
