"""A probe in lines: the report after it has ended, the archive, and one line to be pasted into a ticket."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from perfconsole.view.canvas import plain_text
from perfconsole.view.plain import plain
from perfconsole.view.probegrid import entry_of, grid
from perfconsole.view.probelimits import limits
from perfconsole.view.probetable import HONESTY, Cell, latencies, millis, step_names, step_notes
from perfconsole.view.probewords import (
    axis_words,
    capacity_words,
    ended_words,
    headline,
    ladder_words,
    mark_word,
    reasons,
    step_name,
    threshold_words,
)
from perfconsole.view.report_text import Line
from perfconsole.view.units import duration, number

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from perfconsole.model.proberesult import Knee, ProbeResult, StepResult
    from perfconsole.view.probetable import Column

WIDTH = 100
"""Columns of the tables: what a line of a pipe holds."""
_LABEL = 10
_STYLES = {"client": "warn", "cut": "warn", "failed": "critical", "empty": "warn", "outlier": "warn", "knee": "head"}
_ENVIRONMENT = (("engine.version", "engine "), ("gpu.0.name", ""))


@dataclass(frozen=True, slots=True)
class Archived:
    """A probe that was kept."""

    place: str
    """Its file."""
    result: ProbeResult


def probe_lines(result: ProbeResult, saved: str = "", meaning: str = "", width: int = WIDTH) -> Iterator[Line]:
    """The report: the verdict first, then the steps, the client itself, and what cannot be said."""
    plan = result.plan
    yield Line(
        f"perfconsole probe  {plan.recipe}  {plan.scenario}  {', '.join(plan.urls)}  {when(result.began)}  "
        f"{duration(round(result.took_s))}",
        "head",
    )
    yield from _verdict(result, meaning)
    yield Line("")
    yield from _table(latencies(result.steps), result, width)
    yield Line(f"times in ms; load: {axis_words(plan)}; see `limits` for what is -", "dim")
    for name, words in step_notes(result.steps):
        yield _labelled(name, words, "dim")
    for name, words in threshold_words(plan, result.thresholds, result.steps):
        yield _labelled(name, words)
    for name, words in reasons(plan, result.goodput, result.headroom):
        yield _labelled(name, words, "dim")
    yield Line("")
    yield Line(
        "THE CLIENT ITSELF  times in ms; ! is more than it should be; +- is the client against the engine's own count",
        "head",
    )
    yield from _table(HONESTY, result, width)
    yield Line("")
    for note in result.notes:
        yield _labelled("note", note)
    for limit in limits(result):
        yield _labelled("limits", limit, "dim")
    if saved:
        yield _labelled("saved", saved)
    yield _labelled("to paste", summary(result))


def _verdict(result: ProbeResult, meaning: str) -> Iterator[Line]:
    if result.stopped:
        yield _labelled("stopped", result.stopped, "warn")
    limited = result.knee.limit == "client"
    said = headline(result.plan, result.knee, result.steps, result.indicators)
    yield _labelled("found", said, "warn" if limited else "info")
    if ended := ended_words(result.notes):
        yield _labelled("ended", ended)
    if meaning:
        yield _labelled("finding", meaning, "info")
    for name, words in capacity_words(result.plan, result.goodput, result.headroom):
        yield _labelled(name, words)
    errors = sum(step.errors for step in result.steps)
    prompts = f"{result.prompt_tokens:,} prompt" if result.prompt_tokens else "untold prompt"
    sent = f"{result.requests:,} requests, {prompts} and {result.output_tokens:,} output tokens"
    yield _labelled("sent", f"{sent}; {errors} of the counted requests failed", "critical" if errors else "")


def _labelled(label: str, text: str, style: str = "") -> Line:
    return Line(f"{label:{_LABEL}} {text}", style, indent=_LABEL + 1)


def _table(columns: Sequence[Column], result: ProbeResult, width: int) -> Iterator[Line]:
    """A table as wide as there is room; the columns that find none follow in one below it."""
    words = [mark_word(step, result.knee) for step in result.steps]
    entries = [
        entry_of(plain(name), columns, step, Cell(word))
        for name, step, word in zip(step_names(result.steps), result.steps, words, strict=True)
    ]
    places = list(range(len(columns)))
    while places:
        made = grid(columns, entries, width, places)
        if not made.shown:
            return
        if len(places) < len(columns):
            yield Line("more of each step", "dim")
        yield Line(plain_text([made.head]), "head")
        for line, step, word in zip(made.rows, result.steps, words, strict=True):
            yield Line(plain_text([line]), "critical" if step.errors else _STYLES.get(word, ""))
        places = [place for place in places if place not in made.shown]


def when(wall: float) -> str:
    """A moment in UTC."""
    return datetime.fromtimestamp(wall, UTC).strftime("%Y-%m-%d %H:%M:%SZ")


def summary(result: ProbeResult) -> str:
    """Everything that matters in one line."""
    plan, at = result.plan, telling_step(result.steps, result.knee)
    parts = [
        f"perfconsole probe {plan.recipe} {plan.scenario} {plan.prompt_tokens}/{plan.output_tokens} tokens",
        f"{plan.model or 'model not known'} at {', '.join(plan.urls)}",
        headline(plan, result.knee, result.steps, result.indicators),
        *([_step_words(at)] if at else []),
        *([f"goodput {_goodput(result)}"] if result.goodput.requests_per_s is not None else []),
        f"{sum(s.errors for s in result.steps)} errors of {sum(s.requests for s in result.steps)}",
        *([f"stopped: {result.stopped}"] if result.stopped else []),
        *[f"{word}{result.environment[name]}" for name, word in _ENVIRONMENT if name in result.environment],
        when(result.began),
    ]
    return "; ".join(parts)


def _goodput(result: ProbeResult) -> str:
    rate, at = result.goodput.requests_per_s, result.goodput.concurrency
    return f"{number(rate or 0.0)} requests/s{f' at {number(at)}' if at is not None else ''}"


def telling_step(steps: Sequence[StepResult], knee: Knee) -> StepResult | None:
    """The step whose numbers stand for the whole: the knee, else the last one that counts."""
    valid = [step for step in steps if step.valid]
    at = [step for step in valid if step.step.amount == knee.concurrency]
    return next(reversed(at or valid), None)


def _step_words(step: StepResult) -> str:
    rate = f"{number(step.output_tokens_per_s)} tokens/s" if step.output_tokens_per_s is not None else "no rate"
    first = f"TTFT p50/p95 {millis(step.ttft.p50)}/{millis(step.ttft.p95)} ms"
    gap = f"ITL p50/p99 {millis(step.itl.p50)}/{millis(step.itl.p99)} ms"
    return f"at {step_name(step.step)}: {rate}, {first}, {gap}"


def archive_lines(kept: Sequence[Archived]) -> Iterator[Line]:
    """The archive, the newest first, one line each: when, of what, how, what was found, why, and where it lies."""
    if not kept:
        yield Line("no probe is kept here")
    for each in sorted(kept, key=lambda archived: -archived.result.began):
        plan, result = each.result.plan, each.result
        how = f"{plan.recipe} {plan.scenario} {plan.prompt_tokens}/{plan.output_tokens}, {ladder_words(plan)}"
        why = f"  why: {plan.why}" if plan.why else ""
        found = result.stopped or headline(plan, result.knee, result.steps, result.indicators)
        said = f"stopped: {found}" if result.stopped else found
        style = "warn" if result.stopped or result.knee.limit == "client" else ""
        yield Line(f"{when(result.began)}  {', '.join(plan.urls)}  {how}  {said}{why}  {each.place}", style, indent=22)


def archive_json(kept: Iterable[Archived]) -> dict[str, Any]:
    """The same for scripts."""
    return {"schema": 1, "probes": [_archived(each) for each in kept]}


def _archived(each: Archived) -> dict[str, Any]:
    plan, result = each.result.plan, each.result
    return {
        "file": each.place,
        "began": result.began,
        "urls": list(plan.urls),
        "model": plan.model,
        "recipe": plan.recipe,
        "scenario": plan.scenario,
        "prompt_tokens": plan.prompt_tokens,
        "output_tokens": plan.output_tokens,
        "steps": [step.amount for step in plan.steps],
        "why": plan.why,
        "knee": {"concurrency": result.knee.concurrency, "limit": result.knee.limit, "why": result.knee.why},
        "goodput": result.goodput.requests_per_s,
        "stopped": result.stopped,
    }
