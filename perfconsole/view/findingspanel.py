"""The ranked findings of the main page: the one under the cursor with its evidence, then as many others as fit."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from perfconsole.model.entity import Kind
from perfconsole.model.finding import Verdict
from perfconsole.view.canvas import Row, Span, Target, cells, clip, restyle, row, wrap
from perfconsole.view.discovery import LOOKING, search_of
from perfconsole.view.findingparts import STATE_STYLE, TRUTH_STYLE
from perfconsole.view.layers import unjudged, watches_engines
from perfconsole.view.margins import measured
from perfconsole.view.plain import plain
from perfconsole.view.resources import first_full_row
from perfconsole.view.silent import rule_target, silent_lines, silent_rules
from perfconsole.view.spelling import spelled
from perfconsole.view.undecidedpage import unseen_words
from perfconsole.view.upstreamwords import which_words
from perfconsole.view.wording import (
    SEVERITY_MARK,
    SEVERITY_WORD,
    answer_words,
    excluded_words,
    hold_words,
    known_words,
    open_words,
    state_words,
    truth_words,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from perfconsole.model.finding import Finding, Operand, Reading
    from perfconsole.view.discovery import Search
    from perfconsole.view.picture import Picture

UNSEEN: Target = ("unseen",)
"""What opens the page of what cannot be seen."""
Line = tuple[Row, Target | None]
"""A row, and what it opens."""


class Listed(NamedTuple):
    """The rows of the panel."""

    lines: list[Line]
    hidden: int = 0
    """Rows of evidence that the chosen finding has beside those: its page shows them."""


_WATCHED = {
    "gateway": (Kind.GATEWAY,),
    "orchestration": (Kind.ORCHESTRATOR,),
    "this host": (Kind.HOST,),
    "its GPUs": (Kind.GPU,),
}
"""What may be there without an engine, in words."""
_INDENT = "    "
_SET_IN = Span(_INDENT)
_LABEL = 14
_MOST = 3
"""Rows of one piece of evidence; its page has the whole of it."""
_SILENT_SHARE = 2
"""One in so many of the rows beside the findings may be rules that are silent and have the text of a filter."""
_WORTH = 2
"""Rows of evidence below which a finding that nobody chose stays a head row."""


class _Piece(NamedTuple):
    """One piece of evidence: a label and a text beside it."""

    label: str
    text: str
    style: str = ""
    label_style: str = "dim"
    late: bool = False
    """It gets its rows after the second ones of others."""


def findings_items(picture: Picture, wanted: str = "") -> tuple[Target, ...]:
    """What the cursor of the panel may stand on: findings in ranked order, silent rules, what cannot be seen."""
    silent = map(rule_target, silent_rules(picture, wanted))
    return (*(finding_target(f) for f in _wanted(picture, wanted)), *silent, UNSEEN)


def _wanted(picture: Picture, wanted: str) -> list[Finding]:
    """Findings whose title, rule or entity has the text of a filter."""
    word = wanted.lower()
    return [f for f in picture.snapshot.findings if word in f"{f.title} {f.rule} {f.entity}".lower()]


def finding_target(finding: Finding) -> Target:
    """What opens the page of a finding."""
    return ("finding", finding.rule, str(finding.entity))


def findings_lines(picture: Picture, chosen: Target, columns: int, most: int, wanted: str = "") -> Listed:
    """At most `most` rows: every finding keeps its head row as long as there is room, the chosen one its evidence."""
    findings = _wanted(picture, wanted)
    unseen = _unseen(picture, chosen=chosen == UNSEEN)
    least = len(findings) + bool(unseen)
    spare = (most - least) // _SILENT_SHARE if findings else most - least - 1
    silent = silent_lines(picture, wanted, chosen, columns, max(1, spare))
    if not findings:
        tail = _tail(picture, unseen, columns, 1, chosen=chosen == UNSEEN)
        return Listed(_bounded([*_nothing(picture, columns), *silent, *tail], most, len(silent) + len(tail)))
    open_ = next((i for i, f in enumerate(findings) if finding_target(f) == chosen), 0)
    room = most - least - len(silent)
    evidence, hidden = _shared(picture, findings, open_, columns, room)
    lines: list[Line] = []
    for place, finding in enumerate(findings):
        target = finding_target(finding)
        head = _head(picture, finding, place + 1, columns, is_open=place in evidence)
        lines.append((restyle(head, "select") if target == chosen else head, target))
        lines += [(piece, target) for piece in evidence.get(place, ())]
    lines += silent
    tail = _tail(picture, unseen, columns, most - len(lines), chosen=chosen == UNSEEN)
    seen = finding_target(findings[open_]) == chosen
    return Listed(_bounded([*lines, *tail], most, len(silent) + len(tail)), hidden if seen else 0)


def _bounded(lines: list[Line], most: int, tail: int) -> list[Line]:
    """What is unseen stays in sight when findings alone would fill the room."""
    return lines if len(lines) <= most else [*lines[: max(most - tail, 1)], *lines[len(lines) - tail :]][:most]


def _shared(
    picture: Picture, findings: Sequence[Finding], open_: int, columns: int, room: int
) -> tuple[dict[int, list[Row]], int]:
    """Evidence by place: first of the finding that is open, then of the others in ranked order while there is room.

    And how many rows the one that is open has beside those.
    """
    shared: dict[int, list[Row]] = {}
    shared[open_], hidden = _evidence(picture, findings[open_], open_ + 1, columns, room)
    room -= len(shared[open_])
    for place in (i for i in range(len(findings)) if i != open_):
        if room >= _WORTH:
            shared[place], _ = _evidence(picture, findings[place], place + 1, columns, room)
            room -= len(shared[place])
    return {place: rows for place, rows in shared.items() if rows}, hidden


def _clean(picture: Picture, text: str) -> str:
    """Harmless, and in the characters of the terminal, before it is measured."""
    return spelled(plain(text), picture.glyphs)


class _Title(NamedTuple):
    """The head row of a finding before it is drawn: number, severity, title, and where it stands."""

    lead: str
    word: str
    title: str
    state: str

    def beside(self, columns: int) -> bool:
        """The whole title and the state fit in one row."""
        return cells(f"{self.lead}{self.word}{self.title}  {self.state}") <= columns


def _title(picture: Picture, finding: Finding, number: int) -> _Title:
    """`1 x CRITICAL title  likely, since 45 s`; one that is explained is set in, under its cause."""
    title = _clean(picture, finding.title)
    state = f"{finding.verdict}, {state_words(finding, picture.snapshot.t)}"
    if finding.explained_by:
        word, what = ("the same on ", str(finding.entity)) if finding.repeats else ("explained: ", finding.title)
        return _Title(f"{_INDENT}{number} ", word, _clean(picture, what), state)
    word = f"{SEVERITY_MARK[finding.severity]} {SEVERITY_WORD[finding.severity]} "
    return _Title(f"{number} ", word, title, state)


def _head(picture: Picture, finding: Finding, number: int, columns: int, *, is_open: bool) -> Row:
    """The title gives way to the state, but that of the open finding, whose state then stands below it."""
    head = _title(picture, finding, number)
    if not is_open and not finding.repeats and _several(picture, finding):
        head = head._replace(title=f"{_clean(picture, finding.entity.name)}: {head.title}")
    ending = "" if is_open and not head.beside(columns) else f"  {head.state}"
    title = clip(head.title, max(columns - cells(f"{head.lead}{head.word}{ending}"), 8), picture.glyphs.more)
    if finding.explained_by:
        return row(head.lead, (f"{head.word}{title}{ending}", "dim"))
    style = str(finding.severity)
    return row(head.lead, (head.word, style), (title, "head"), (ending, STATE_STYLE[finding.state]))


def _several(picture: Picture, finding: Finding) -> bool:
    """The same rule speaks of another entity too, so that the title alone would not tell them apart."""
    return any(f.rule == finding.rule and f.entity != finding.entity for f in picture.snapshot.findings)


def _evidence(picture: Picture, finding: Finding, number: int, columns: int, room: int) -> tuple[list[Row], int]:
    """Why we say so, in at most so many rows: pieces by importance, one row each before any gets a second.

    And how many rows of it are left out.
    """
    head = _title(picture, finding, number)
    about = _Piece("on", str(finding.entity), "dim")
    if not head.beside(columns):
        about = _Piece(str(finding.verdict), f"{head.state.partition(', ')[2]}, on {finding.entity}")
    which = which_words(picture.snapshot, finding)
    pieces = list(_pieces(finding, about, which, first=not head.beside(columns)))
    beside = max(columns - len(_INDENT) - _LABEL, _LABEL)
    wrapped = [wrap(_clean(picture, piece.text), beside) for piece in pieces]
    wanted = [min(len(lines), _MOST) for lines in wrapped]
    heights = _heights(wanted, [piece.late for piece in pieces], room)
    rows: list[Row] = []
    for piece, lines, height in zip(pieces, wrapped, heights, strict=True):
        rows += _drawn(piece, _cut(lines, beside, height, picture.glyphs.more))
    return rows, sum(map(len, wrapped)) - len(rows)


def _cut(lines: list[str], columns: int, height: int, more: str) -> list[str]:
    """At most `height` lines, the last one filled and with a mark where more stood behind it."""
    if len(lines) <= height or height < 1:
        return lines[:height]
    return [*lines[: height - 1], clip(" ".join(lines[height - 1 :]), columns, more)]


def _heights(wanted: Sequence[int], late: Sequence[bool], room: int) -> list[int]:
    """Rows of each piece."""
    claims = [(level + 1.5 * late[place], place) for place, rows in enumerate(wanted) for level in range(rows)]
    heights = [0] * len(wanted)
    for _, place in sorted(claims)[: max(room, 0)]:
        heights[place] += 1
    return heights


def _drawn(piece: _Piece, lines: Sequence[str]) -> Iterator[Row]:
    for place, line in enumerate(lines):
        label = piece.label if place == 0 else ""
        yield (_SET_IN, Span(f"{label:{_LABEL}}", piece.label_style), Span(line, piece.style))  # cleaned already


def _pieces(finding: Finding, about: _Piece, which: str, *, first: bool) -> Iterator[_Piece]:
    """Conditions by truth, the first check in sight early, what was and was not excluded."""
    if first:
        yield about
    if which:
        yield _Piece("which", which, "head")
    yield from map(_condition, finding.readings)
    yield from _first_check(finding)
    if not first:
        yield about
    if finding.not_ruled_out and finding.verdict is Verdict.POSSIBLE:
        yield _Piece("not ruled out", open_words(finding), "warn")
    for place, rival in enumerate(finding.ruled_out):
        yield _Piece("" if place else "ruled out", excluded_words(finding, rival), "dim", late=True)
    if finding.cause:
        yield _Piece("cause", finding.cause)


def _condition(reading: Reading) -> _Piece:
    """`yes  kv_cache_usage 52%   held 12 of 60 s   [...]`: what changes stands first, where no cut reaches it."""
    words = (known_words(_speaking(reading)), hold_words(reading), f"[{reading.condition}]")
    truth = truth_words(reading)
    return _Piece(truth, "   ".join(word for word in words if word), label_style=TRUTH_STYLE[truth])


def _speaking(reading: Reading) -> list[Operand]:
    """The operands of a condition that holds, those that make it hold in front: of several branches they are why."""
    met = {name for m in measured(reading.condition, reading.operands) if m.met for name in m.operands}
    return sorted(reading.operands, key=lambda operand: operand[0] not in met)


def _first_check(finding: Finding) -> Iterator[_Piece]:
    """What it is, and what the values say of it already."""
    if not finding.checks:
        return
    first = finding.checks[0]
    yield _Piece("first check", f"{first.kind}: {first.text}", "key")
    if first.result:
        yield _Piece("", answer_words(first), "ok")


def _nothing(picture: Picture, columns: int) -> list[Line]:
    """Never an all-clear over something that was not seen, or that is down."""
    snapshot = picture.snapshot
    down = [e.name for e in snapshot.entities if e.kind is Kind.ENGINE and picture.number("engine.up", e) == 0]
    search = search_of(snapshot)
    if not snapshot.judged:
        text, style = "First readings: rules and the sources of this host are being loaded.", "dim"
    elif snapshot.findings:
        text, style = "No finding has the text of the filter.", "dim"
    elif not watches_engines(snapshot):
        text, style = _no_engine(picture, search)
    elif silent := unjudged(snapshot):
        text, style = f"No verdict on {silent[0][0]}: {silent[0][1]}", "warn"
    elif down:
        text, style = f"No verdict on {down[0]}: it is down", "warn"
    else:
        text, style = "Nothing obviously wrong.", "ok"
    full = [(first_full_row(picture), None)] if style == "ok" else []
    return [*((row((piece, style)), None) for piece in wrap(_clean(picture, text), columns)), *full]


def _no_engine(picture: Picture, search: Search | None) -> tuple[str, str]:
    """Without an engine: what that means, and what is done all the same."""
    if search is not None and not search.answered and not search.failed:
        return f"{LOOKING[:1].upper()}{LOOKING[1:]}.", "dim"
    how = "is watched" if search is None or search.failed else "was found on this host"
    watched = [word for word, kinds in _WATCHED.items() if picture.entities(*kinds)]
    rest = f" Watched and judged all the same: {', '.join(watched)}." if search and watched else ""
    return f"No engine {how}: nothing can be said about serving.{rest}", "warn"


def _unseen(picture: Picture, *, chosen: bool) -> str:
    """What this picture does not show, in few words: the page behind it tells all. Empty where that is nothing."""
    words = unseen_words(picture)
    if not words and not chosen:
        return ""
    return _clean(picture, f"not seen: {'; '.join(words) or 'nothing that a rule asked for'}")


def _tail(picture: Picture, text: str, columns: int, room: int, *, chosen: bool) -> list[Line]:
    """What is not seen in as many rows as there are, at least in one."""
    if not text:
        return []
    lines = wrap(text, columns)
    if len(lines) > max(room, 1):
        lines = [clip(text, columns, picture.glyphs.more)]
    pieces = (row((line, "dim")) for line in lines)
    return [(restyle(piece, "select") if chosen else piece, UNSEEN) for piece in pieces]
