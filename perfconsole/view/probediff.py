"""Two results of a probe side by side, in lines: what is worse, what is better, what changed around them."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from perfconsole.model.probecomparison import Outcome
from perfconsole.view.probewords import step_name
from perfconsole.view.report_text import Line
from perfconsole.view.units import duration, number

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from perfconsole.model.probecomparison import Difference, Gate, ProbeComparison, Setting

_STYLES = {Outcome.WORSE: "critical", Outcome.BETTER: "info", Outcome.SAME: "dim", Outcome.UNSURE: "warn"}
_ORDER = (Outcome.WORSE, Outcome.BETTER, Outcome.UNSURE, Outcome.SAME)
_NAMED = 3
"""Numbers that are named of those that share a reason: they tell which step it is."""
_RATES = {"output_tokens_per_s": "tokens/s", "requests_per_s": "requests/s", "goodput_per_s": "requests/s"}
_WHOLE = {"knee": "", "goodput": " requests/s"}
_SHARE = "error_ratio"
_NAME = 26
_INDENT = 11


def comparison_lines(
    found: ProbeComparison, before: str, after: str, gates: Sequence[Gate] = (), *, every: bool = False
) -> Iterator[Line]:
    """The report: limits that were set, then what is worse and better, then what changed around them.

    `before` and `after` are the names of the two; with `every` what is the same is listed too.
    """
    yield Line(f"perfconsole probe compare  {before}  {after}", "head")
    yield Line(tally(found), "warn" if _count(found, Outcome.WORSE) else "info")
    for gate in gates:
        yield from _gate(gate)
    for outcome in _ORDER:
        yield from _outcome(found, outcome, every=every)
    yield from _settings("ENVIRONMENT  what is not the same", found.environment)
    yield from _settings("PLAN  what is not the same: such results are no fair pair", found.plan)
    for note in found.notes:
        yield Line(f"{'note':{_INDENT - 1}} {note}", "dim", indent=_INDENT)


def tally(found: ProbeComparison) -> str:
    """`3 worse, 1 better, 28 the same within what runs differ by, 4 cannot be told`."""
    words = {
        Outcome.WORSE: "worse",
        Outcome.BETTER: "better",
        Outcome.SAME: "the same within what two runs differ by",
        Outcome.UNSURE: "cannot be told",
    }
    return ", ".join(f"{_count(found, outcome)} {said}" for outcome, said in words.items())


def _count(found: ProbeComparison, outcome: Outcome) -> int:
    return sum(difference.outcome is outcome for difference in found.differences)


def _gate(gate: Gate) -> Iterator[Line]:
    """Failed, kept, or that something could not be checked: that is no pass."""
    rule = str(gate.rule)
    if gate.passed:
        told = ", ".join(f"{_place(d)} {change_words(d)}" for d in gate.passed)
        yield Line(f"{'FAILED':{_INDENT - 1}} {rule}: {told}", "critical", indent=_INDENT)
    elif gate.unchecked:
        told = ", ".join(f"{_place(d)} {d.why}" for d in gate.unchecked)
        yield Line(f"{'unchecked':{_INDENT - 1}} {rule}: {told}", "warn", indent=_INDENT)
    elif not gate.compared:
        yield Line(
            f"{'unchecked':{_INDENT - 1}} {rule}: no step of both has it (p95 needs 20 requests, p99 100)",
            "warn",
            indent=_INDENT,
        )
    else:
        yield Line(f"{'kept':{_INDENT - 1}} {rule}", "info", indent=_INDENT)


def _place(difference: Difference) -> str:
    return f"at {step_name(difference.step)}" if difference.step else "in all"


def _outcome(found: ProbeComparison, outcome: Outcome, *, every: bool) -> Iterator[Line]:
    chosen = [difference for difference in found.differences if difference.outcome is outcome]
    if not chosen or (outcome is Outcome.SAME and not every):
        return
    yield Line("")
    yield Line(f"{outcome.upper()}", "head")
    if outcome is Outcome.UNSURE and not every:
        yield from _unsure(chosen)
        return
    for difference in chosen:
        yield Line(f"  {difference_words(difference)}", _STYLES[outcome], indent=_NAME + 3)


def _unsure(chosen: Sequence[Difference]) -> Iterator[Line]:
    """One line a reason: whole steps have the same one."""
    ordered = sorted(chosen, key=lambda d: d.why)
    for why, group in groupby(ordered, key=lambda d: d.why):
        names = [f"{d.metric}{f' {_place(d)}' if d.step else ''}" for d in group]
        more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
        yield Line(f"  {why}: {', '.join(names[:_NAMED])}{more}", "warn", indent=4)


def difference_words(difference: Difference) -> str:
    """`ttft_p95 at 16   73.8 ms -> 98 ms  +33% (two runs may differ by 5%, from the samples)`."""
    name = f"{difference.metric} {_place(difference) if difference.step else ''}".strip()
    sides = f"{value_of(difference, difference.before)} -> {value_of(difference, difference.after)}"
    noise = f" (two runs may differ by {difference.noise * 100:.2g}%" if difference.noise is not None else ""
    why = f", {difference.why})" if noise and difference.why else ")" if noise else ""
    reason = f"  {difference.why}" if not noise and difference.why else ""
    return f"{name:{_NAME}} {sides}  {change_words(difference)}{noise}{why}{reason}"


def value_of(difference: Difference, value: float | None) -> str:
    """One side of it in its unit; `none` where that side has no such number."""
    if value is None:
        return "none"
    if difference.metric == _SHARE:
        return f"{number(value * 100)}%"
    if difference.metric in _WHOLE:
        return f"{number(value)}{_WHOLE[difference.metric]}"
    return f"{number(value)} {_RATES[difference.metric]}" if difference.metric in _RATES else duration(value)


def change_words(difference: Difference) -> str:
    """`+33%`; of a share its points."""
    if difference.change is None:
        return "no change can be said"
    unit = " points" if difference.metric == _SHARE else "%"
    return f"{difference.change * 100:+.3g}{unit}"


def _settings(title: str, settings: Sequence[Setting]) -> Iterator[Line]:
    if not settings:
        return
    yield Line("")
    yield Line(title, "head")
    for setting in settings:
        sides = (side if side is not None else "none" for side in (setting.before, setting.after))
        yield Line(f"  {setting.name:{_NAME}} {' -> '.join(sides)}", indent=_NAME + 3)
