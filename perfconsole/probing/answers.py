"""The counted requests of a step, parted: those that ended well, and those whose latency tells of a steady load."""

from __future__ import annotations

from statistics import fmean, median
from typing import TYPE_CHECKING, NamedTuple

from perfconsole.model.probeload import Part, Trouble
from perfconsole.model.probeplan import Shape

if TYPE_CHECKING:
    from collections.abc import Iterable

    from perfconsole.model.probeload import RequestRecord
    from perfconsole.model.probeplan import Slo, Step

_LONG = 32
"""Tokens from which quarters of an answer can be told apart."""


class Answers(NamedTuple):
    """Counted requests. Those that failed are in `counted` alone: no latency is prettier or worse for them."""

    counted: tuple[RequestRecord, ...]
    good: tuple[RequestRecord, ...]
    """Ended well."""
    steady: tuple[RequestRecord, ...]
    """Of the good ones those whose time to first token and whole time count: not of the burst, unless all were."""
    burst: tuple[RequestRecord, ...]
    """Of the good ones those that began together with the step."""

    @property
    def all_burst(self) -> bool:
        """There were no others, so these stand in for them."""
        return bool(self.burst) and self.steady == self.burst

    @property
    def errors(self) -> int:
        """Requests that did not end well."""
        return len(self.counted) - len(self.good)

    @property
    def steady_errors(self) -> int:
        """Errors among the requests whose latency would have counted."""
        return sum(r.trouble is not None and (self.all_burst or not r.burst) for r in self.counted)

    @property
    def timeouts(self) -> int:
        """Errors that were broken off after the plan's limit."""
        return sum(r.trouble is Trouble.TIMEOUT for r in self.counted)


def answers(step: Step, records: Iterable[RequestRecord]) -> Answers:
    """Part the records of a step."""
    counted = tuple(r for r in records if r.part is Part.COUNTED)
    good = tuple(r for r in counted if r.trouble is None)
    burst = good if step.shape is Shape.BURST else tuple(r for r in good if r.burst)
    later = tuple(r for r in good if not r.burst)
    return Answers(counted, good, burst if step.shape is Shape.BURST or not later else later, burst)


def error_kinds(counted: Iterable[RequestRecord]) -> tuple[tuple[str, int], ...]:
    """What went wrong and how often, the most frequent first: `status 503`, `timeout`."""
    found: dict[str, int] = {}
    for r in counted:
        if r.trouble is not None:
            status = r.detail.split()[:1] if r.trouble is Trouble.STATUS else []
            name = " ".join([str(r.trouble), *status])
            found[name] = found.get(name, 0) + 1
    return tuple(sorted(found.items(), key=lambda item: (-item[1], item[0])))


def kept_slo(slo: Slo, r: RequestRecord) -> bool:
    """The request ended well, and in time; a single token has no time per token to keep."""
    if r.trouble is not None or r.ttft is None:
        return False
    return r.ttft <= slo.ttft_p95_s and (r.tpot is None or r.tpot <= slo.tpot_p90_s)


def mean_of(values: Iterable[float | None]) -> float | None:
    """Of those that are known; None where none is."""
    known = [v for v in values if v is not None]
    return fmean(known) if known else None


def ratio_of(pairs: Iterable[tuple[int | None, int | None]]) -> float | None:
    """Sum of the parts / sum of the wholes, over pairs where both are known; None for nothing at all."""
    known = [(part, whole) for part, whole in pairs if part is not None and whole is not None and whole > 0]
    return sum(part for part, _ in known) / sum(whole for _, whole in known) if known else None


def itl_growth(good: Iterable[RequestRecord]) -> float | None:
    """Median over the long answers of the time per token in the last quarter / in the first one."""
    grown = [r.itl_last / r.itl_first for r in good if r.itl_last is not None and r.itl_first and _is_long(r)]
    return median(grown) if grown else None


def _is_long(r: RequestRecord) -> bool:
    return (r.tokens or r.events) >= _LONG
