"""What is drawn of a probe, on the page and in the files: three curves over one axis of loads."""

from __future__ import annotations

from math import log2
from typing import TYPE_CHECKING, NamedTuple

from perfconsole.view.probetable import step_names
from perfconsole.view.probewords import step_name

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from perfconsole.model.probeplan import Step
    from perfconsole.model.proberesult import Knee, Spread, StepResult
    from perfconsole.model.probeview import ProbeView

_WIDE = 12.0
"""Highest / lowest value above which a latency is drawn on a logarithmic axis: the low ones would be no height."""

Series = tuple[float | None, ...]


class Axis(NamedTuple):
    """The loads, from left to right."""

    names: tuple[str, ...]
    places: tuple[float, ...]
    """0 to 1: by the logarithm of the load where it rises, else one after the other."""
    knee: int | None = None
    void: frozenset[int] = frozenset()
    """Steps that are not valid."""
    now: int | None = None
    """The step under way."""
    rises: bool = True
    """Every load is more of the same; else a line from one to the next would say what nobody measured."""


class Curve(NamedTuple):
    """One quantity over the loads."""

    title: str
    unit: str
    lines: tuple[str, ...]
    """Names of its lines: p50, p95."""
    values: tuple[Series, ...]
    """A series for each line, a value for each load; None where there is none."""
    log: bool = False


class Curves(NamedTuple):
    """All of it."""

    axis: Axis
    throughput: Curve
    ttft: Curve
    itl: Curve

    @property
    def all(self) -> tuple[Curve, Curve, Curve]:
        """In the order in which they are looked at."""
        return self.throughput, self.ttft, self.itl


def result_curves(
    steps: Sequence[StepResult], knee: Knee | None, parts: tuple[str, ...] = ("p50", "p95", "p99")
) -> Curves:
    """Curves of a probe that has ended, with all percentiles. Of a load that came again the first one is drawn.

    Loads stand in rising order, whichever came first: the knee is looked at closer at the end.
    """
    first: dict[object, StepResult] = {}
    for result in steps:
        first.setdefault(_key(result.step), result)
    rising = sorted(first.values(), key=lambda result: result.step.amount)
    steps = rising if _rises([result.step for result in rising]) else list(first.values())
    loads = [result.step for result in steps]
    places, rises = _places(loads)
    axis = Axis(tuple(step_names(steps)), places, _knee_at(steps, knee), _void(steps), rises=rises)
    return _curves(axis, steps, range(len(steps)), parts)


def growing_curves(view: ProbeView) -> Curves:
    """Curves over the loads of the plan while they are filled, over those that were reached when it is done."""
    if view.done:
        return result_curves(view.steps, view.knee, ("p50", "p95"))
    loads = _loads(view)
    where = {_key(step): place for place, step in enumerate(loads)}
    at = [where[_key(result.step)] for result in view.steps]
    now = where[_key(view.now.step)] if view.now else None
    void = frozenset(at[place] for place in _void(view.steps))
    knee = _knee_at(view.steps, view.knee)
    names = tuple(step_name(step) for step in loads)
    places, rises = _places(loads)
    axis = Axis(names, places, None if knee is None else at[knee], void, now, rises)
    curves = _curves(axis, view.steps, at, ("p50", "p95"))
    return _with_now(curves, view) if view.now else curves


def _loads(view: ProbeView) -> list[Step]:
    """Those of the plan and those that came in between (a knee is looked at closer), without repeats, rising."""
    seen = (*view.plan.steps, *(result.step for result in view.steps), *((view.now.step,) if view.now else ()))
    loads = list({_key(step): step for step in seen}.values())
    ordered = sorted(loads, key=lambda step: step.amount)
    return ordered if _rises(ordered) else loads


def _key(step: Step) -> tuple[str, str, int, float]:
    """What makes it a load of its own; how long it lasts does not."""
    return step.shape, step.label, step.target, step.amount


def _rises(loads: Sequence[Step]) -> bool:
    """Every load is more of the same kind than the one before."""
    alike = len({(step.shape, step.label, step.target) for step in loads}) <= 1
    amounts = [step.amount for step in loads]
    return alike and amounts == sorted(set(amounts)) and all(amount > 0 for amount in amounts)


def _places(loads: Sequence[Step]) -> tuple[tuple[float, ...], bool]:
    """Places from 0 to 1, and whether the loads rise."""
    amounts, last = [step.amount for step in loads], max(1, len(loads) - 1)
    if not _rises(loads):
        return tuple(place / last for place in range(len(loads))), False
    if len(loads) < 2:
        return (0.0,) * len(loads), True
    low, high = log2(amounts[0]), log2(amounts[-1])
    return tuple((log2(amount) - low) / (high - low) for amount in amounts), True


def _knee_at(steps: Sequence[StepResult], knee: Knee | None) -> int | None:
    if knee is None or knee.concurrency is None:
        return None
    at = (place for place, r in enumerate(steps) if r.step.amount == knee.concurrency and r.valid and not r.step.label)
    return next(at, None)


def _void(steps: Sequence[StepResult]) -> frozenset[int]:
    return frozenset(place for place, result in enumerate(steps) if not result.valid)


def _curves(axis: Axis, steps: Sequence[StepResult], at: Sequence[int], parts: tuple[str, ...]) -> Curves:
    """The values of steps at their places on the axis."""

    def series(take: Callable[[StepResult], float | None]) -> Series:
        values: list[float | None] = [None] * len(axis.names)
        for place, result in zip(at, steps, strict=True):
            values[place] = take(result) if values[place] is None else values[place]
        return tuple(values)

    def spread(title: str, parts: tuple[str, ...], take: Callable[[StepResult], Spread]) -> Curve:
        values = tuple(series(lambda result, part=part: getattr(take(result), part)) for part in parts)  # type: ignore[misc]  # a default binds the part
        return Curve(title, "s", parts, values, _is_wide(values))

    return Curves(
        axis,
        Curve("output tokens/s", "tokens/s", ("",), (series(lambda r: r.output_tokens_per_s),)),
        spread("TTFT", parts, lambda r: r.ttft),
        spread("ITL", ("p50", "p99"), lambda r: r.itl),
    )


def _is_wide(values: Sequence[Series]) -> bool:
    known = [value for series in values for value in series if value is not None and value > 0]
    return bool(known) and max(known) / min(known) > _WIDE


def _with_now(curves: Curves, view: ProbeView) -> Curves:
    """What the step under way says so far, at its place if that is still free."""
    place, now = curves.axis.now, view.now
    if place is None or now is None:
        return curves

    def at(series: Series, value: float | None) -> Series:
        return series if value is None or series[place] is not None else (*series[:place], value, *series[place + 1 :])

    rate, (p50, *rest) = curves.throughput, curves.ttft.values
    values = (at(p50, now.ttft_p50), *rest)
    return curves._replace(
        throughput=rate._replace(values=(at(rate.values[0], now.tokens_per_s),)),
        ttft=curves.ttft._replace(values=values, log=_is_wide(values)),
    )
