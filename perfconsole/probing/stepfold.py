"""Folds the events of one step into its result. Requests that failed are in its counts and in no latency."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from perfconsole.model.probeload import StepRecord
from perfconsole.model.proberesult import StepResult
from perfconsole.probing.answers import answers, error_kinds, itl_growth, mean_of, ratio_of
from perfconsole.probing.clientside import client_side, delays
from perfconsole.probing.honesty import Seen, judged
from perfconsole.probing.rates import rates
from perfconsole.probing.spread import ranked, spread_of, spread_of_counts
from perfconsole.probing.window import Window, flow, steady_window, within

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from perfconsole.model.probeload import LoadTick, RequestRecord
    from perfconsole.model.probeplan import ProbePlan, Step
    from perfconsole.model.proberesult import ServerSide, Spread
    from perfconsole.probing.answers import Answers


class _Latencies(NamedTuple):
    """Distributions of the requests that ended well."""

    ttft: Spread
    ttfo: Spread
    itl: Spread
    tpot: Spread
    e2e: Spread
    burst: Spread


def fold(
    step: Step,
    index: int,
    run: int,
    records: Sequence[RequestRecord],
    ticks: Sequence[LoadTick],
    record: StepRecord | None,
    server: ServerSide | None,
    plan: ProbePlan,
) -> StepResult:
    """The result of one step.

    `records` are its requests, of every part. `ticks` ascend; of those from before it began only the last one is of
    use, and only its time. Without a `record` the step was broken off: what there is of it is kept, and is not valid.
    """
    whole = record or _broken_off(step, index, records, ticks)
    parted = answers(step, records)
    e2e_s = ranked(r.e2e for r in parted.good if r.e2e is not None).at(0.5) or 0.0
    window = steady_window(whole, step.shape, ticks, e2e_s)
    held = within(ticks, whole.began, Window(whole.began, whole.ended))
    times = _latencies(parted, held)
    seen = _seen(step, parted, times, whole, (ticks, held), window, server, plan)
    valid, why = judged(seen, cut=record is None)
    per_s = rates(step, parted, flow(ticks, whole.began, window), window, plan.slo)
    return StepResult(
        index=index,
        step=step,
        run=run,
        requests=len(parted.counted),
        errors=parted.errors,
        timeouts=parted.timeouts,
        valid=valid,
        why=why,
        **times._asdict(),
        connect=_connecting(step, parted, whole),
        output_tokens_per_s=per_s.output_tokens,
        total_tokens_per_s=per_s.total_tokens,
        requests_per_s=per_s.requests,
        goodput_per_s=per_s.goodput,
        goodput_ratio=per_s.goodput_ratio,
        tokens_per_event=seen.per_event,
        output_tokens=seen.output_tokens,
        prompt_tokens=mean_of(r.prompt_tokens for r in parted.good),
        window_s=window.seconds,
        client=seen.client,
        server=server,
        error_kinds=error_kinds(parted.counted),
        cut=record is None,
        resolve=spread_of(_known(r.resolve_s for r in parted.counted)),
        itl_growth=itl_growth(parted.good),
        close_ratio=ratio_of((r.close_behind, r.events - 1) for r in parted.good),
        cached_ratio=seen.cached_ratio,
    )


def _broken_off(step: Step, index: int, records: Sequence[RequestRecord], ticks: Sequence[LoadTick]) -> StepRecord:
    """What a step that never ended would have told, as far as it came."""
    began = min((r.intended for r in records), default=ticks[0].t if ticks else 0.0)
    ended = max([began, *(r.ended for r in records), *(tick.t for tick in ticks)])
    closed = max((r.sent for r in records), default=ended)
    return StepRecord(index, began, None, closed, ended, step.amount, "", 0, ())


def _latencies(parted: Answers, held: Iterable[LoadTick]) -> _Latencies:
    return _Latencies(
        ttft=spread_of(_known(r.ttft for r in parted.steady)),
        ttfo=spread_of(r.first_answer - r.start for r in parted.steady if r.first_answer is not None),
        itl=spread_of_counts(tick.gaps for tick in held),
        tpot=spread_of(_known(r.tpot for r in parted.good)),
        e2e=spread_of(_known(r.e2e for r in parted.steady)),
        burst=spread_of(_known(r.ttft for r in parted.burst)),
    )


def _seen(
    step: Step,
    parted: Answers,
    times: _Latencies,
    whole: StepRecord,
    ticks: tuple[Sequence[LoadTick], Sequence[LoadTick]],
    window: Window,
    server: ServerSide | None,
    plan: ProbePlan,
) -> Seen:
    """What the step is judged by. `ticks` are all of them, and those of the step."""
    late = delays(ticks[1], parted.counted)
    return Seen(
        plan=plan,
        step=step,
        client=client_side(step, whole, ticks[0], window, late, times.ttft.p50),
        late=late,
        counted=len(parted.counted),
        good=len(parted.good),
        all_burst=parted.all_burst,
        itl_p50=times.itl.p50,
        ttft_p50=times.ttft.p50,
        e2e_mean=mean_of(r.e2e for r in parted.good),
        usage=all(r.usage for r in parted.good),
        per_event=ratio_of((r.tokens, r.events) for r in parted.good),
        output_tokens=mean_of(r.tokens for r in parted.good),
        cached_ratio=ratio_of((r.cached_tokens, r.prompt_tokens) for r in parted.good),
        in_flight=max((tick.inflight for tick in ticks[1]), default=0),
        server=server,
    )


def _connecting(step: Step, parted: Answers, whole: StepRecord) -> Spread:
    """Resolving, connecting and handshake where every request does it anew; else what it took to open the slots."""
    fresh = [r.connect_s + (r.resolve_s or 0.0) for r in parted.counted if r.connect_s is not None]
    return spread_of(fresh) if step.fresh and fresh else spread_of_counts([whole.connect])


def _known(values: Iterable[float | None]) -> Iterable[float]:
    return (value for value in values if value is not None)
