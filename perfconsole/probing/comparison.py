"""Two results side by side: what changed around them, and which differences are more than noise."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from perfconsole.model.probecomparison import Difference, Outcome, ProbeComparison, Setting
from perfconsole.probing.metrics import METRICS
from perfconsole.probing.noise import noise_of
from perfconsole.probing.tables import to_json
from perfconsole.probing.words import amount, share

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from perfconsole.model.probeplan import Shape, Step
    from perfconsole.model.proberesult import ProbeResult, StepResult
    from perfconsole.probing.metrics import Metric

    Key = tuple[Shape, float, int, str]

_BLIND = 0.25
"""Noise above which no change within it proves that nothing changed."""


def compared(before: ProbeResult, after: ProbeResult) -> ProbeComparison:
    """What changed from one to the other."""
    old, new = _by_key(before), _by_key(after)
    both = [key for key in old if key in new]
    pairs = [((before, old[key]), (after, new[key])) for key in both]
    per_step = [_of_step(metric, *pair) for pair in pairs for metric in METRICS.values() if not metric.whole]
    every = (*per_step, _knee(before, after), _goodput(before, after))
    known = (d for d in every if d.before is not None or d.after is not None)
    return ProbeComparison(
        environment=tuple(_settings(before.environment, after.environment)),
        plan=tuple(_settings(_plan(before), _plan(after))),
        differences=tuple(known),
        notes=tuple(_only(old, new, "before")) + tuple(_only(new, old, "after")),
    )


def _by_key(result: ProbeResult) -> dict[Key, StepResult]:
    """Steps of one kind, load, target and label, in rising load; of a step that is repeated the first."""
    found: dict[Key, StepResult] = {}
    for s in result.steps:
        found.setdefault((s.step.shape, s.step.amount, s.step.target, s.step.label), s)
    return dict(sorted(found.items()))


def _settings(before: Mapping[str, str], after: Mapping[str, str]) -> Iterator[Setting]:
    for name in sorted(before.keys() | after.keys()):
        if before.get(name) != after.get(name):
            yield Setting(name, before.get(name), after.get(name))


def _plan(result: ProbeResult) -> dict[str, str]:
    """Everything that was asked for, flat; not why it was asked, nor the seed, which is another in every probe."""
    table = to_json(result.plan)
    del table["why"], table["seed"]
    table["steps"] = [f"{s.shape} {amount(s.amount)} {s.label}".strip() for s in result.plan.steps]
    inner = {f"{name}.{key}": v for name in ("slo", "caps") for key, v in table.pop(name).items()}
    return {name: _worded(value) for name, value in {**table, **inner}.items()}


def _worded(value: object) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else "none" if value is None else str(value)


def _of_step(
    metric: Metric, before: tuple[ProbeResult, StepResult], after: tuple[ProbeResult, StepResult]
) -> Difference:
    old, new = metric.of_step(before[1]), metric.of_step(after[1])
    noise, source = noise_of(metric, (before, after))
    invalid = next((s.why for _, s in (before, after) if not s.valid), None)
    return _difference(metric, before[1].step, (old, new), noise, (source, invalid))


def _goodput(before: ProbeResult, after: ProbeResult) -> Difference:
    """As sure as the throughput of the steps at which it was seen."""
    sides = [
        (result, s)
        for result in (before, after)
        for s in _by_key(result).values()
        if s.step.amount == result.goodput.concurrency
    ][:2]
    noise, source = noise_of(METRICS["output_tokens_per_s"], sides) if len(sides) == 2 else (None, "")
    values = (before.goodput.requests_per_s, after.goodput.requests_per_s)
    return _difference(METRICS["goodput"], None, values, noise, (source, None))


def _knee(before: ProbeResult, after: ProbeResult) -> Difference:
    """A knee is known to one step: the next one may be no other."""
    old, new = before.knee.concurrency, after.knee.concurrency
    found = _difference(METRICS["knee"], None, (old, new), 0.0, ("", None))
    if old is None or new is None or old == new:
        return found
    loads = {s.step.amount for result in (before, after) for s in result.steps}
    between = sum(min(old, new) < load < max(old, new) for load in loads)
    if between:
        return found
    return replace(found, noise=None, outcome=Outcome.UNSURE, why="one step apart, and a knee is known to one step")


def _difference(
    metric: Metric,
    step: Step | None,
    values: tuple[float | None, float | None],
    noise: float | None,
    told: tuple[str, str | None],
) -> Difference:
    """`told` is where the noise is from, and why one of the steps is not valid."""
    source, invalid = told
    change = _change(metric, *values)
    outcome, why = _outcome(metric, change, noise), source
    if invalid is not None:
        outcome, why = Outcome.UNSURE, f"a step is not valid: {invalid}"
    elif change is None:
        why = "no value before" if values[0] is None else "no value after" if values[1] is None else "nothing before"
    elif noise is None:
        why = "nothing tells by how much two runs would differ"
    elif outcome is Outcome.UNSURE:
        why = f"two runs may differ by {share(noise)}"
    return Difference(metric.name, step, *values, change, noise, outcome, why, invalid is not None)


def _change(metric: Metric, before: float | None, after: float | None) -> float | None:
    if before is None or after is None:
        return None
    if metric.share or before == after:
        return after - before
    return after / before - 1 if before > 0 else None


def _outcome(metric: Metric, change: float | None, noise: float | None) -> Outcome:
    if change is None or noise is None:
        return Outcome.UNSURE
    if abs(change) > noise:
        return Outcome.WORSE if (change > 0) == metric.rises else Outcome.BETTER
    return Outcome.SAME if noise <= _BLIND else Outcome.UNSURE


def _only(here: Mapping[Key, StepResult], there: Mapping[Key, StepResult], when: str) -> Iterator[str]:
    """Steps that were measured only once."""
    for key, s in here.items():
        if key not in there:
            yield f"step {' '.join(filter(None, (s.step.shape, amount(s.step.amount), s.step.label)))} only {when}"
