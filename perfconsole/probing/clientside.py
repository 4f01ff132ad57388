"""How far the client itself was in the way of a step: its core, its lag, its late sends."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from perfconsole.model.probeplan import Shape
from perfconsole.model.proberesult import ClientSide
from perfconsole.probing.spread import Ranked, ranked, ranked_counts
from perfconsole.probing.window import Window, flow, within

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from perfconsole.model.probeload import LoadTick, RequestRecord, StepRecord
    from perfconsole.model.probeplan import Step

LATE_S = 0.005
LATE_SHARE = 0.1
"""A request is late when it is sent this long, and this share of TTFT p50, after its intended start."""


class Delays(NamedTuple):
    """What came late, in seconds. Nothing is withheld of it: it is a check, not a result."""

    lag: Ranked
    """From the kernel's stamp of each read."""
    send: Ranked
    """From the intended start of each request that needed no new connection."""
    lone: bool
    """These began one by one: some request of a burst is always the last to be sent."""


def delays(ticks: Iterable[LoadTick], counted: Sequence[RequestRecord]) -> Delays:
    """Of the whole step. Requests of the burst stand in each other's way; their sends count only if all were of it."""
    held = [r for r in counted if r.connect_s is None]
    later = [r for r in held if not r.burst]
    sends = ranked(max(0.0, r.sent - r.intended) for r in later or held)
    return Delays(ranked_counts(tick.lag for tick in ticks), sends, bool(later))


def late_after_s(ttft_p50: float | None) -> float:
    """Seconds after its intended start at which a request counts as sent late."""
    return max(LATE_S, LATE_SHARE * (ttft_p50 or 0.0))


def client_side(
    step: Step,
    record: StepRecord,
    ticks: Sequence[LoadTick],
    window: Window,
    late: Delays,
    ttft_p50: float | None,
) -> ClientSide:
    """The client over the whole step; delivered concurrency over its steady window."""
    whole = Window(record.began, record.ended)
    inside = within(ticks, record.began, whole)
    spent = flow(ticks, record.began, whole)
    reads = sum(tick.reads for tick in inside)
    in_flight = flow(ticks, record.began, window).in_flight if step.shape is Shape.CONCURRENCY else None
    return ClientSide(
        cpu=spent.cpu_s / spent.seconds if spent.seconds > 0 else 0.0,
        loop_lag_p50=late.lag.at(0.50),
        loop_lag_p99=late.lag.at(0.99),
        send_lag_p99=late.send.at(0.99),
        merged=sum(tick.merged for tick in inside) / reads if reads else 0.0,
        delivered=None if in_flight is None or record.asked <= 0 else in_flight / record.asked,
        queued=record.queued,
        stamps=record.stamps,
        late=late.send.above(late_after_s(ttft_p50)) if late.lone else None,
    )
