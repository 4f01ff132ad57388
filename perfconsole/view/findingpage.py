"""The page of one finding: what is wrong, condition by condition why we say so, and what to check.

It scrolls as scrolling.py says: the items are stops from top to bottom, so moving from item to item shows every row,
and the cursor's `tab` is not used. A check is the item ("check", number); at any other item enter means the first
check, which chosen_check works out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfconsole.view.canvas import row
from perfconsole.view.findingchecks import check_blocks, check_command, chosen_check, hint, pid_of, probes_here
from perfconsole.view.findingparts import (
    about_block,
    charts_words,
    closing_blocks,
    condition_blocks,
    excluded_blocks,
    headed,
)
from perfconsole.view.scrolling import Block, Paper, scrolled
from perfconsole.view.units import duration
from perfconsole.view.wording import SEVERITY_MARK, SEVERITY_WORD, missing_words

if TYPE_CHECKING:
    from collections.abc import Iterator

    from perfconsole.model.finding import Finding
    from perfconsole.view.canvas import Cursor, Page
    from perfconsole.view.picture import Picture

__all__ = ["check_command", "chosen_check", "finding_page", "pid_of", "probes_here", "the_finding"]


def the_finding(picture: Picture, key: tuple[str, str]) -> Finding | None:
    """Finding of a rule about an entity, written `kind/name`; None when it is no longer there."""
    return next((f for f in picture.snapshot.findings if (f.rule, str(f.entity)) == key), None)


def finding_page(
    picture: Picture, key: tuple[str, str], cursor: Cursor, width: int, height: int, gone_since: float | None = None
) -> Page:
    """The whole finding; `gone_since` is the monotonic second at which it left the list, where the caller knows it."""
    paper = Paper.of(width, picture.glyphs)
    finding = the_finding(picture, key)
    if finding is None:
        title = row(("no longer true  ", "ok"), (paper.clean(key[0]), "head"))
        return scrolled(title, [_gone(picture, key, gone_since, paper)], cursor, (width, height), picture.glyphs)
    severity = finding.severity
    mark = f"{SEVERITY_MARK[severity]} {SEVERITY_WORD[severity]}  "
    title = row((mark, str(severity)), (paper.clean(finding.title), "head"))
    blocks = list(_blocks(finding, picture, paper))
    first_check = hint(finding, paper)
    if first_check and sum(len(block.rows) for block in blocks) >= height:
        blocks.insert(1, first_check)
    return scrolled(title, blocks, cursor, (width, height), picture.glyphs)


def _blocks(finding: Finding, picture: Picture, paper: Paper) -> Iterator[Block]:
    yield about_block(finding, picture, paper)
    conditions = list(condition_blocks(finding, picture, paper)) or [Block(("part", "conditions"), ())]
    yield headed("HOW WE KNOW", charts_words(finding, picture), conditions[0], paper)
    yield from conditions[1:]
    yield from excluded_blocks(finding, picture, paper)
    todo = [*check_blocks(finding, paper), *closing_blocks(finding, paper)]
    nothing = "" if finding.checks or finding.remedies else "the rule names no check and no remedy"
    yield headed("WHAT TO DO NOW", nothing, todo[0], paper)
    yield from todo[1:]


def _gone(picture: Picture, key: tuple[str, str], since: float | None, paper: Paper) -> Block:
    """What became of it, as far as this moment tells."""
    rule, entity = key
    age = "" if since is None else f" since {duration(max(0.0, picture.snapshot.t - since))}"
    lines = [f"{rule} about {entity} is no longer true{age}; esc goes back.", *_became(picture, rule, entity)]
    elsewhere = [str(f.entity) for f in picture.snapshot.findings if f.rule == rule]
    if elsewhere:
        lines.append(f"The same rule speaks about {', '.join(elsewhere)}.")
    return Block(("part", "gone"), tuple(r for line in lines for r in paper.text(line)))


def _became(picture: Picture, rule: str, entity: str) -> Iterator[str]:
    """Why it may have gone other than by getting better."""
    snapshot = picture.snapshot
    if entity not in map(str, snapshot.entities):
        yield f"{entity} is not there any more, so nothing is said about it."
    if (rule, entity) in ((r, str(e)) for r, e in snapshot.ruled_out):
        yield "Its conditions still hold, and one of its exclusions holds now: another cause fits better."
    for lost in (u for u in snapshot.undecided if (u.rule, str(u.entity)) == (rule, entity)):
        yield f"It cannot be decided now: needs {'; '.join(map(missing_words, lost.missing)) or 'data'}."
