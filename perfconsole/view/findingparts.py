"""The parts of a finding's page that say why: its conditions with margins and charts, its rivals, its cause."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfconsole.model.finding import State, Truth
from perfconsole.model.sample import Missing
from perfconsole.view.canvas import Hit, Row, cells, clip, row, wrap
from perfconsole.view.margins import measured
from perfconsole.view.scrolling import LABEL, Block
from perfconsole.view.sparks import bar, indicator_of, owner, span_s, spark
from perfconsole.view.surety import base_words, open_lines, sure_words
from perfconsole.view.units import duration, operand_text
from perfconsole.view.upstreamwords import which_words
from perfconsole.view.wording import (
    doubts,
    excluded_words,
    hold_words,
    longest_open,
    missing_words,
    operand_words,
    state_words,
    truth_words,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from perfconsole.model.entity import Entity
    from perfconsole.model.finding import Finding, Reading, RuledOut
    from perfconsole.view.picture import Picture
    from perfconsole.view.scrolling import Paper

_BAR = 10
_REACH = 20
"""Columns for the two values between which a chart moves."""
_ROOM_FOR_REACH = 80
_ROOM_FOR_WIDE = 120
"""Columns from which charts take half of them: the words beside still have as many as on an 80-column screen."""
_HOURS = 120
"""Minutes from which a time is said in hours."""
_AROUND_TITLE = 30
"""Columns of the top row that the severity and the place in the text take."""
TRUTH_STYLE = {"yes": "warn", "yes so far": "info", "no": "ok", "unknown": "dim"}
STATE_STYLE = {State.PENDING: "info", State.FIRING: "value", State.UNDECIDED: "warn", State.CLEARING: "ok"}


def headed(heading: str, words: str, block: Block, paper: Paper, style: str = "dim") -> Block:
    """The block below the question that it answers, with a few words beside it."""
    head = paper.text(f"{heading}  {words}" if words else heading, "head")
    if words and len(head) == 1:
        head = (row((f"{heading}  ", "head"), (paper.clean(words), style)),)
    moved = tuple(hit._replace(y=hit.y + len(head)) for hit in block.hits)
    return Block(block.target, (*head, *block.rows), moved)


def about_block(finding: Finding, picture: Picture, paper: Paper) -> Block:
    """What it is about, its cause, how sure that is, and its family; its title once more where the top row cuts it."""
    long = cells(paper.clean(finding.title)) > paper.columns - _AROUND_TITLE
    bases = list(base_words(finding, picture))
    rows = [
        *(paper.text(finding.title, str(finding.severity)) if long else ()),
        *(paper.labelled("which", which) if (which := which_words(picture.snapshot, finding)) else ()),
        *paper.labelled("cause", finding.cause or "not said by the rule"),
        *paper.labelled("how sure", sure_words(finding, picture.rule(finding.rule))),
        *(r for place, words in enumerate(bases) for r in paper.labelled("" if place else "compared to", words)),
        *(r for doubt in doubts(finding) for r in paper.text(doubt, "warn")),
        *(r for lack in _lost(finding, picture) for r in paper.text(lack, "warn")),
    ]
    family: list[Row] = []
    hits: list[Hit] = []
    for words, target in _family(finding, picture):
        hits.append(Hit(len(rows) + len(family), 0, paper.columns, target))
        family.extend(paper.text(words, "dim"))
    block = Block(("part", "about"), (*rows, *family), tuple(hits))
    where = f"{finding.entity}, {_state(finding, picture)}"
    return headed("WHAT IS WRONG", where, block, paper, STATE_STYLE[finding.state])


def _state(finding: Finding, picture: Picture) -> str:
    t = picture.snapshot.t
    age = duration(max(0.0, t - finding.since))
    longest = longest_open(finding)
    if finding.state is State.PENDING and longest and longest.hold_s:
        filled = bar((longest.held_s or 0.0) / longest.hold_s, _BAR, picture.glyphs)
        return f"{state_words(finding, t)} {filled}  true so far, not yet long enough"
    words = {
        State.PENDING: f"pending: true so far, for {age}",
        State.FIRING: f"firing for {age}",
        State.UNDECIDED: f"undecided: lost its data; it began {age} ago",
        State.CLEARING: f"clearing: no longer true, and soon off the list; it began {age} ago",
    }
    return words[finding.state]


def _lost(finding: Finding, picture: Picture) -> list[str]:
    """What a finding that lost its data would need."""
    same = [u for u in picture.snapshot.undecided if (u.rule, u.entity) == (finding.rule, finding.entity)]
    return [f"needs {missing_words(m)}" for u in same for m in u.missing]


def _family(finding: Finding, picture: Picture) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The same on other parts of the engine, the cause it stands under, and what it explains itself."""
    near = _near(finding.entity, picture)
    for other in _same_elsewhere(finding, picture):
        yield f"the same on {other.entity}, {state_words(other, picture.snapshot.t)}", _target(other)
    for other in picture.snapshot.findings:
        target = _target(other)
        if other.entity not in near or other is finding:
            continue
        if other.rule == finding.rule:
            continue
        if other.rule == finding.explained_by:
            yield f"explained by {other.rule}: {other.title}  {other.entity}", target
        if other.explained_by == finding.rule:
            yield f"explains {other.rule}: {other.title}  {other.entity}", target


def _same_elsewhere(finding: Finding, picture: Picture) -> list[Finding]:
    """The same rule on other parts of the same engine, folded into one headline."""
    same = [f for f in picture.snapshot.findings if f.rule == finding.rule and f is not finding]
    near = _near(finding.entity, picture)
    return [f for f in same if (f.repeats or finding.repeats) and near & _near(f.entity, picture)]


def _target(finding: Finding) -> tuple[str, ...]:
    return ("finding", finding.rule, str(finding.entity))


def _near(entity: Entity, picture: Picture) -> set[Entity]:
    """The entity and what is linked to it."""
    links = [link for link in picture.snapshot.links if entity in (link.parent, link.child)]
    return {entity, *(link.parent for link in links), *(link.child for link in links)}


def condition_blocks(finding: Finding, picture: Picture, paper: Paper) -> Iterator[Block]:
    """One block a condition: how true, how long, and every value with its margin and chart."""
    drawn: set[str] = set()
    for number, reading in enumerate(finding.readings):
        head = _condition(reading, picture, paper)
        rows, hits = list(head), []
        for words, operands in _facts(reading):
            charted = _chartable(operands, drawn)
            drawn.update(charted)
            fact = tuple(_fact(words, charted, finding, picture, paper))
            hits.extend(_opens(operands, len(rows), finding, picture, paper))
            rows.extend(fact)
        yield Block(("part", "when", str(number)), tuple(rows), tuple(hits))


def _condition(reading: Reading, picture: Picture, paper: Paper) -> tuple[Row, ...]:
    word = truth_words(reading)
    hold = hold_words(reading)
    if reading.hold_s and reading.held_s is not None and reading.held_s < reading.hold_s:
        hold = f"{hold} {bar(reading.held_s / reading.hold_s, _BAR, picture.glyphs)}"
    text = f"{reading.condition}   {hold}" if hold else reading.condition
    return paper.labelled(word, text, "value", TRUTH_STYLE[word])


def _facts(reading: Reading) -> list[tuple[str, tuple[str, ...]]]:
    """Each comparison with what it reads, then the operands that no comparison shows; what lacks a value comes last."""
    holds = Truth.TRUE in (reading.truth, reading.so_far)
    compared = [(m.text, m.operands) for m in measured(reading.condition, reading.operands, holds=holds)]
    seen = {name for _, names in compared for name in names}
    rest = [(operand_text(o), (o[0],)) for o in reading.operands if o[0] not in seen]
    lost = {name for name, value in reading.operands if isinstance(value, Missing)}
    return sorted(dict.fromkeys((*compared, *rest)), key=lambda fact: not lost.isdisjoint(fact[1]))


def _opens(operands: tuple[str, ...], y: int, finding: Finding, picture: Picture, paper: Paper) -> list[Hit]:
    """The first indicator that a row is about, for the mouse."""
    names = [n for n in map(indicator_of, operands) if n]
    if not names:
        return []
    target = ("indicator", names[0], str(owner(picture, names[0], finding.entity)))
    return [Hit(y, LABEL, max(LABEL + 1, paper.columns), target)]


def _chartable(operands: tuple[str, ...], drawn: set[str]) -> list[str]:
    """Indicators of these operands that have no chart on this page yet."""
    return [n for n in dict.fromkeys(map(indicator_of, operands)) if n and n not in drawn]


def _fact(words: str, charted: list[str], finding: Finding, picture: Picture, paper: Paper) -> Iterator[Row]:
    """The words, and beside them the charts of the indicators in them, one below the other."""
    room = max(paper.columns - LABEL, 8)
    columns, reach = _chart_columns(room)
    span = span_s(picture, finding)
    charts = [s for n in charted if (s := spark(picture, n, finding.entity, span, columns))]
    left = room - columns - reach - 2 if charts else room
    lines = wrap(paper.clean(words), max(8, left))
    for i in range(max(len(lines), len(charts))):
        line = lines[i] if i < len(lines) else ""
        parts: list[str | tuple[str, str]] = [" " * LABEL, line]
        if i < len(charts):
            said = f" {clip(paper.clean(charts[i].reach), reach - 1, picture.glyphs.more)}" if reach else ""
            parts += [" " * max(1, left + 2 - cells(line)), (charts[i].line, "spark"), (said, "dim")]
        yield row(*parts)


def _chart_columns(room: int) -> tuple[int, int]:
    """Columns of a chart and of its two ends in words; these give way first."""
    reach = _REACH if room >= _ROOM_FOR_REACH else 0
    share = 2 if room >= _ROOM_FOR_WIDE else 4
    return max(4, min(60, (room - reach) // share)), reach


def charts_words(finding: Finding, picture: Picture) -> str:
    """Over which time the charts go, said once."""
    minutes = span_s(picture, finding) / 60
    span = f"{minutes:.0f} min" if minutes < _HOURS else f"{minutes / 60:.0f} h"
    return f"all must hold; charts: the last {span}, from 0 up"


def excluded_blocks(finding: Finding, picture: Picture, paper: Paper) -> Iterator[Block]:
    """What stayed open for lack of what, then rivals and exclusions that are false, by which values."""
    open_ = list(open_lines(finding, picture))
    said = [("not ruled out", words, "warn", "warn") for words in open_]
    said += [("ruled out", _excluded(finding, r, picture), "", "head") for r in finding.ruled_out]
    labels = ["" if i and said[i - 1][0] == label else label for i, (label, *_) in enumerate(said)]
    count = f"{len(open_)} open, {len(finding.ruled_out)} ruled out" if said else "nothing that the values here suggest"
    blocks = [
        Block(("part", "out", str(i)), paper.labelled(labels[i], words, style, label_style))
        for i, (_, words, style, label_style) in enumerate(said)
    ] or [Block(("part", "out"), ())]
    yield headed("WHAT ELSE IT COULD BE", count, blocks[0], paper)
    yield from blocks[1:]


def _excluded(finding: Finding, ruled_out: RuledOut, picture: Picture) -> str:
    """A rival by its title: who does not know the rules does not know their ids."""
    words = excluded_words(finding, ruled_out)
    rival = picture.rule(ruled_out.rule) if ruled_out.rule != finding.rule else None
    return f"{rival.title} ({rival.id}){words.removeprefix(rival.id)}" if rival else words


def closing_blocks(finding: Finding, paper: Paper) -> Iterator[Block]:
    """What helps, the values that the rule lists as worth seeing, and the rule itself."""
    for i, remedy in enumerate(finding.remedies):
        yield Block(("part", "remedy", str(i)), paper.labelled("" if i else "remedies", remedy))
    if finding.evidence:
        yield Block(("part", "beside"), paper.labelled("beside it", operand_words(finding.evidence)))
    rule = f"{finding.rule}{f' (row {finding.row})' if finding.row else ''}"
    yield Block(("part", "rule"), paper.labelled("rule", rule, "dim", "dim"))
