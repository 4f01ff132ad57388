"""Rules that are no findings and have the text of a filter: listed under the findings, each opening its page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfconsole.view.canvas import cells, clip, restyle, row, window
from perfconsole.view.plain import plain
from perfconsole.view.spelling import spelled

if TYPE_CHECKING:
    from perfconsole.model.rule import Rule
    from perfconsole.view.canvas import Row, Target
    from perfconsole.view.picture import Picture


def silent_rules(picture: Picture, wanted: str) -> list[Rule]:
    """Rules that speak about no entity and have every word of the text: in their name first, then in their texts."""
    words = wanted.lower().split()
    speaking = {f.rule for f in picture.snapshot.findings}
    silent = [rule for rule in picture.rules if rule.id not in speaking] if words else []
    named = [rule for rule in silent if _has(words, f"{rule.id} {rule.row} {rule.title}")]
    told = [rule for rule in silent if rule not in named and _has(words, _texts(rule))]
    return [*named, *told]


def _texts(rule: Rule) -> str:
    conditions = " ".join(c.text for c in (*rule.when, *rule.unless))
    return f"{rule.id} {rule.row} {rule.title} {rule.cause} {rule.layer} {conditions}"


def _has(words: list[str], text: str) -> bool:
    text = text.lower()
    return all(word in text for word in words)


def rule_target(rule: Rule) -> Target:
    """What opens the page of a rule."""
    return ("rule", rule.id)


def silent_lines(
    picture: Picture, wanted: str, chosen: Target, columns: int, most: int
) -> list[tuple[Row, Target | None]]:
    """At most so many of them, those around the chosen one."""
    rules = silent_rules(picture, wanted)
    place = next((i for i, rule in enumerate(rules) if rule_target(rule) == chosen), 0)
    first = window(place, len(rules), most)
    return [_line(picture, rule, chosen, columns) for rule in rules[first : first + max(most, 0)]]


def _line(picture: Picture, rule: Rule, chosen: Target, columns: int) -> tuple[Row, Target | None]:
    """`silent: title  [id], undecided`; the title gives way."""
    ending = spelled(plain(f"  [{rule.id}]{_standing(picture, rule)}"), picture.glyphs)
    room = max(columns - cells(f"silent: {ending}"), 8)
    title = clip(spelled(plain(rule.title), picture.glyphs), room, picture.glyphs.more)
    line = row(("silent: ", "dim"), title, (ending, "dim"))
    return (restyle(line, "select") if rule_target(rule) == chosen else line), rule_target(rule)


def _standing(picture: Picture, rule: Rule) -> str:
    """What is known of it without asking."""
    snapshot = picture.snapshot
    if any(u.rule == rule.id for u in snapshot.undecided):
        return ", undecided"
    return ", ruled out" if any(ruled_out == rule.id for ruled_out, _ in snapshot.ruled_out) else ""
