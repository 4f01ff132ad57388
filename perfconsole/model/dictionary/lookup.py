"""Names to entries: whether a name exists, what it is read in, and whether a condition may read it.

Owns the splitting of a histogram's suffix; it must never know a single indicator or a value.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING

from perfconsole.model.dictionary.entry import Entry, Sort
from perfconsole.model.dictionary.marks import SUFFIXES, parse_mark
from perfconsole.model.dictionary.overrides import overridden, texts_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from perfconsole.model.entity import Kind

_ELSEWHERE = frozenset({"proc", "poll", "fact"})
"""Origins that are there whether or not a page says it."""
_READ_WITH = "read it with " + ", ".join(f".{suffix}" for suffix in SUFFIXES[:-1]) + f" or .{SUFFIXES[-1]}"


@lru_cache(maxsize=2048)  # bounded: rule files and users bring names that do not exist
def split(name: str) -> tuple[str, str]:
    """Part a base name from its histogram suffix ("" without one), by form alone: the name need not exist."""
    base, dot, tail = name.rpartition(".")
    return (base, tail) if dot and tail in SUFFIXES else (name, "")


_mark = lru_cache(maxsize=1024)(parse_mark)


def _named_once(entries: Iterable[Entry]) -> dict[str, Entry]:
    named: dict[str, Entry] = {}
    for entry in entries:
        if entry.name in named:
            raise ValueError(f"{entry.name} stands twice in the dictionary")
        named[entry.name] = entry
    return named


def _spelled_out(named: Mapping[str, Entry]) -> dict[str, Entry]:
    """Every name that finds an entry, histograms with each suffix too."""
    histograms = (entry for entry in named.values() if entry.sort is Sort.HISTOGRAM)
    suffixed = {f"{entry.name}.{suffix}": entry for entry in histograms for suffix in SUFFIXES}
    return {**named, **suffixed}


@dataclass(frozen=True, slots=True)
class Dictionary:
    """All indicators of one session. Each look-up of a good name is one access to a dict made beforehand."""

    entries: tuple[Entry, ...]
    _found: dict[str, Entry] = field(init=False, repr=False, compare=False)
    _readable: frozenset[str] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        found = _spelled_out(_named_once(self.entries))
        readable = (name for name, entry in found.items() if _bar(name, entry) is None)
        object.__setattr__(self, "_found", found)
        object.__setattr__(self, "_readable", frozenset(readable))

    def find(self, name: str) -> Entry | None:
        """Entry of a name, with or without a histogram suffix; None when unknown or suffixed without right."""
        return self._found.get(name)

    def readable(self, name: str) -> str | None:
        """None when a condition may read the name, else why it may not, in one line."""
        if name in self._readable:
            return None
        entry = self._found.get(name)
        return (_bar(name, entry) if entry else None) or self._unknown(name)

    def unit(self, name: str) -> str:
        """Name the base unit of a reading; a quantile or mean has its histogram's. KeyError for an unknown name."""
        return self._found[name].unit

    def marked(self, name: str, value: float) -> str | None:
        """Which mark the value (base unit) passes: "critical", "warn" or None."""
        entry = self._found[name]
        for level, text in (("critical", entry.critical), ("warn", entry.warn)):
            if text and (mark := _mark(text, entry.unit)).suffix == split(name)[1] and mark.holds(value):
                return level
        return None

    def sort(self, name: str) -> Sort:
        """Kind of quantity; a name that is not in here is a gauge."""
        entry = self._found.get(name)
        return entry.sort if entry else Sort.GAUGE

    def of_pages(self, kind: Kind) -> frozenset[str]:
        """Indicators of a kind of entity that come from its metrics page or from nowhere in a watch."""
        mine = (e for e in self.entries if e.scope is kind and e.sort is not Sort.DERIVED)
        return frozenset(e.name for e in mine if "live" in e.origins and _ELSEWHERE.isdisjoint(e.origins))

    def split(self, name: str) -> tuple[str, str]:
        """Part a base name from its histogram suffix ("" without one), by form alone."""
        return split(name)

    def with_overrides(self, tables: Mapping[str, object]) -> Dictionary:
        """Lay a team's marks and owners over the entries.

        `tables` maps an indicator, a histogram perhaps with a suffix, to {"warn", "critical", "owner"}, all text.
        ValueError names the indicator, key or mark that is wrong, and a mark set twice.
        """
        changed: dict[str, Entry] = {}
        seen: set[tuple[str, str]] = set()
        for name, table in tables.items():
            entry, texts = self._entry_to_override(name), texts_of(name, table)
            twice = next((key for key in texts if (entry.name, key) in seen), None)
            if twice:
                raise ValueError(f"{name}: {twice} of {entry.name} is set twice")
            seen.update((entry.name, key) for key in texts)
            changed[entry.name] = overridden(changed.get(entry.name, entry), split(name)[1], texts)
        return Dictionary(tuple(changed.get(entry.name, entry) for entry in self.entries))

    def _entry_to_override(self, name: str) -> Entry:
        entry = self._found.get(name)
        if entry is None:
            layers = {known.partition(".")[0] for known in self._found}
            hint = f'; put the whole name in quotes, as ["{name}.…"]' if name in layers else ""
            raise ValueError(self._unknown(name) + hint)
        return entry

    def _unknown(self, name: str) -> str:
        """Why a name finds nothing: a suffix where none belongs, or no such indicator, with the nearest names."""
        base, _, tail = name.rpartition(".")
        entry = self._found.get(base)
        if entry and entry.sort is Sort.HISTOGRAM and entry.name == base:
            return f"{base} has no .{tail}: {_READ_WITH}"
        if entry and tail in SUFFIXES and entry.name == base:
            return f"{base} has no .{tail}: only histograms have suffixes, and this is a {entry.sort}"
        near = ", ".join(self._nearest(name))
        return f"unknown indicator {name!r}" + (f"; nearest: {near}" if near else "")

    def _nearest(self, name: str) -> list[str]:
        """At most three names, with a suffix where the name asked for has one."""
        from difflib import get_close_matches  # noqa: PLC0415 - 1 ms that only a misspelt name has to pay

        suffix = split(name)[1]
        return get_close_matches(name, [known for known in self._found if split(known)[1] == suffix], n=3)


def _bar(name: str, entry: Entry) -> str | None:
    """Reason that bars a known name from conditions, or None."""
    if entry.sort is Sort.TEXT:
        return f"{name} is text and cannot stand in a condition"
    if entry.sort is Sort.HISTOGRAM and name == entry.name:
        return f"{name} is a histogram: {_READ_WITH}"
    return None
