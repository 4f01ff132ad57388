"""A result as a document: headings, pairs and tables in plain words, which the files write down each in its form."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from perfconsole.view.plain import plain
from perfconsole.view.probelimits import limits
from perfconsole.view.probereport import summary, when
from perfconsole.view.probespreads import spread_rows
from perfconsole.view.probetable import ENGINE, HONESTY, latencies, step_names, step_notes
from perfconsole.view.probewords import (
    DEFINITIONS,
    RECIPE_WORDS,
    WITHHELD,
    axis_words,
    cap_words,
    capacity_words,
    headline,
    ladder_words,
    length_words,
    mark_word,
    reasons,
    scenario_words,
    slo_words,
    threshold_words,
    tokens_words,
    value_words,
)
from perfconsole.view.units import duration

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from perfconsole.model.proberesult import ProbeResult
    from perfconsole.view.probetable import Column

Pairs = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Table:
    """Numbers of all steps."""

    title: str
    about: str
    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Document:
    """Everything that is said of a probe. All text in it is harmless on a terminal; nothing is escaped for a form."""

    title: str
    verdict: str
    result: Pairs
    tables: tuple[Table, ...]
    lists: tuple[tuple[str, Pairs], ...]
    limits: tuple[str, ...]


def document(result: ProbeResult, meaning: str = "") -> Document:
    """The document; `meaning` is what it says of the finding that asked for it."""
    plan = result.plan
    lists = (
        ("About the steps", tuple(step_notes(result.steps))),
        ("Where it turns", tuple(threshold_words(plan, result.thresholds, result.steps))),
        ("What that rests on", tuple(reasons(plan, result.goodput, result.headroom))),
        ("Values for rules", tuple((name, value_words(name, value)) for name, value in result.indicators.items())),
        ("What was sent", tuple(_plan_pairs(result))),
        ("Environment", tuple(sorted(result.environment.items()))),
        ("What the words mean", DEFINITIONS),
    )
    return Document(
        title=plain(f"Probe of {', '.join(plan.urls)}"),
        verdict=plain(headline(plan, result.knee, result.steps, result.indicators)),
        result=_clean(tuple(_result_pairs(result, meaning))),
        tables=tuple(_tables(result)) if result.steps else (),
        lists=tuple((title, _clean(pairs)) for title, pairs in lists if pairs),
        limits=tuple(plain(words) for words in limits(result)),
    )


def _clean(pairs: Pairs) -> Pairs:
    return tuple((plain(word), plain(text)) for word, text in pairs)


def _result_pairs(result: ProbeResult, meaning: str) -> Iterator[tuple[str, str]]:
    if result.stopped:
        yield "stopped", result.stopped
    if result.plan.why:
        yield "asked by", result.plan.why
    if meaning:
        yield "the finding", meaning
    yield from capacity_words(result.plan, result.goodput, result.headroom)
    errors, counted = sum(step.errors for step in result.steps), sum(step.requests for step in result.steps)
    yield "errors", f"{errors} of {counted} counted requests"
    yield "when", f"{when(result.began)}, {duration(round(result.took_s))}"
    yield "in one line", summary(result)


def _tables(result: ProbeResult) -> Iterator[Table]:
    loads = f"The load is {axis_words(result.plan)}."
    yield _table("Steps", f"Times in milliseconds. {loads} Errors are in no latency.", latencies(result.steps), result)
    yield _table(
        "The client itself",
        "How far the client was in the way; ! is more than it should be; +- is the client against the engine itself.",
        HONESTY,
        result,
    )
    yield _table(
        "The burst, and the engine by itself",
        "The burst is the requests that start together. The rest is the engine's own histograms of the same stretch.",
        ENGINE,
        result,
    )
    heads, *rows = spread_rows(result.steps)
    about = f"Times in milliseconds, with the number of samples: requests, of ITL tokens. {WITHHELD}."
    yield Table("Distributions", about, (*heads, ""), tuple((*map(plain, row), "") for row in rows))


def _table(title: str, about: str, columns: Sequence[Column], result: ProbeResult) -> Table:
    """Percentiles carry their unit in the heading; the word of a step stands in the last column."""
    heads = [f"{column.head} {column.unit}".strip() for column in columns]
    rows = [
        (plain(name), *(column.cell(step).text for column in columns), mark_word(step, result.knee))
        for name, step in zip(step_names(result.steps), result.steps, strict=True)
    ]
    return Table(title, about, ("load", *heads, ""), tuple(rows))


def _plan_pairs(result: ProbeResult) -> Iterator[tuple[str, str]]:
    plan = result.plan
    yield "target", ", then ".join(plan.urls)
    yield "model", f"{plan.model or 'not known'}, {plan.api}"
    yield "recipe", f"{plan.recipe}: {RECIPE_WORDS.get(plan.recipe, '')}".removesuffix(": ")
    yield "requests", f"{scenario_words(plan)}; {tokens_words(plan)}"
    yield "ladder", "; ".join(words for words in (ladder_words(plan), length_words(plan)) if words)
    yield "warm-up", f"{plan.warmup} requests that are not counted"
    if plan.runs > 1:
        yield "runs", f"{plan.runs}, medians count"
    yield "promise", slo_words(plan.slo)
    yield "stops itself", cap_words(plan)
    yield "seed", str(plan.seed)
    yield (
        "sent",
        f"{result.requests:,} requests, {result.prompt_tokens:,} prompt and {result.output_tokens:,} output tokens",
    )
    for note in result.notes:
        yield "note", note
