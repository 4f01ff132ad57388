"""Pages of Prometheus text (0.0.4) and OpenMetrics 1.0 text, made for the same page coming again every second.

Owns the memory of which bytes in front of a value mean which series. Never trusts a page that is cut off or broken:
that is a PageError, and no part of the page is used. Never fetches anything, and knows no metric by name.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from perfconsole.errors import PerfconsoleError
from perfconsole.sources.exposition_line import (
    LineError,
    Vocabulary,
    canonical_key,
    check_exemplar,
    is_unfinished,
    read_numbers,
    read_sample,
    read_stamp,
    read_type,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from perfconsole.sources.exposition_line import Labels

_EOF = b"# EOF"
_EXCERPT_CHARACTERS = 60
_SPARE_ENTRIES = 10_000
"""Entries (about 3 MB) that may be kept although no series of the page needs them."""
_ENTRIES_PER_LINE = 4
"""Twice what a page needs whose every series is spelled in a way of its own."""


class PageError(PerfconsoleError):
    """A page that cannot be trusted: what is wrong, at which line, with a short excerpt safe for a terminal."""


@dataclass(frozen=True, slots=True)
class RawSeries:
    """One series by its name and labels on the wire; within a parser the same object as long as pages carry it."""

    name: str
    labels: Labels


@dataclass(frozen=True, slots=True)
class Page:
    """One page, sample by sample in the order of the wire; a series that stands there twice is here twice."""

    series: list[RawSeries]
    values: list[float]
    """Value of the series at the same index; NaN where the page says NaN."""
    types: dict[str, str]
    """Type by metric family, both as on the TYPE line; the last line of a family counts."""
    timestamps: dict[int, float]
    """Epoch seconds by index, for the samples that carry a timestamp."""
    index: Mapping[str, Sequence[int]] | None = field(default=None, compare=False, repr=False)
    """Places of each name, where somebody knows them already."""

    def places(self, name: str) -> Sequence[int]:
        """Indexes of the samples of a name as on the wire."""
        if self.index is not None:
            return self.index.get(name, ())
        return [place for place, series in enumerate(self.series) if series.name == name]


_Met = tuple[RawSeries | None, bytes, bytes | None]
"""Series, value and timestamp of a line, the numbers still text; without a series the line is not wanted."""
_UNWANTED: _Met = (None, b"", None)


class _Layout(NamedTuple):
    """How a page is laid out whose lines were all known: the next one most likely differs in its values only."""

    heads: list[bytes]
    """Of each line: what stands in front of its value, or all of it where it has none."""
    sizes: list[int]
    bare: list[int]
    """Places of the lines that have no value."""
    wanted: list[int]
    """Places of the lines whose values are wanted."""
    series: list[RawSeries]
    types: dict[str, str]
    places: dict[str, list[int]]


class PageParser:
    """Parser of the pages of one target, for one thread; it alone writes its memory of series.

    `wanted` is asked for sample names as on the wire; the samples of other names are checked for form and left out.
    `max_series` bounds what is remembered, not what a page may hold: beyond it series are read anew each time.
    """

    def __init__(self, wanted: Callable[[str], bool] | None = None, max_series: int = 200_000) -> None:
        self._wanted = wanted
        self._max_entries = max_series
        self._known: dict[bytes, RawSeries] = {}
        self._ignored: set[bytes] = set()
        self._comments: list[bytes] = []
        self._types: dict[str, str] = {}
        self._layout: _Layout | None = None

    def parse(self, page: bytes, *, openmetrics: bool = False) -> Page:
        """Read all wanted samples of a page; PageError at the first fault of the page. No bytes are no samples."""
        lines, fault = _divide(page, openmetrics=openmetrics)
        parsed = None if fault else self._again(lines)
        if parsed is not None:
            return parsed
        parsed = self._quick(lines, openmetrics=openmetrics)
        if parsed is None:
            parsed = self._careful(lines, openmetrics=openmetrics, last=0 if fault else len(lines))
        if fault:
            raise fault
        self._forget(parsed, len(lines))
        self._lay_out(lines, parsed)
        return parsed

    def _again(self, lines: list[bytes]) -> Page | None:
        """Read a page that differs from the one before in nothing but values; None for any other."""
        last = self._layout
        if last is None or len(lines) != len(last.heads):
            return None
        texts = [line[n:] for line, head, n in zip(lines, last.heads, last.sizes, strict=True) if line.startswith(head)]
        if len(texts) != len(lines) or any(texts[place] for place in last.bare):
            return None
        try:
            values = read_numbers([texts[place] for place in last.wanted])
        except LineError:
            return None  # a timestamp, an exemplar, or no number
        return Page(last.series, values, last.types.copy(), {}, last.places)

    def _lay_out(self, lines: list[bytes], page: Page) -> None:
        """Remember how a page is laid out, if each of its lines is a comment or begins with a key that is known."""
        heads, bare, wanted = [], [], []
        for place, line in enumerate(lines):
            key, blank, _ = line.rpartition(b" ")
            if key in self._known:
                wanted.append(place)
            elif not line or line[:1] == b"#":
                bare.append(place)
            elif key not in self._ignored:
                self._layout = None
                return
            heads.append(line if bare and bare[-1] == place else key + blank)
        index: dict[str, list[int]] = {}
        for place, series in enumerate(page.series):
            index.setdefault(series.name, []).append(place)
        known = len(wanted) == len(page.series)
        sizes = list(map(len, heads))
        self._layout = _Layout(heads, sizes, bare, wanted, page.series, page.types.copy(), index) if known else None

    def _quick(self, lines: list[bytes], *, openmetrics: bool) -> Page | None:
        """Read a page whose every line is well-formed and spaced as usual; None leaves it to the careful reading."""
        series: list[RawSeries] = []
        texts: list[bytes] = []
        comments: list[bytes] = []
        stamps: dict[int, bytes] = {}
        vocabulary = Vocabulary()
        get, add_series, add_text = self._known.get, series.append, texts.append
        try:
            for line in lines:
                key, _, text = line.rpartition(b" ")
                known = get(key)
                if known is not None:
                    add_series(known)
                    add_text(text)
                elif line[:1] == b"#":
                    comments.append(line)
                elif line and key not in self._ignored:
                    met, text, stamp = self._meet(line, key, text, vocabulary, openmetrics=openmetrics)
                    if met is not None:
                        if stamp is not None:
                            stamps[len(series)] = stamp
                        add_series(met)
                        add_text(text)
            times = {index: read_stamp(stamp, openmetrics=openmetrics) for index, stamp in stamps.items()}
            return Page(series, read_numbers(texts), self._types_of(comments), times)
        except LineError:
            return None

    def _meet(self, line: bytes, key: bytes, text: bytes, vocabulary: Vocabulary, *, openmetrics: bool) -> _Met:
        """Read a line whose key is not known: a new series, more than a value behind a known one, unusual blanks."""
        read = vocabulary.read(key)
        if read is not None:
            name, labels = read
            if self._wanted is not None and not self._wanted(name):
                self._ignore(key)
                return _UNWANTED
            series = RawSeries(name, labels)
            self._keep(key, series)
            return series, text, None
        head, _, value = key.rpartition(b" ")
        stamp: bytes | None = text
        if openmetrics and b" # " in line:
            before, _, exemplar = line.partition(b" # ")
            head, _, value = before.rpartition(b" ")
            stamp = None
            if head in self._known:
                check_exemplar(exemplar, openmetrics=True)
        if head in self._known:
            return self._known[head], value, stamp
        return _UNWANTED if head in self._ignored else self._read(line, openmetrics=openmetrics)

    def _read(self, line: bytes, *, openmetrics: bool) -> _Met:
        sample = read_sample(line)
        if sample.exemplar is not None:
            check_exemplar(sample.exemplar, openmetrics=openmetrics)
        if self._wanted is not None and not self._wanted(sample.name):
            self._ignore(sample.key)
            return _UNWANTED
        series = self._series(sample.name, sample.labels)
        if sample.key is not None:
            self._keep(sample.key, series)
        return series, sample.value, sample.stamp

    def _series(self, name: str, labels: Labels) -> RawSeries:
        """Find the one object of a series, however the line spells it."""
        key = canonical_key(name, labels)
        series = self._known.get(key)
        if series is None:
            series = RawSeries(name, labels)
            self._keep(key, series)
        return series

    def _keep(self, key: bytes, series: RawSeries) -> None:
        if len(self._known) < self._max_entries:
            self._known[key] = series

    def _ignore(self, key: bytes | None) -> None:
        if key is not None and len(self._ignored) < self._max_entries:
            self._ignored.add(key)

    def _types_of(self, comments: list[bytes]) -> dict[str, str]:
        """Types by family; they are not read again while the comments are those of the last page."""
        if comments != self._comments:
            typed = {comment: read_type(comment) for comment in set(comments)}
            self._types = dict(filter(None, map(typed.get, comments)))
            self._comments = comments
        return self._types.copy()

    def _careful(self, lines: list[bytes], *, openmetrics: bool, last: int) -> Page:
        """Read by the whole grammar; `last` is the number of the page's last line, 0 if that is not among these."""
        page = Page([], [], {}, {})
        for number, line in enumerate(lines, 1):
            try:
                self._add(page, line, openmetrics=openmetrics)
            except LineError as error:
                if number == last and is_unfinished(line):
                    raise _stops(f"line {number} is unfinished", line) from None
                raise _bad_line(number, str(error), line) from None
        return page

    def _add(self, page: Page, line: bytes, *, openmetrics: bool) -> None:
        bare = line.strip(b" \t")
        if bare[:1] == b"#":
            page.types.update(filter(None, [read_type(line)]))
        elif bare:
            series, text, stamp = self._read(line, openmetrics=openmetrics)
            if series is None:
                return
            value = read_numbers([text])[0]
            if stamp is not None:
                page.timestamps[len(page.series)] = read_stamp(stamp, openmetrics=openmetrics)
            page.series.append(series)
            page.values.append(value)

    def _forget(self, page: Page, lines: int) -> None:
        """Drop what the last page did not have once that is much more than what it had."""
        bound = min(self._max_entries, _SPARE_ENTRIES + _ENTRIES_PER_LINE * lines)
        if len(self._known) >= bound:
            live = set(map(id, page.series))
            self._known = {key: series for key, series in self._known.items() if id(series) in live}
        if len(self._ignored) >= bound:
            self._ignored.clear()


def _divide(page: bytes, *, openmetrics: bool) -> tuple[list[bytes], PageError | None]:
    """Split off the lines that may be read, and say what is wrong with the page right after them."""
    if b"\r" in page:
        page = page.replace(b"\r\n", b"\n")
    lines = page.split(b"\n")
    tail = lines.pop()
    if openmetrics and tail == _EOF:
        lines.append(tail)
        tail = b""
    fault = _unended(lines, tail) if tail else None
    if not page.isascii():
        lines, fault = _before_bad_text(page, lines, fault)
    if openmetrics:
        lines, fault = _before_eof(lines, tail, fault)
    return lines, fault


def _unended(lines: list[bytes], tail: bytes) -> PageError:
    """Name the fault of a last line without newline: a cut, unless nothing looks like a page of metrics."""
    number = len(lines) + 1
    try:
        if not any(lines) and tail[:1] != b"#" and not is_unfinished(tail):
            read_numbers([read_sample(tail).value])
    except LineError as error:
        return _bad_line(number, str(error), tail)
    return _stops(f"line {number} has no end", tail)


def _before_bad_text(page: bytes, lines: list[bytes], fault: PageError | None) -> tuple[list[bytes], PageError | None]:
    try:
        page.decode()
    except UnicodeDecodeError as error:
        number = page.count(b"\n", 0, error.start)
        if number < len(lines):
            return lines[:number], _bad_line(number + 1, "not UTF-8", lines[number])
    return lines, fault


def _before_eof(lines: list[bytes], tail: bytes, fault: PageError | None) -> tuple[list[bytes], PageError | None]:
    if _EOF not in lines:
        return lines, fault or PageError(f"page stops in the middle: no # EOF after line {len(lines)}")
    end = lines.index(_EOF) + 1
    after = [*lines[end:], tail] if tail else lines[end:]
    return (lines[:end], _bad_line(end + 1, "text after # EOF", after[0])) if after else (lines, fault)


def _bad_line(number: int, what: str, line: bytes) -> PageError:
    return PageError(f"line {number}: {what}: {_excerpt(line)}")


def _stops(where: str, line: bytes) -> PageError:
    return PageError(f"page stops in the middle: {where}: {_excerpt(line)}")


def _excerpt(line: bytes) -> str:
    """Beginning of the line as a literal, so that no control character reaches a terminal."""
    text = repr(line[: 4 * _EXCERPT_CHARACTERS].decode("utf-8", "backslashreplace"))
    return text if len(text) <= _EXCERPT_CHARACTERS else text[: _EXCERPT_CHARACTERS - 1] + "\N{HORIZONTAL ELLIPSIS}"
