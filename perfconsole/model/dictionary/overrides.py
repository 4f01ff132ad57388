"""A team's own marks and owners, laid over the entries.

Owns what a table of overrides may say; it must never read a file: the tables arrive as plain mappings.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from perfconsole.model.dictionary.entry import Sort
from perfconsole.model.dictionary.marks import SUFFIXES, parse_mark

if TYPE_CHECKING:
    from perfconsole.model.dictionary.entry import Entry

_MARKS = ("warn", "critical")
_KEYS = (*_MARKS, "owner")


def texts_of(name: str, table: object) -> dict[str, str]:
    """Keys that a table for `name` sets, as text; ValueError names a key that is unknown or not text."""
    if not isinstance(table, Mapping):
        # A wrong type in a TOML file is a wrong value to whoever wrote it.
        raise ValueError(f"{name}: expected a table with {', '.join(_KEYS)}, not {table!r}")  # noqa: TRY004 - as above
    texts: dict[str, str] = {}
    for key, value in table.items():
        if key not in _KEYS:
            raise ValueError(f"{name}: unknown key {key!r}; it may set {', '.join(_KEYS)}")
        if not isinstance(value, str):
            raise ValueError(f"{name}: {key} must be text in quotes, not {value!r}")  # noqa: TRY004 - as above
        texts[key] = value
    return texts


def overridden(entry: Entry, suffix: str, texts: Mapping[str, str]) -> Entry:
    """Entry with the marks and the owner of `texts`; an empty mark takes the default away.

    `suffix` is the one in the table's name: it stands for the suffix that the marks leave out.
    ValueError names the mark that does not parse or does not fit.
    """
    marks = {key: _mark_text(entry, suffix, texts[key]) for key in _MARKS if key in texts}
    return replace(
        entry,
        warn=marks.get("warn", entry.warn),
        critical=marks.get("critical", entry.critical),
        owner=texts.get("owner", entry.owner),
        mark_note=_note(entry.mark_note, tuple(marks)),
    )


def _mark_text(entry: Entry, suffix: str, text: str) -> str:
    """Mark with its suffix written out, parsed once so that nothing wrong gets further."""
    if not text.strip():
        return ""
    try:
        mark = parse_mark(text, entry.unit)
    except ValueError as error:
        raise ValueError(f"{entry.name}: {error}") from None
    _refuse_misfit(entry, suffix, mark.suffix, text)
    return text.strip() if mark.suffix or not suffix else f"{suffix} {text.strip()}"


def _refuse_misfit(entry: Entry, named: str, written: str, text: str) -> None:
    """ValueError when the suffixes in the table's name and in its mark do not make one reading of this entry."""
    if entry.sort is Sort.TEXT:
        raise ValueError(f"{entry.name}: text takes no mark such as {text!r}")
    if named and written and named != written:
        raise ValueError(f"{entry.name}.{named}: mark {text!r} is for another suffix")
    if entry.sort is Sort.HISTOGRAM and not (named or written):
        raise ValueError(f"{entry.name}: mark {text!r} needs one of {', '.join(SUFFIXES)} before the comparison")
    if entry.sort is not Sort.HISTOGRAM and written:
        raise ValueError(f"{entry.name}: mark {text!r} has a suffix, and this is a {entry.sort}")


def _note(default: str, keys: tuple[str, ...]) -> str:
    """Basis of the marks: the team for those it set; what the default rests on stays readable."""
    if not keys:
        return default
    own = f"{' and '.join(keys)} set by the team"
    return f"{own}; default: {default}" if default else own
