"""The page of one rule, whether it speaks or not: entity by entity, which condition keeps it silent.

It scrolls as scrolling.py says.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfconsole.model.finding import Standing
from perfconsole.view.canvas import Hit, row
from perfconsole.view.explaining import STANDING_STYLE, conditions, exclusions, nobody_words, standing_words
from perfconsole.view.findingparts import TRUTH_STYLE
from perfconsole.view.scrolling import LABEL, Block, Paper, scrolled
from perfconsole.view.wording import missing_words

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from perfconsole.model.finding import Explanation
    from perfconsole.model.rule import Rule
    from perfconsole.view.canvas import Cursor, Page, Row
    from perfconsole.view.explaining import Explained
    from perfconsole.view.picture import Picture

_ORDER = list(Standing)
_SHOWN = (Standing.FIRING, Standing.PENDING)


def rule_page(picture: Picture, rule_id: str, cursor: Cursor, width: int, height: int, *, paused: bool = False) -> Page:
    """The whole answer; `paused` is that no newer snapshot comes until somebody lets the screen go on."""
    paper = Paper.of(width, picture.glyphs)
    rule = picture.rule(rule_id)
    if rule is None:
        blocks = [Block(("part", "none"), paper.text(f"no rule is called {rule_id}; esc goes back", "warn"))]
        return scrolled(row(("WHY NOT?", "head")), blocks, cursor, (width, height), picture.glyphs)
    title = row(("WHY NOT?  ", "key"), (paper.clean(rule.title), "head"))
    return scrolled(title, list(_blocks(picture, rule, paper, paused=paused)), cursor, (width, height), picture.glyphs)


def _blocks(picture: Picture, rule: Rule, paper: Paper, *, paused: bool) -> Iterator[Block]:
    about = f"{rule.id}{f' (row {rule.row})' if rule.row else ''}   {rule.severity}, about each {rule.scope}"
    yield Block(("part", "about"), (*paper.text(about), *paper.labelled("it means", rule.cause or rule.title)))
    found = [e for e in picture.snapshot.explanations if e.rule == rule.id]
    if not found:
        yield Block(("part", "waits"), ((), *paper.text(_waits(picture, rule, paused=paused), "warn")))
    for explanation in sorted(found, key=_nearness):
        yield from _entity_blocks(explanation, paper)


def _waits(picture: Picture, rule: Rule, *, paused: bool) -> str:
    if not any(entity.kind is rule.scope for entity in picture.snapshot.entities):
        return nobody_words(rule)
    if paused:
        return "the screen is paused: space goes on, and the answer comes with the next reading"
    return "being judged: the answer comes with the next reading, within a second or two"


def _nearness(found: Explanation) -> tuple[int, int]:
    """Those that speak first, then those that lack least."""
    return _ORDER.index(found.standing), len(found.silencing)


def _entity_blocks(found: Explanation, paper: Paper) -> Iterator[Block]:
    name = str(found.entity)
    heading = ((), *paper.text(f"{name}   {standing_words(found)}", STANDING_STYLE[found.standing]))
    target = ("finding", found.rule, name)
    hits = (Hit(1, 0, paper.columns, target),) if found.standing in _SHOWN else ()
    yield Block(target if hits else ("part", name), heading, hits)
    yield from _listed((name, "when"), "all of these must hold", conditions(found), paper)
    yield from _listed((name, "unless"), "none of these may hold", exclusions(found), paper)
    for place, lack in enumerate(found.missing):
        label = "" if place else "would decide"
        yield Block(("part", name, "lacks", str(place)), paper.labelled(label, missing_words(lack), "warn", "warn"))


def _listed(place: tuple[str, str], heading: str, items: Sequence[Explained], paper: Paper) -> Iterator[Block]:
    for number, item in enumerate(items):
        above = () if number else paper.text(heading, "dim")
        yield Block(("part", *place, str(number)), (*above, *_item(item, paper)))


def _item(item: Explained, paper: Paper) -> Iterator[Row]:
    yield from paper.labelled(item.truth, item.condition, "value", TRUTH_STYLE[item.truth])
    for remark in item.remarks:
        yield from paper.labelled("", remark, "warn")
    for fact in item.facts:
        yield from paper.text(fact, "", LABEL)
