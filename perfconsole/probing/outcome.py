"""The result of a probe that has been led to its end, whole or broken off."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from perfconsole.probing.conclusion import concluded
from perfconsole.probing.words import share

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from perfconsole.model.proberesult import ProbeResult
    from perfconsole.probing.conductor import Conductor

_ALIKE = 0.002
"""Share of the tokens up to which two counts are the same: one poll is not quite the other's moment."""


def outcome(
    conductor: Conductor, environment: Mapping[str, str], began: float, now: float, traffic_per_s: float | None
) -> ProbeResult:
    """The result; `began` is epoch seconds, `now` monotonic, `traffic_per_s` what others sent before it began."""
    end, stopped = conductor.ledger.end, conductor.stopped
    result = concluded(conductor.plan, environment, conductor.results, began, now - conductor.began, end, traffic_per_s)
    return replace(
        result,
        stopped=None if stopped is None else stopped.why,
        notes=(*result.notes, *conductor.notes, *_counts(conductor)),
    )


def _counts(conductor: Conductor) -> Iterator[str]:
    """The output tokens of the whole probe by the engine's counter and by this client."""
    whole, end = conductor.whole, conductor.ledger.end
    if whole is None or whole.output_tokens is None or end is None:
        return
    more = whole.output_tokens - end.output_tokens
    counts = f"{whole.output_tokens:,.0f} output tokens while the probe ran, this client {end.output_tokens:,}"
    words = f"the engine counted {counts}"
    if abs(more) <= _ALIKE * max(1, end.output_tokens):
        yield f"{words}: they agree"
    elif more > 0:
        yield f"{words}: {share(more / whole.output_tokens)} were of others, or were not delivered"
    else:
        yield f"{words}: the engine's counter misses some"
