"""The grammar of one line of Prometheus or OpenMetrics text. It keeps no state between lines and never guesses."""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass, field
from math import isfinite

Labels = tuple[tuple[str, str], ...]
"""Pairs of label name and value, sorted by name."""

# Every repetition of a character is possessive (`*+`, `++`), every one of a group is atomic (`(?>(?:...)*)`): a match
# either goes on or fails, so time is linear in the line. `(?:...)*+` would say the same as the atomic group, and gives
# wrong matches in Python before 3.11.5, which Debian 12 ships (3.11.2).
_BLANKS = rb"[ \t]*+"
_NAME = rb"[a-zA-Z_:][a-zA-Z0-9_:]*+"
_LABEL_NAME = rb"[a-zA-Z_][a-zA-Z0-9_]*+"
_QUOTED = rb'"(?>(?:[^"\\]++|\\.)*)"'
_ITEM = rb"(?>(?:(?:%b|%b)%b=%b)?)%b" % (_LABEL_NAME, _QUOTED, _BLANKS, _BLANKS, _QUOTED)
_BLOCK = rb"\{%b(?>(?:%b%b(?:,%b|(?=\})))*)\}" % (_BLANKS, _ITEM, _BLANKS, _BLANKS)
_WORD = rb"[^ \t]++"

_SERIES = re.compile(rb"%b(?>(?:(%b)%b)?)(?>(%b)?)" % (_BLANKS, _NAME, _BLANKS, _BLOCK), re.DOTALL)
_READING = re.compile(
    rb"%b(%b)(?>(?:[ \t]++([^ \t#][^ \t]*+))?)(?>(?:[ \t]++#[ \t]*+(.*+))?)%b" % (_BLANKS, _WORD, _BLANKS), re.DOTALL
)
_EXEMPLAR = re.compile(rb"%b[ \t]++(%b)(?>(?:[ \t]++(%b))?)%b" % (_BLOCK, _WORD, _WORD, _BLANKS), re.DOTALL)
_LABEL = re.compile(rb"(?>(?:(%b|%b)%b=%b)?)(%b)" % (_LABEL_NAME, _QUOTED, _BLANKS, _BLANKS, _QUOTED), re.DOTALL)
_TYPE_MARK = re.compile(rb"%b#[ \t]++TYPE(?![^ \t])" % _BLANKS)
_TYPE = re.compile(rb"%b#[ \t]++TYPE[ \t]++(%b|%b)[ \t]++([a-z]++)%b" % (_BLANKS, _NAME, _QUOTED, _BLANKS), re.DOTALL)
_ESCAPE = re.compile(r'\\[\\n"]')
_ESCAPED = {"\\\\": "\\", '\\"': '"', "\\n": "\n"}
# A JSON object also opens with `{"`, but its first string is followed by a colon.
_QUOTED_NAME_NEXT = rb'(?=\{"(?>(?:[^"\\]++|\\.)*)(?:\\?+$|"[ \t]*+(?:[,=}]|$)))'
_UNFINISHED = re.compile(
    rb'%b(?:%b%b|%b)(?>(?:\{(?>(?:[^"}]++|%b)*)(?>(?:"(?>(?:[^"\\]++|\\.)*)\\?+|\}%b)?))?)'
    % (_BLANKS, _NAME, _BLANKS, _QUOTED_NAME_NEXT, _QUOTED, _BLANKS),
    re.DOTALL,
)
_PLAIN_NAME = re.compile(_NAME)
_PLAIN_LABEL_NAME = re.compile(_LABEL_NAME)
_PLAIN_PIECE = re.compile(rb'(%b)="([^"\\]*+)' % _LABEL_NAME, re.DOTALL)

_NUMBER_LETTERS = b"0123456789+-.eEiInNfFaAtTyY"
_MILLISECONDS = 1000.0


class LineError(ValueError):
    """A line that the format does not allow; the text says which part of it."""


@dataclass(frozen=True, slots=True)
class SampleLine:
    """One sample as it stands on the wire, its numbers still text."""

    name: str
    labels: Labels
    key: bytes | None
    """The bytes before the blank in front of the value: with them any later value is the same series. None without."""
    value: bytes
    stamp: bytes | None
    exemplar: bytes | None
    """What stands behind ` # `, not checked yet."""


def read_sample(line: bytes) -> SampleLine:
    """Take a sample line apart, without its newline; LineError says what is wrong with it."""
    series = _SERIES.match(line)
    raw_name, block = series.groups() if series else (None, None)
    start = series.end() if series else 0
    if block is None and line[start : start + 1] == b"{":
        raise LineError("broken labels")
    if raw_name is None and block is None:
        raise LineError("no metric name")
    reading = _READING.fullmatch(line, start)
    if reading is None or (block is None and line[start - 1 : start] not in b" \t"):
        raise LineError("no value after the series" if not line[start:].strip() else "broken sample")
    name, labels = _identity(raw_name, block)
    value, stamp, exemplar = reading.groups()
    before = reading.start(1) - 1
    key = line[:before] if line[before] == ord(" ") else None
    return SampleLine(name, labels, key, value, stamp, exemplar)


def _identity(raw_name: bytes | None, block: bytes | None) -> tuple[str, Labels]:
    names = [] if raw_name is None else [raw_name.decode()]
    labels: dict[str, str] = {}
    for raw_label, raw_value in _LABEL.findall(block or b""):
        if not raw_label:
            names.append(unquote(raw_value))
            continue
        label = unquote(raw_label)
        if label in labels or label in {"", "__name__"}:
            raise LineError("label given twice" if label in labels else "reserved or empty label name")
        labels[label] = unquote(raw_value)
    if len(names) != 1 or not names[0]:
        raise LineError("metric name given twice" if len(names) > 1 else "no metric name")
    return names[0], tuple(sorted(labels.items()))


def unquote(raw: bytes) -> str:
    """Text of a quoted string with its escapes resolved, or of a bare name. An unknown escape stays as it is."""
    text = raw.decode()
    if text[:1] != '"':
        return text
    text = text[1:-1]
    return _ESCAPE.sub(lambda match: _ESCAPED[match[0]], text) if "\\" in text else text


def canonical_key(name: str, labels: Labels) -> bytes:
    """Spell a series in the one way with labels in order, no blanks, and quotes only where the format needs them."""
    parts = [f"{_spelled(label, _PLAIN_LABEL_NAME)}={_quoted(value)}" for label, value in labels]
    raw = name.encode()
    if not _PLAIN_NAME.fullmatch(raw):
        return f"{{{','.join((_quoted(name), *parts))}}}".encode()
    return f"{name}{{{','.join(parts)}}}".encode() if parts else raw


def _spelled(name: str, plain: re.Pattern[bytes]) -> str:
    return name if plain.fullmatch(name.encode()) else _quoted(name)


def _quoted(text: str) -> str:
    escaped = text.replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")
    return f'"{escaped}"'


def read_type(line: bytes) -> tuple[str, str] | None:
    """Family and type of a TYPE line, None for any other comment; LineError for a broken TYPE line."""
    if b"TYPE" not in line:
        return None
    match = _TYPE.fullmatch(line)
    if match:
        return unquote(match[1]), match[2].decode()
    if _TYPE_MARK.match(line):
        raise LineError("broken TYPE line")
    return None


def read_numbers(texts: list[bytes]) -> list[float]:
    """Values of the number texts, all at once; LineError when one is not a number of the format.

    float() alone would also take `1_000` and other blanks; the rest of its grammar is the format's.
    """
    if b"".join(texts).translate(None, _NUMBER_LETTERS):
        raise LineError("value is not a number")
    try:
        return list(map(float, texts))
    except ValueError:
        raise LineError("value is not a number") from None


def read_stamp(text: bytes, *, openmetrics: bool) -> float:
    """Epoch seconds of a timestamp: whole milliseconds in Prometheus text, seconds in OpenMetrics."""
    digits = text[1:] if text[:1] in {b"-", b"+"} else text
    if not (openmetrics or digits.isdigit()):
        raise LineError("timestamp is not whole milliseconds")
    seconds = read_numbers([text])[0] if openmetrics else float(text) / _MILLISECONDS
    if not isfinite(seconds):
        raise LineError("timestamp is not a moment")
    return seconds


def check_exemplar(text: bytes, *, openmetrics: bool) -> None:
    """LineError unless the format allows an exemplar here, with labels, a value and perhaps a timestamp."""
    if not openmetrics:
        raise LineError("text after the value")
    match = _EXEMPLAR.fullmatch(text)
    if match is None:
        raise LineError("broken exemplar")
    read_numbers([match[1]])
    if match[2] is not None:
        read_stamp(match[2], openmetrics=True)


def is_unfinished(line: bytes) -> bool:
    """Whether the line is the beginning of a sample whose value has not come."""
    return _UNFINISHED.fullmatch(line) is not None


@dataclass(slots=True)
class Vocabulary:
    """Names and labels met on one page, so that each is decoded and checked once; good for one page only."""

    names: dict[bytes, str] = field(default_factory=dict)
    pieces: dict[bytes, tuple[str, str]] = field(default_factory=dict)
    blocks: dict[bytes, Labels] = field(default_factory=dict)
    orders: set[tuple[str, ...]] = field(default_factory=set)
    """Sequences of label names that are known to be sorted and without repetition."""

    def read(self, key: bytes) -> tuple[str, Labels] | None:
        """Name and labels of a key in its canonical spelling without escapes; None for one that needs the grammar."""
        raw_name, brace, block = key.partition(b"{")
        name = self.names.get(raw_name) or self._name(raw_name)
        labels = (self.blocks.get(block) or self._block(block)) if brace else ()
        return None if name is None or labels is None else (name, labels)

    def _name(self, raw: bytes) -> str | None:
        if not _PLAIN_NAME.fullmatch(raw):
            return None
        name = self.names[raw] = sys.intern(raw.decode())
        return name

    def _block(self, block: bytes) -> Labels | None:
        # Without a backslash a quote always ends a value, and so `",` always parts two labels.
        if block[-2:] != b'"}':
            return None
        pieces = block[:-2].split(b'",')
        try:
            labels = tuple([self.pieces.get(piece) or self._piece(piece) for piece in pieces])
        except LineError:
            return None
        order = tuple([name for name, _ in labels])
        if order not in self.orders:
            if list(order) != sorted(set(order)):
                return None
            self.orders.add(order)
        self.blocks[block] = labels
        return labels

    def _piece(self, piece: bytes) -> tuple[str, str]:
        match = _PLAIN_PIECE.fullmatch(piece)
        if match is None or match[1] == b"__name__":
            raise LineError("not a plain label")
        pair = self.pieces[piece] = (sys.intern(match[1].decode()), match[2].decode())
        return pair
