"""What a probe says, as values of the dictionary: they confirm or refute the finding that asked.

A value that rests on a step which the client limited is left out, but for the one that tells of the client.
"""

from __future__ import annotations

from statistics import median
from typing import TYPE_CHECKING

from perfconsole.model.dictionary import DEFAULT, SUFFIXES
from perfconsole.model.entity import Kind
from perfconsole.model.probeplan import (
    COMPARE_VARIANTS,
    NEW_CONNECTIONS,
    REPEAT_PROMPT,
    STEP_LOAD,
    THROUGH_AND_AROUND,
    Shape,
)
from perfconsole.model.sample import ACTION, Batch, Sample, SeriesKey
from perfconsole.probing.ladder import ladder, throughput

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from perfconsole.model.entity import Entity
    from perfconsole.model.proberesult import ProbeResult, Spread, StepResult

    Steps = Sequence[StepResult]
    Values = Iterator[tuple[str, float | None]]

VALID_S = 600.0
"""How long the result of an action counts."""
_STALE_CADENCES = 3.0
_STAYED = 2.0
_SAME_SPEED = 1.1
_LEAST_ADDER_S = 0.005
"""As of the derived indicator: an adder below is noise, and so is its growth."""


def indicators_of(result: ProbeResult) -> dict[str, float]:
    """Value of each indicator that the recipe fills and that the steps can tell, by name; in base units."""
    sound = [s for s in result.steps if not s.client_limited and not s.cut]
    requests = sum(s.requests for s in sound)
    found: dict[str, float | None] = {
        "probe.error_ratio": sum(s.errors for s in sound) / requests if requests else None,
        "probe.late_ratio": _late_ratio(result.steps),
        **dict(_RECIPES[result.plan.recipe](result, sound)),
    }
    return {name: value for name, value in found.items() if value is not None}


def probe_batch(values: Mapping[str, float], about: Iterable[Entity], now: float, wall: float) -> Batch:
    """The values for each entity that they are about; they go stale after ten minutes.

    A later probe of the same entity replaces all of them: who wants to keep those of another recipe hands both over. A
    value of a gateway is for gateways only.
    """
    entities = tuple(about)
    samples = tuple(
        Sample(SeriesKey(name, entity), value)
        for entity in entities
        for name, value in sorted(values.items())
        if _is_of(name, entity)
    )
    return Batch(
        source=f"probe of {entities[0]}" if entities else "probe",
        kind=ACTION,
        t=now,
        wall=wall,
        cadence_s=VALID_S / _STALE_CADENCES,
        samples=samples,
        took_s=0.0,
        entities=entities,
    )


def _is_of(name: str, entity: Entity) -> bool:
    entry = DEFAULT.find(name)
    return entry is not None and entry.scope in (Kind.TARGET, entity.kind)


def _late_ratio(steps: Steps) -> float | None:
    """Over all steps: it is what voids them."""
    known = [(s.client.late, s.requests) for s in steps if s.client.late is not None]
    requests = sum(count for _, count in known)
    return sum(late * count for late, count in known) / requests if requests else None


def _step_load(result: ProbeResult, sound: Steps) -> Values:
    rungs = tuple(s for s in ladder(result.steps) if not s.cut)
    yield from _latencies(rungs)
    speeds = [s.output_tokens_per_s for s in sound if s.output_tokens_per_s is not None]
    yield "probe.generation_rate", max(speeds, default=None)
    if rungs and not rungs[-1].client_limited:
        # Where the client spoiled the top, the steps below would speak as if they were the last.
        told = [s for s in rungs if not s.client_limited]
        yield "probe.knee", _stayed([s for s in told if s.step.shape is Shape.CONCURRENCY])
        yield "probe.throughput_gain", _gain(told)
    if result.plan.shed_s is not None:
        yield "probe.recovered", _recovered(result.steps)


def _latencies(steps: Steps) -> Values:
    """Of the first one: that of the lowest load."""
    if steps and not steps[0].client_limited:
        yield from _suffixed("probe.ttft", steps[0].ttft)
        yield from _suffixed("probe.itl", steps[0].itl)
        yield from _suffixed("probe.e2e", steps[0].e2e)


def _suffixed(name: str, spread: Spread) -> Values:
    return ((f"{name}.{suffix}", getattr(spread, suffix)) for suffix in SUFFIXES)


def _stayed(rungs: Steps) -> float | None:
    """Highest load up to which TTFT p95 stayed below twice the lowest load's; p90 where p95 is withheld somewhere."""
    column = [s.ttft.p95 for s in rungs]
    tails = column if None not in column else [s.ttft.p90 for s in rungs]
    if not rungs or tails[0] is None:
        return None
    knee = rungs[0].step.amount
    for s, tail in zip(rungs[1:], tails[1:], strict=True):
        if tail is None or tail >= _STAYED * tails[0]:
            break
        knee = s.step.amount
    return knee


def _gain(rungs: Steps) -> float | None:
    """Throughput at the highest load by that at half of it or less, minus 1."""
    if not rungs:
        return None
    speeds = throughput(rungs)
    half = [speed for s, speed in zip(rungs, speeds, strict=True) if s.step.amount <= rungs[-1].step.amount / 2]
    return speeds[-1] / half[-1] - 1 if half and half[-1] > 0 else None


def _recovered(steps: Steps) -> float | None:
    """1 where the first step, repeated at the end, is as quick as it was; 0 where it is slower."""
    if len(steps) < 2:
        return None
    first, last = steps[0], steps[-1]
    same = (first.step.shape, first.step.amount) == (last.step.shape, last.step.amount)
    if not same or first.client_limited or last.client_limited or last.cut:
        return None
    before, after = first.tpot.p50 or first.e2e.p50, last.tpot.p50 or last.e2e.p50
    return None if before is None or after is None else float(after <= _SAME_SPEED * before)


def _repeat_prompt(_: ProbeResult, sound: Steps) -> Values:
    first, repeat = _labelled(sound, "first"), _labelled(sound, "repeat")
    yield from _latencies(first)
    yield "probe.ttft_repeat_ratio", _by(_ttft(first), _ttft(repeat))
    yield "probe.prefix_hit_ratio", _middle(repeat, _hit_ratio)


def _hit_ratio(s: StepResult) -> float | None:
    """By the usage of these very requests; where it does not say, by the engine's counters."""
    return s.cached_ratio if s.cached_ratio is not None or s.server is None else s.server.prefix_hit_ratio


def _compare_variants(_: ProbeResult, sound: Steps) -> Values:
    yield "probe.neutral_speedup", _by(_speed(_labelled(sound, "neutral")), _speed(_labelled(sound, "default")))
    yield "probe.plain_speedup", _by(_speed(_labelled(sound, "plain")), _speed(_labelled(sound, "schema")))
    yield "probe.text_speedup", _by(_ttft(_labelled(sound, "media")), _ttft(_labelled(sound, "text")))
    usual = next(filter(None, (_labelled(sound, label) for label in ("default", "plain", "text"))), [])
    yield "probe.itl_growth", _middle(usual, lambda s: s.itl_growth)


def _through_and_around(_: ProbeResult, sound: Steps) -> Values:
    through, around = _labelled(sound, "through"), _labelled(sound, "around")
    yield from _latencies(through)
    yield "probe.bypass_ttft_ratio", _by(_ttft(through), _ttft(around))
    yield "probe.chunk_burst_ratio", _middle(through, lambda s: s.close_ratio)
    yield "gateway.adder_growth", _adder_growth(sound)


def _adder_growth(sound: Steps) -> float | None:
    """What the way through adds to TTFT p50 at the middle load, by what it adds at the lowest."""
    adders: list[float] = []
    for load in sorted({s.step.amount for s in sound}):
        held = [s for s in sound if s.step.amount == load]
        through, around = (_ttft([s for s in held if s.step.label == label]) for label in ("through", "around"))
        if through is not None and around is not None:
            adders.append(through - around)
    if len(adders) < 2:
        return None
    lowest, middle = adders[0], adders[len(adders) // 2]
    return middle / lowest if min(lowest, middle) >= _LEAST_ADDER_S else None


def _new_connections(_: ProbeResult, sound: Steps) -> Values:
    """The slowest stands for a p99 that is withheld: few are opened, and one of 50 that takes 1 s is the trouble."""
    for name, spread in (("probe.connect", [s.connect for s in sound]), ("probe.resolve", [s.resolve for s in sound])):
        known = [one for one in spread if one.n]
        for one in known[:1]:
            yield from _suffixed(name, one)
            yield f"{name}.p99", one.max if one.p99 is None else one.p99


def _labelled(steps: Steps, label: str) -> Steps:
    """Steps of that label with the lowest load of them."""
    found = [s for s in steps if s.step.label == label]
    lowest = min((s.step.amount for s in found), default=0.0)
    return [s for s in found if s.step.amount == lowest]


def _middle(steps: Steps, metric: Callable[[StepResult], float | None]) -> float | None:
    known = [value for s in steps if (value := metric(s)) is not None]
    return median(known) if known else None


def _ttft(steps: Steps) -> float | None:
    return _middle(steps, lambda s: s.ttft.p50)


def _speed(steps: Steps) -> float | None:
    return _middle(steps, lambda s: s.output_tokens_per_s)


def _by(value: float | None, other: float | None) -> float | None:
    return value / other if value is not None and other else None


_RECIPES: dict[str, Callable[[ProbeResult, Steps], Values]] = {
    STEP_LOAD: _step_load,
    REPEAT_PROMPT: _repeat_prompt,
    COMPARE_VARIANTS: _compare_variants,
    THROUGH_AND_AROUND: _through_and_around,
    NEW_CONNECTIONS: _new_connections,
}
