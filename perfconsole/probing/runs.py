"""Several runs of the same steps: medians, number by number, and the runs that are far from them."""

from __future__ import annotations

from dataclasses import fields, replace
from statistics import median
from typing import TYPE_CHECKING, Any, TypeVar

from perfconsole.model.proberesult import ClientSide, ServerSide, Spread

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from perfconsole.model.proberesult import StepResult

    Metric = Callable[[StepResult], float | None]

_Whole = TypeVar("_Whole", Spread, ClientSide, ServerSide)

_DEVIATIONS = 3.0
_SIGMA = 1.4826
"""Median distance from the median to standard deviation, of a normal distribution."""
_FAR = 0.1
_LATENCIES = ("ttft", "ttfo", "itl", "tpot", "e2e", "burst", "connect", "resolve")
_NUMBERS = (
    "output_tokens_per_s",
    "total_tokens_per_s",
    "requests_per_s",
    "goodput_per_s",
    "goodput_ratio",
    "tokens_per_event",
    "output_tokens",
    "prompt_tokens",
    "itl_growth",
    "close_ratio",
    "cached_ratio",
)
WATCHED: tuple[Metric, ...] = (
    lambda s: s.output_tokens_per_s,
    lambda s: s.ttft.p50,
    lambda s: s.tpot.p50,
)
"""A run that is far off in any of these is an outlier."""


def marked(runs: Iterable[StepResult]) -> tuple[StepResult, ...]:
    """The runs, in their order; those far from the median of their step are marked as outliers."""
    every = tuple(runs)
    groups = _by_step(every)
    return tuple(replace(s, outlier=_is_far(s, groups[s.index])) for s in every)


def medians(runs: Iterable[StepResult]) -> tuple[StepResult, ...]:
    """One result for each step, told apart by index, in the order of the first run; one that ran once stays as it is.

    Runs that are not valid count only where none is. Requests, errors and samples are those of all runs that count: an
    error in one of three is still an error.
    """
    return tuple(_middle(group) for group in _by_step(marked(runs)).values())


def run_spread(group: Sequence[StepResult], metric: Metric) -> float | None:
    """Furthest of the runs, without outliers, from their median, as a share of it; None below two runs."""
    values = [v for s in _valid(group) if not s.outlier and (v := metric(s)) is not None]
    middle = median(values) if values else 0.0
    return max(abs(v - middle) for v in values) / abs(middle) if len(values) > 1 and middle else None


def _by_step(runs: Iterable[StepResult]) -> dict[int, list[StepResult]]:
    found: dict[int, list[StepResult]] = {}
    for s in runs:
        found.setdefault(s.index, []).append(s)
    return found


def _valid(group: Sequence[StepResult]) -> Sequence[StepResult]:
    return [s for s in group if s.valid] or group


def _is_far(s: StepResult, group: Sequence[StepResult]) -> bool:
    return any(_off(metric(s), [metric(other) for other in _valid(group)]) for metric in WATCHED)


def _off(value: float | None, others: Iterable[float | None]) -> bool:
    """Further from the median than three deviations, and than a tenth. Two runs say nothing of which one is off."""
    known = [other for other in others if other is not None]
    if value is None or len(known) < 3:
        return False
    middle = median(known)
    usual = _SIGMA * median(abs(other - middle) for other in known)
    return abs(value - middle) > max(_DEVIATIONS * usual, _FAR * abs(middle))


def _middle(group: Sequence[StepResult]) -> StepResult:
    if len(group) == 1:
        return group[0]
    used = _valid(group)
    latencies: dict[str, Any] = {name: _median_spread([getattr(s, name) for s in used]) for name in _LATENCIES}
    numbers: dict[str, Any] = {name: _median(getattr(s, name) for s in used) for name in _NUMBERS}
    servers = [s.server for s in used if s.server is not None]
    return replace(
        used[0],
        run=0,
        requests=sum(s.requests for s in used),
        errors=sum(s.errors for s in used),
        timeouts=sum(s.timeouts for s in used),
        why=_why(group, used),
        window_s=median(s.window_s for s in used),
        client=_median_of([s.client for s in used]),
        server=_median_of(servers) if servers else None,
        error_kinds=_kinds(used),
        outlier=False,
        runs=len(used),
        run_spread=run_spread(group, WATCHED[0]),
        **latencies,
        **numbers,
    )


def _median(values: Iterable[float | None]) -> float | None:
    """Of those that are known."""
    known = [v for v in values if v is not None]
    return median(known) if known else None


def _median_spread(parts: Sequence[Spread]) -> Spread:
    return replace(_median_of(parts), n=sum(part.n for part in parts))


def _median_of(parts: Sequence[_Whole]) -> _Whole:
    """Number by number; distributions inside likewise, words from the first."""
    changes: dict[str, Any] = {}
    for field in fields(parts[0]):
        values = [getattr(part, field.name) for part in parts]
        first = next((v for v in values if v is not None), None)
        if isinstance(first, Spread):
            changes[field.name] = _median_spread(values)
        elif isinstance(first, int | float):
            middle = _median(values)
            changes[field.name] = round(middle or 0) if isinstance(first, int) else middle
    return replace(parts[0], **changes)


def _kinds(used: Iterable[StepResult]) -> tuple[tuple[str, int], ...]:
    found: dict[str, int] = {}
    for kind, count in (item for s in used for item in s.error_kinds):
        found[kind] = found.get(kind, 0) + count
    return tuple(sorted(found.items(), key=lambda item: (-item[1], item[0])))


def _why(group: Sequence[StepResult], used: Sequence[StepResult]) -> str:
    """What was said of any of them, once."""
    said = [f"{len(group) - len(used)} of {len(group)} runs left out, as not valid"] if len(used) < len(group) else []
    outliers = sum(s.outlier for s in used)
    said += (
        [f"{outliers} of {len(group)} runs {'is an outlier' if outliers == 1 else 'are outliers'}"] if outliers else []
    )
    return "; ".join([*said, *dict.fromkeys(s.why for s in used if s.why)])
