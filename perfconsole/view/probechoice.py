"""The page before a probe: what would be sent where, at which cost, and what runs there now. Nothing was sent yet."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfconsole.view.canvas import row
from perfconsole.view.probewords import (
    RECIPE_WORDS,
    cap_words,
    ladder_words,
    length_words,
    scenario_words,
    slo_words,
    tokens_words,
)
from perfconsole.view.scrolling import Block, Paper, scrolled
from perfconsole.view.units import duration, number

if TYPE_CHECKING:
    from collections.abc import Iterator

    from perfconsole.model.probeask import ProbeAsk, Traffic, Worst
    from perfconsole.model.probeplan import ProbePlan
    from perfconsole.view.canvas import Cursor, Page, Row
    from perfconsole.view.glyphs import Glyphs

_TALL = 30
"""Rows from which blank ones part what belongs together."""
_ROOMY = 100
"""Columns from which the page is seldom short of rows, and shows again what each key changes."""


def ask_page(ask: ProbeAsk, cursor: Cursor, size: tuple[int, int], glyphs: Glyphs) -> Page:
    """The page; `size` is width and height. What forbids it comes first, then what it would do, if anything."""
    paper = Paper.of(size[0], glyphs)
    parts = [("doubts", _doubts(ask, paper))]
    if ask.plan.urls:
        parts += [
            ("plan", _plan(ask.plan, paper)),
            ("cost", _cost(ask.worst, ask.traffic, paper)),
            ("ends", _ends(ask.plan, paper)),
            ("keys", _keys(ask, paper)),
            ("besides", _besides(ask.plan, paper)),
        ]
    blank: tuple[Row, ...] = ((),) if size[1] >= _TALL else ()
    blocks = [Block(("part", name), (*rows, *blank)) for name, made in parts if (rows := tuple(made))]
    return scrolled(row(_title(ask)), blocks, cursor, size, glyphs)


def _title(ask: ProbeAsk) -> tuple[str, str]:
    if ask.refusals:
        return "PROBE: not possible here  esc goes back", "warn"
    if not ask.plan.model:
        return "PROBE: one moment, the target is asked for its models  esc goes back", "head"
    return f"SEND THIS LOAD?  {ask.start} starts it, esc goes back; nothing was sent yet", "head"


def _doubts(ask: ProbeAsk, paper: Paper) -> Iterator[Row]:
    for words in ask.refusals:
        yield from paper.labelled("not possible", words, "critical")
    if ask.trouble:
        yield from paper.labelled("failed", ask.trouble, "warn")
    for words in ask.warnings:
        yield from paper.labelled("careful", words, "warn")


def _plan(plan: ProbePlan, paper: Paper) -> Iterator[Row]:
    yield from paper.labelled("sends to", _where(plan), "value")
    if plan.why:
        yield from paper.labelled("asked by", plan.why)
    yield from paper.labelled("recipe", f"{plan.recipe}: {RECIPE_WORDS.get(plan.recipe, 'a recipe of your own')}")
    yield from paper.labelled("requests", f"{scenario_words(plan)}; {tokens_words(plan)}")
    lengths = f"; {length_words(plan)}" if length_words(plan) else ""
    yield from paper.labelled("ladder", f"{ladder_words(plan)}{lengths}", "value")


def _where(plan: ProbePlan) -> str:
    model = f"model {plan.model}" if plan.model else "the model that it names when it is asked"
    return f"{', then '.join(plan.urls)}  {model}, {plan.api}"


def _more(plan: ProbePlan) -> Iterator[str]:
    if plan.warmup:
        yield f"{plan.warmup} warm-up requests that are not counted"
    if plan.runs > 1:
        yield f"all of it {plan.runs} times, medians count"
    if plan.adaptive:
        yield "it stops behind the knee instead of going through all steps"
    if plan.shed_s is not None:
        yield f"then a pause of {duration(plan.shed_s)} and the first step again"
    if plan.vary:
        yield f"what differs: {plan.vary}"


def _cost(worst: Worst, traffic: Traffic, paper: Paper) -> Iterator[Row]:
    cost = (
        f"{worst.requests:,} requests, {worst.prompt_tokens:,} prompt and {worst.output_tokens:,} output tokens, "
        f"{duration(worst.seconds)}"
    )
    yield from paper.labelled("at worst", cost, "value")
    waits = traffic.waiting is not None and traffic.waiting > 0
    yield from paper.labelled("traffic now", traffic_words(traffic), "warn" if waits or traffic.unknown else "")


def traffic_words(traffic: Traffic) -> str:
    """What others send right now; a number that nobody gives is left out, never 0."""
    if traffic.unknown:
        return f"not known: {traffic.unknown}"
    said = [
        f"{number(value)} {word}"
        for value, word in (
            (traffic.requests_per_s, "requests/s"),
            (traffic.running, "running"),
            (traffic.waiting, "waiting"),
        )
        if value is not None
    ]
    said += [f"TTFT p95 {duration(traffic.ttft_p95_s)}"] if traffic.ttft_p95_s is not None else []
    return ", ".join(said) or "not known: the engine says no number of it"


def _ends(plan: ProbePlan, paper: Paper) -> Iterator[Row]:
    yield from paper.labelled("any key", "stops it at once and closes every connection; what was measured is kept")
    yield from paper.labelled("stops itself", cap_words(plan))


def _keys(ask: ProbeAsk, paper: Paper) -> Iterator[Row]:
    """In one row: their values stand above."""
    starts = [] if ask.refusals or not ask.plan.model else [f"{ask.start} starts it"]
    words = [*starts, *(f"{change.key} changes the {change.name}" for change in ask.changes)]
    if words:
        yield from paper.labelled("keys", ", ".join(words), "key")
    for change in ask.changes if paper.columns >= _ROOMY else ():
        yield from paper.labelled(f"{change.key}  {change.name}", change.value, label_style="key")


def _besides(plan: ProbePlan, paper: Paper) -> Iterator[Row]:
    if more := "; ".join(_more(plan)):
        yield from paper.labelled("besides", more)
    yield from paper.labelled("promise", f"{slo_words(plan.slo)}: what keeps both is goodput", "dim")
