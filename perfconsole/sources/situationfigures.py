"""Figures of a situation file: numbers in base units, facts in words, courses over time."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

from perfconsole.model.dictionary.entry import Sort

if TYPE_CHECKING:
    from collections.abc import Mapping

    from perfconsole.model.dictionary import Dictionary
    from perfconsole.model.situation import Course, Figures
    from perfconsole.sources.margin import Margin

_MOST = 1e300
"""Beyond it sums and products are no numbers any more."""
_SAID = 40


class FigureReader:
    """Tables of one file on their way to figures. A name that the dictionary has not is left out and told."""

    def __init__(self, margin: Margin, dictionary: Dictionary) -> None:
        self._margin = margin
        self._dictionary = dictionary

    def figures(self, table: Mapping[str, Any]) -> dict[str, Figures]:
        """Numbers by name, one for each entity or one for all; facts in words are passed over."""
        numbers = {str(name): value for name, value in table.items() if not _is_text(value)}
        return {name: self._row(name, value) for name, value in numbers.items() if self._known(name)}

    def _row(self, name: str, value: Any) -> Figures:  # noqa: ANN401 - any YAML
        items = value if isinstance(value, list) else [value]
        if not items:
            self._margin.fail(f"{name}: an empty list; write one figure for each entity", name)
        return tuple(self._figure(name, item) for item in items)

    def _figure(self, name: str, item: Any) -> float | None:  # noqa: ANN401 - any YAML
        if item is None:
            return None
        if isinstance(item, bool):
            return float(item)
        if not isinstance(item, int | float) or not abs(item) <= _MOST:
            said = repr(item)[:_SAID]
            self._margin.fail(
                f"{name}: {said} is no number; write one in base units, as 0.25 or 1.0e+9 (s, bytes, 0..1)", name
            )
        return float(item)

    def _known(self, name: str) -> bool:
        """A name that may have a figure; one that may not is told once."""
        bar = self._dictionary.readable(name)
        if bar:
            self._margin.leave_out(name, bar)
        return not bar

    def texts(self, table: Mapping[str, Any]) -> dict[str, tuple[str | None, ...]]:
        """Facts in words."""
        found: dict[str, tuple[str | None, ...]] = {}
        for name, value in table.items():
            if _is_text(value):
                entry = self._dictionary.find(str(name))
                if entry is not None and entry.sort is not Sort.TEXT:
                    self._margin.fail(f"{name}: {value!r} is no number; write one in base units", str(name))
                items = value if isinstance(value, list) else [value]
                found[str(name)] = tuple(None if item is None else str(item) for item in items)
        return found

    def courses(self, table: Mapping[str, Any]) -> dict[str, Course]:
        """Points of time and value by name."""
        return {str(name): self._course(str(name), points) for name, points in table.items() if self._known(str(name))}

    def _course(self, name: str, points: Any) -> Course:  # noqa: ANN401 - any YAML
        pairs = points if isinstance(points, list) else []
        if not pairs or not all(isinstance(pair, list) and len(pair) == 2 for pair in pairs):
            self._margin.fail(f"course of {name}: must be [[seconds, value], ...]", name)
        rows = [(self._figure(name, t), self._figure(name, value)) for t, value in pairs]
        course = tuple((t, value) for t, value in rows if t is not None and value is not None)
        if not course or any(b[0] <= a[0] for a, b in pairwise(course)):
            self._margin.fail(f"course of {name}: the seconds must rise", name)
        return course

    def seconds(self, top: Mapping[str, Any], key: str) -> float | None:
        """A time under a key; None where there is none."""
        value = self._figure(key, top.get(key))
        if value is not None and value <= 0:
            self._margin.fail(f"{key}: must be more than 0 seconds", key)
        return value


def _is_text(value: Any) -> bool:  # noqa: ANN401 - any YAML
    """A fact in words, or one for each of several entities."""
    items = value if isinstance(value, list) else [value]
    return any(isinstance(item, str) for item in items) and all(item is None or isinstance(item, str) for item in items)
