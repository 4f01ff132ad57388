"""What a person is told and asked before the first request: what is sent where, its cost, and what runs there now."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from perfconsole.errors import UsageError
from perfconsole.view.plain import plain
from perfconsole.view.probechoice import traffic_words
from perfconsole.view.probewords import cap_words, ladder_words, length_words, scenario_words, slo_words, tokens_words
from perfconsole.view.units import duration

if TYPE_CHECKING:
    from collections.abc import Iterator

    from perfconsole.model.probeask import ProbeAsk

_LABEL = 10


def ask_lines(ask: ProbeAsk) -> Iterator[str]:
    """The text, line by line."""
    plan, worst = ask.plan, ask.worst
    yield f"perfconsole probe {plan.recipe}: load for {', then '.join(plan.urls)}, model {plan.model}"
    for label, text in _rows(ask):
        yield f"  {label:{_LABEL}} {text}"
    yield (
        f"  {'at worst':{_LABEL}} {worst.requests:,} requests, {worst.prompt_tokens:,} prompt and "
        f"{worst.output_tokens:,} output tokens, {duration(worst.seconds)}"
    )
    for warning in ask.warnings:
        yield f"  {'careful':{_LABEL}} {warning}"


def _rows(ask: ProbeAsk) -> Iterator[tuple[str, str]]:
    plan = ask.plan
    lengths = f"; {length_words(plan)}" if length_words(plan) else ""
    often = f"; all of it {plan.runs} times" if plan.runs > 1 else ""
    yield "requests", f"{scenario_words(plan)}; {tokens_words(plan)}"
    yield "ladder", f"{ladder_words(plan)}{lengths}{often}"
    if plan.shed_s is not None:
        yield "then", f"a pause of {duration(plan.shed_s)}, and the first step again"
    yield "promise", slo_words(plan.slo)
    yield "stops", cap_words(plan)
    yield "traffic", traffic_words(ask.traffic)


def confirmed(ask: ProbeAsk, *, yes: bool, quiet: bool) -> bool:
    """Say it, and ask on a terminal; UsageError where there is none to ask on, or where it must not start."""
    if ask.refusals:
        raise UsageError(f"not started: {'; '.join(ask.refusals)}")
    if not (yes and quiet):
        for line in ask_lines(ask):
            sys.stderr.write(f"{plain(line)}\n")
    if yes:
        return True
    require_terminal()
    sys.stderr.write("Start? [y/N] ")
    sys.stderr.flush()
    return sys.stdin.readline().strip().lower() in ("y", "yes")


def require_terminal() -> None:
    """UsageError where nobody can be asked."""
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise UsageError("this sends load to the target, and there is no terminal to ask on: add --yes")
