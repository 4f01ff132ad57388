"""The numbers of a probe in columns, one row a step: the same cells on the page, in the report and in the files."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from perfconsole.model.probeplan import Shape
from perfconsole.view.probewords import error_words, step_name
from perfconsole.view.units import number

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from perfconsole.model.proberesult import ServerSide, Spread, StepResult

NONE = "-"
"""Where a number is withheld or nobody gives it."""
DELIVERED = 0.97
"""Below it the load that was asked for was not there."""
_MERGED, _CPU, _LAG_OF_ITL = 0.01, 0.7, 0.1
"""Above these the client may be in the way: shares of reads and of a core, and of the median time between tokens."""

_GREEN_S = 0.001
"""Lag below is none, however short the gaps are."""


class Cell(NamedTuple):
    """A number, and how it may be coloured; what is wrong has a `!` as well."""

    text: str
    style: str = ""


class Column(NamedTuple):
    """One quantity of a step."""

    name: str
    cell: Callable[[StepResult], Cell]
    rank: int
    """What gives way last where there is no room is 0."""
    least: int
    """Columns it always takes, so that a table does not jump while it fills."""
    unit: str = ""
    part: str = ""
    """Which percentile of it."""

    @property
    def head(self) -> str:
        """The whole heading: `TTFT p95`."""
        return f"{self.name} {self.part}".strip()

    def head_after(self, before: Column | None) -> str:
        """Shorter beside another percentile of the same: `p95`."""
        return self.part if before is not None and self.part and before.name == self.name else self.head


def step_names(steps: Sequence[StepResult]) -> list[str]:
    """A name for each; one that comes again (after the load was shed) says so."""
    seen: Counter[str] = Counter()
    names = []
    for name in (step_name(result.step) for result in steps):
        names.append(f"{name} again" if seen[name] else name)
        seen[name] += 1
    return names


def step_notes(steps: Sequence[StepResult]) -> list[tuple[str, str]]:
    """Name of a step and what is to be known of it: why it does not count, how requests failed, how far runs differ."""
    notes = []
    for name, result in zip(step_names(steps), steps, strict=True):
        if result.why:
            notes.append((name, result.why))
        if result.error_kinds:
            notes.append((name, f"errors: {error_words(result)}"))
        if result.runs > 1:
            apart = f", at most {result.run_spread:.1%} from it in tokens/s" if result.run_spread is not None else ""
            notes.append((name, f"median of {result.runs} runs{apart}"))
    return notes


def millis(seconds: float | None) -> str:
    """Milliseconds to three digits."""
    return NONE if seconds is None else number(seconds * 1000)


def _said(value: float | None) -> str:
    return NONE if value is None else number(value)


def _percent(share: float | None, sign: str = "") -> str:
    return NONE if share is None else f"{share * 100:{sign}.0f}%"


def _time(take: Callable[[StepResult], float | None]) -> Callable[[StepResult], Cell]:
    return lambda result: Cell(millis(take(result)))


def _plain(take: Callable[[StepResult], float | None]) -> Callable[[StepResult], Cell]:
    return lambda result: Cell(_said(take(result)))


def _engine(take: Callable[[ServerSide], float | None], say: Callable[[float | None], str]) -> Callable[..., Cell]:
    return lambda result: Cell(say(None if result.server is None else take(result.server)))


def _flagged(text: str, wrong: bool) -> Cell:  # noqa: FBT001 - whether the sign is set
    return Cell(f"{text}!", "warn") if wrong and text != NONE else Cell(text)


def _delivered(result: StepResult) -> Cell:
    share = result.client.delivered
    return _flagged(_percent(share), share is not None and share < DELIVERED and not result.step.fresh)


def _counts(result: StepResult) -> Cell:
    """Both always stand there: latencies of the ones say nothing of the others."""
    good = result.requests - result.errors
    return Cell(f"{good}/{result.errors}", "critical" if result.errors else "")


def _stream(result: StepResult) -> Cell:
    streams = result.step.amount * (result.client.delivered or 1.0)
    rate = result.output_tokens_per_s
    known = rate is not None and result.step.shape is Shape.CONCURRENCY and streams > 0
    return Cell(_said(rate / streams) if known and rate is not None else NONE)


def _lag(result: StepResult) -> Cell:
    lag, gap = result.client.loop_lag_p99, result.itl.p50
    return _flagged(millis(lag), lag is not None and gap is not None and lag > max(_GREEN_S, _LAG_OF_ITL * gap))


def _there(server: ServerSide) -> float | None:
    known = [value for value in (server.running, server.waiting) if value is not None]
    return sum(known) if known else None


def _tokens_apart(result: StepResult) -> Cell:
    """What the client counted against what the engine counted in the same stretch."""
    server = result.server
    if server is None or not server.output_tokens or server.client_output_tokens is None:
        return Cell(NONE)
    return Cell(f"{(server.client_output_tokens / server.output_tokens - 1) * 100:+.1f}%")


def _ttft_apart(result: StepResult) -> Cell:
    """Front end, network and client together: the client's mean less the engine's in the same stretch."""
    server = result.server
    if server is None or server.client_ttft.mean is None or server.ttft.mean is None:
        return Cell(NONE)
    more = server.client_ttft.mean - server.ttft.mean
    return Cell(f"{'+' if more >= 0 else ''}{millis(more)}")


def _spreads(name: str, take: Callable[[StepResult], Spread], ranks: dict[str, int]) -> list[Column]:
    """Percentiles beside one another."""

    def part_of(part: str) -> Callable[[StepResult], float | None]:
        return lambda result: getattr(take(result), part)

    return [Column(name, _time(part_of(part)), rank, 5, "ms", part) for part, rank in ranks.items()]


DELIVERY = Column("dlvd", _delivered, 4, 5)
COUNTS = Column("ok/err", _counts, 1, 6)
LATENCIES: tuple[Column, ...] = (
    DELIVERY,
    COUNTS,
    *_spreads("TTFT", lambda r: r.ttft, {"p50": 1, "p95": 2, "p99": 9}),
    *_spreads("ITL", lambda r: r.itl, {"p50": 3, "p99": 4}),
    *_spreads("TPOT", lambda r: r.tpot, {"p50": 8}),
    *_spreads("e2e", lambda r: r.e2e, {"p50": 10}),
    Column("tok/s", _plain(lambda r: r.output_tokens_per_s), 1, 6),
    Column("per stream", _stream, 12, 7),
    Column("req/s", _plain(lambda r: r.requests_per_s), 11, 5),
    Column("good", lambda r: Cell(_percent(r.goodput_ratio)), 11, 4),
    Column("lag", _lag, 5, 5, "ms", "p99"),
    Column("run", _engine(lambda s: s.running, _said), 6, 4),
    Column("wait", _engine(lambda s: s.waiting, _said), 6, 4),
    Column("KV", _engine(lambda s: s.kv_usage, _percent), 7, 4),
)
"""What a user feels, what it is bought for, and where the engine stood."""
_ANSWER = _spreads("TTFO", lambda r: r.ttfo, {"p50": 8})
HONESTY: tuple[Column, ...] = (
    DELIVERY,
    COUNTS,
    Column("in flight", _engine(lambda s: s.client_inflight, _said), 2, 5),
    Column("run+wait", _engine(_there, _said), 2, 5),
    Column("lag", _time(lambda r: r.client.loop_lag_p50), 5, 5, "ms", "p50"),
    Column("lag", _lag, 1, 5, "ms", "p99"),
    Column("late", _time(lambda r: r.client.send_lag_p99), 3, 5, "ms", "p99"),
    Column("sent late", lambda r: Cell(_percent(r.client.late)), 6, 4),
    Column("merged", lambda r: _flagged(_percent(r.client.merged), r.client.merged > _MERGED), 1, 4),
    Column("CPU", lambda r: _flagged(_percent(r.client.cpu), r.client.cpu > _CPU), 2, 4),
    Column("unread", lambda r: Cell(number(r.client.queued)), 6, 4, "bytes"),
    Column("stamps", lambda r: Cell(r.client.stamps or NONE), 4, 6),
    Column("tokens +-", _tokens_apart, 3, 5),
    Column("TTFT +-", _ttft_apart, 3, 5, "ms"),
    Column("tok/event", _plain(lambda r: r.tokens_per_event), 6, 4),
)
"""How far the client itself was in the way; `+-` is the client against the engine's own count."""
ENGINE: tuple[Column, ...] = (
    COUNTS,
    *_spreads("burst", lambda r: r.burst, {"p50": 3, "max": 3}),
    *_spreads("connect", lambda r: r.connect, {"p50": 5}),
    Column("engine TTFT", _engine(lambda s: s.ttft.p50, millis), 2, 5, "ms", "p50"),
    Column("engine ITL", _engine(lambda s: s.itl.p50, millis), 2, 5, "ms", "p50"),
    Column("queue", _engine(lambda s: s.queue.p50, millis), 1, 5, "ms", "p50"),
    Column("prefill", _engine(lambda s: s.prefill.p50, millis), 1, 5, "ms", "p50"),
    Column("waited", _engine(lambda s: s.waiting_share, _percent), 3, 4),
    Column("wait max", _engine(lambda s: s.waiting_max, _said), 4, 4),
    Column("seqs", _engine(lambda s: s.max_num_seqs, _said), 4, 4),
    Column("evicted", _engine(lambda s: s.preemptions, _said), 4, 4),
    Column("hits", _engine(lambda s: s.prefix_hit_ratio, _percent), 4, 4),
)
"""The burst of the beginning, and what the engine itself says of the same stretch; `waited`: share of the polls."""


def latencies(steps: Sequence[StepResult]) -> tuple[Column, ...]:
    """The columns of the main table; with the time to the answer itself where reasoning came before it."""
    at = next(place for place, column in enumerate(LATENCIES) if column.name == "ITL")
    return (*LATENCIES[:at], *_ANSWER, *LATENCIES[at:]) if any(r.ttfo.n for r in steps) else LATENCIES


def withheld(steps: Sequence[StepResult]) -> bool:
    """Whether a percentile is left out for want of requests."""
    spreads = [s for r in steps for s in (r.ttft, r.itl, r.tpot, r.e2e) if s.n]
    return any(s.p95 is None or s.p99 is None for s in spreads)
