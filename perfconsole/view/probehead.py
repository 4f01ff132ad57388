"""The first rows of the page of a probe: how far it is and what the layers do under it, or what it found."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfconsole.view.canvas import Row, Span, fit, row
from perfconsole.view.probewords import capacity_words, ended_words, headline, knee_words, load_words
from perfconsole.view.readings import joined
from perfconsole.view.sparks import bar
from perfconsole.view.spelling import fitted
from perfconsole.view.units import duration, number, shown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from perfconsole.model.probeview import LayerNow, ProbeView, StepNow
    from perfconsole.view.scrolling import Paper

_BAR = 24


def title_span(view: ProbeView, paper: Paper) -> Span:
    """Where it is; the key that matters while it runs."""
    if not view.done:
        return Span(f"PROBE {paper.clean(view.phase)}  any key stops it", "head")
    return Span("PROBE STOPPED before its end", "warn") if view.stopped else Span("PROBE DONE", "head")


def head_rows(view: ProbeView, paper: Paper) -> list[Row]:
    """Progress while it runs, the verdict when it has ended."""
    return list(_found(view, paper) if view.done else _running(view, paper))


def _running(view: ProbeView, paper: Paper) -> Iterator[Row]:
    share = view.took_s / (view.took_s + view.left_s) if view.left_s and view.took_s > 0 else None
    drawn = [Span(f"{bar(share, _BAR, paper.glyphs)}  ", "value")] if share is not None else []
    left = f", {duration(round(view.left_s))} left at most" if view.left_s is not None else ""
    time = Span(f"{duration(round(view.took_s))}{left}", "value")
    what = Span(
        f"  {paper.clean(view.plan.scenario)} to {paper.clean(view.plan.urls[0] if view.plan.urls else '')}", "dim"
    )
    yield fit((*drawn, time, what), paper.columns, paper.glyphs.more)
    if view.now:
        yield fit(row(_now_words(view.now)), paper.columns, paper.glyphs.more)
    if view.knee and view.knee.concurrency is not None:
        yield fit(
            row((paper.clean(knee_words(view.plan, view.knee, view.steps)), "head")), paper.columns, paper.glyphs.more
        )
    label = max((len(layer.layer) for layer in view.layers), default=0)
    for layer in view.layers:
        yield _layer(layer, label, paper)


def _now_words(now: StepNow) -> str:
    of = f" of {number(now.step.requests)}" if now.step.requests is not None else ""
    requests = f"request{'s' * ((now.step.requests or now.done) != 1)}"
    errors = f"{now.errors} error{'s' * (now.errors != 1)}"
    load = load_words(now.step.shape, number(now.step.amount))
    return f"{load}: {number(now.done)}{of} {requests}, {errors}, {number(now.inflight)} in flight"


def _layer(layer: LayerNow, label: int, paper: Paper) -> Row:
    """One layer under the load, in one row; `label` is the width of the widest name."""
    said = [row((f"{name} ", "dim"), (shown(value, unit), "value")) for name, value, unit in layer.readings]
    return fitted((Span(f"{layer.layer:{label}}  ", "head"), *joined(said)), paper.columns, paper.glyphs)


def _found(view: ProbeView, paper: Paper) -> Iterator[Row]:
    if view.stopped:
        yield from paper.labelled("stopped", view.stopped, "warn")
    told = view.knee is not None and view.knee.limit == "client"
    yield from paper.text(headline(view.plan, view.knee, view.steps, view.indicators), "warn" if told else "head")
    if ended := ended_words(view.notes):
        yield from paper.labelled("ended", ended)
    if view.meaning:
        yield from paper.labelled("the finding", view.meaning, "value")
    for name, words in capacity_words(view.plan, view.goodput, view.headroom):
        yield from paper.labelled(name, words)
