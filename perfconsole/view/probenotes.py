"""What stands below the numbers of a probe: why cells are empty, what is not valid, the plan, and the words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfconsole.view.canvas import row
from perfconsole.view.probetable import step_notes, withheld
from perfconsole.view.probewords import (
    DEFINITIONS,
    RECIPE_WORDS,
    WITHHELD,
    axis_words,
    ladder_words,
    length_words,
    reasons,
    scenario_words,
    slo_words,
    threshold_words,
    tokens_words,
    value_words,
)
from perfconsole.view.scrolling import Block

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from perfconsole.model.probeview import ProbeView
    from perfconsole.view.canvas import Row
    from perfconsole.view.scrolling import Paper


def legend_rows(view: ProbeView, paper: Paper) -> list[Row]:
    """Below the table: units, why percentiles are left out, and how what is not valid is written under a chart."""
    parts = ["times in ms", f"load: {axis_words(view.plan)}"]
    if any(not result.valid for result in view.steps):
        parts.append("(n): not valid")
    if withheld(view.steps):
        parts.append(f"-: {WITHHELD}")
    return list(paper.text("; ".join(parts), "dim"))


def note_blocks(view: ProbeView, paper: Paper) -> Iterator[Block]:
    """Everything that is said in words."""
    yield from _block("ABOUT THE STEPS", step_notes(view.steps), paper)
    yield from _block("WHERE IT TURNS", threshold_words(view.plan, view.thresholds, view.steps), paper)
    yield from _block("WHAT THAT RESTS ON", reasons(view.plan, view.goodput, view.headroom), paper)
    yield from _block("VALUES FOR RULES", [(n, value_words(n, v)) for n, v in view.indicators.items()], paper)
    yield from _block("THE PROBE", _plan_notes(view), paper)
    yield from _block("WHAT THE WORDS MEAN", DEFINITIONS, paper)


def _block(title: str, pairs: Iterable[tuple[str, str]], paper: Paper) -> Iterator[Block]:
    """A heading and a row or more for each pair; nothing where there is none."""
    told = list(pairs)
    if told:
        heading = row((title, "head"))
        yield Block(("part", title), ((), heading, *(r for pair in told for r in paper.paired(*pair))))


def _plan_notes(view: ProbeView) -> Iterator[tuple[str, str]]:
    plan = view.plan
    if view.saved:
        yield "saved", view.saved
    if plan.why:
        yield "asked by", plan.why
    yield "target", ", then ".join(plan.urls)
    yield "model", plan.model or "not known"
    yield "recipe", f"{plan.recipe}: {RECIPE_WORDS.get(plan.recipe, '')}".removesuffix(": ")
    yield "requests", f"{scenario_words(plan)}; {tokens_words(plan)}"
    yield "ladder", "; ".join(words for words in (ladder_words(plan), length_words(plan)) if words)
    yield "promise", slo_words(plan.slo)
    for note in view.notes:
        yield "note", note
