"""What one task of an orchestrator is made of: model calls, tools, retrieval and building of prompts, each in a row.

Counts are those of five minutes, times those of the last one. What is not known says why, and is never left out.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from perfconsole.model.sample import Missing
from perfconsole.view.canvas import Row, Span, fit, row
from perfconsole.view.readings import joined, packed, reading
from perfconsole.view.units import MISSING_WORDS, number, shown

if TYPE_CHECKING:
    from collections.abc import Sequence

    from perfconsole.model.entity import Entity
    from perfconsole.view.picture import Picture

WORK = (
    ("model calls", "orchestration.llm_calls_per_task", "orchestration.llm_call_latency"),
    ("tool calls", "orchestration.tool_calls_per_task", "orchestration.tool_call_time"),
    ("retrieval", "orchestration.retrievals_per_task", "orchestration.retrieval_time"),
    ("context building", "orchestration.context_builds_per_task", "orchestration.context_build_time"),
)
"""Words, how many a task takes, and how long each takes."""
_TASK = "orchestration.latency"
_LAST = (
    ("tokens a task", "orchestration.tokens_per_task"),
    ("prompt mean", "orchestration.llm_prompt_length.mean"),
    ("p95", "orchestration.llm_prompt_length.p95"),
    ("context growth", "orchestration.context_growth"),
)
_OVERLAP = 1.15
"""Times what a task takes: up to there the sum of its parts is off because they are of different minutes."""
_NAME, _COLUMN = 18, 14
"""Columns of the words, and of each figure behind them."""


@dataclass(frozen=True, slots=True)
class Item:
    """One kind of work in a task: how often, and how long each time; or why that is not known."""

    words: str
    count: float | Missing
    mean: float | Missing
    p95: float | Missing

    @property
    def known(self) -> bool:
        """There is a figure at all."""
        return not all(isinstance(v, Missing) for v in (self.count, self.mean, self.p95))

    @property
    def seconds(self) -> float | None:
        """Of one task, in sum; more than it takes where calls run side by side."""
        if isinstance(self.count, Missing) or isinstance(self.mean, Missing):
            return 0.0 if self.count == 0 else None
        return self.count * self.mean


def work_of(picture: Picture, orchestrator: Entity) -> list[Item]:
    """The four kinds of work."""
    return [
        Item(
            words,
            picture.value(count, orchestrator),
            picture.value(f"{each}.mean", orchestrator),
            picture.value(f"{each}.p95", orchestrator),
        )
        for words, count, each in WORK
    ]


def agent_bill(picture: Picture, orchestrator: Entity, columns: int) -> list[Row]:
    """Rows of at most so many columns: one where nothing is known but that; else a title, a row for each, and a sum."""
    items = work_of(picture, orchestrator)
    unknown = _unknown([item for item in items if not item.known])
    known = [item for item in items if item.known]
    if not known:
        return [fit(joined((row(("A TASK", "head")), unknown)), columns, picture.glyphs.more)]
    task = picture.number(f"{_TASK}.mean", orchestrator)
    rows = [_title(picture, orchestrator, columns), *(_line(item, task) for item in known)]
    rows += [line for line in (joined((unknown, _rest(known, task))), _tokens(picture, orchestrator, columns)) if line]
    return [fit(line, columns, picture.glyphs.more) for line in rows]


def _title(picture: Picture, orchestrator: Entity, columns: int) -> Row:
    mean, p95 = (picture.indicator(f"{_TASK}.{suffix}", orchestrator) for suffix in ("mean", "p95"))
    took = reading("mean", mean) if mean else row(("how long it takes is not exported", "dim"))
    tail = reading("p95", p95) if mean and p95 and _above(p95.value, mean.value) else ()
    note = row(("counts of 5 min, times of 1 min", "dim"))
    return packed([row(("A TASK", "head")), row((orchestrator.name, "dim")), took, tail, note], columns)


def _above(p95: float | Missing, mean: float | Missing) -> bool:
    """A tail below the mean is the last bound of a histogram that ends before most tasks do: it says nothing."""
    return not isinstance(p95, Missing) and not isinstance(mean, Missing) and p95 >= mean


def _line(item: Item, task: float | None) -> Row:
    """`model calls       5.2 a task    mean 1.8 s    p95 4.2 s     75% of its time`."""
    count = f"{number(item.count)} a task" if not isinstance(item.count, Missing) else MISSING_WORDS[item.count]
    each = [_figure(count, item.count)]
    each += [_figure(f"{word} {shown(v, 's')}", v) for word, v in (("mean", item.mean), ("p95", item.p95))]
    if isinstance(item.mean, Missing) and isinstance(item.p95, Missing):
        each[1:] = [_figure(f"duration {MISSING_WORDS[item.mean]}", item.mean)]
    seconds = item.seconds
    share = row((f"{shown(seconds / task, 'ratio')} of its time", "value")) if seconds is not None and task else ()
    return (Span(f"{item.words:<{_NAME}}", "dim"), *each, *share)


def _figure(text: str, value: float | Missing) -> Span:
    return Span(f"{text:<{_COLUMN}}", "dim" if isinstance(value, Missing) else "value")


def _unknown(items: Sequence[Item]) -> Row:
    """`retrieval, context building not exported`; one piece for each reason."""
    reasons: dict[str, list[str]] = {}
    for item in items:
        reason = next((v for v in (item.mean, item.count) if isinstance(v, Missing) and v is not Missing.NEVER), None)
        # A source that has the name counts 0 of it: where not even that is known, nobody exports it.
        reasons.setdefault(MISSING_WORDS[reason or Missing.NOT_EXPORTED], []).append(item.words)
    return joined(row((f"{', '.join(names)} {reason}", "dim")) for reason, names in reasons.items())


def _rest(items: Sequence[Item], task: float | None) -> Row:
    """What a task takes beside all of these; or that they run side by side."""
    parts = [item.seconds for item in items]
    if not task or any(part is None for part in parts):
        return ()
    total = sum(part for part in parts if part is not None)
    if total > _OVERLAP * task:
        return row((f"{shown(total / task, 'x')} in sum, side by side", "dim"))
    if total >= task:
        return row(("nothing else", "dim"))
    left = shown(task - total, "s")
    return row(("all else ", "dim"), (f"{left}, {shown(1 - total / task, 'ratio')}", "value"))


def _tokens(picture: Picture, orchestrator: Entity, columns: int) -> Row:
    found = [(w, i) for w, name in _LAST if (i := picture.indicator(name, orchestrator)) is not None]
    there = [reading(w, i) for w, i in found if not isinstance(i.value, Missing)]
    gone: dict[str, list[str]] = {}
    for words, indicator in found:
        if isinstance(indicator.value, Missing) and words != "p95":
            gone.setdefault(MISSING_WORDS[indicator.value], []).append(words)
    return packed([*there, *(row((f"{', '.join(names)} {why}", "dim")) for why, names in gone.items())], columns)
