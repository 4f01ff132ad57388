"""Whether a step says anything of the server, or only of the client; and what to keep in mind where it does.

Lag alone does not condemn a step: the kernel stamps keep the times right until two events of a stream lie in one read.
Nor do such reads: servers write two events at once. It takes both, and enough late reads to account for merged ones.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from perfconsole.model.probeplan import Shape
from perfconsole.probing.clientside import LATE_SHARE, late_after_s
from perfconsole.probing.words import amount, length, share

if TYPE_CHECKING:
    from collections.abc import Iterator

    from perfconsole.model.probeplan import ProbePlan, Step
    from perfconsole.model.proberesult import ClientSide, ServerSide
    from perfconsole.probing.clientside import Delays

GREEN_S = 0.001
"""Lag below is none, however short the gaps are."""
_FULL_CORE = 0.85
_MERGED, _MERGED_MUCH = 0.01, 0.2
_OFTEN = 0.03
"""Share of reads late by more than half a gap from which a step is void: with fewer, on a host whose every core the
engine itself keeps busy, nothing but the highest gaps is touched."""
_DELIVERED = 0.97
_EXPLAINS = 0.25
"""Late reads by merged ones from which lag accounts for them: of reads that a late client merges about half are late
by more than half a gap."""
_IDLE_BY_CLIENT = 0.5
"""Share of the idle time of slots that late sends and reads must fill to be its cause."""
_SHORT = 0.95
_CACHED = 0.01
_APART, _APART_REQUESTS = 0.1, 2.0
_TOKENS_APART, _TOKENS = 0.1, 50.0
_USER_STAMPS = ("user", "moved")
_EVENT_BYTES = 400
_NO_SHARED_PREFIX = ("short-chat", "long-prompt")
"""Scenarios in which no two prompts begin with the same words."""


@dataclass(frozen=True, slots=True)
class Seen:
    """What a step is judged by; lengths of time in seconds, None where they are not known."""

    plan: ProbePlan
    step: Step
    client: ClientSide
    late: Delays
    counted: int
    good: int
    all_burst: bool
    itl_p50: float | None
    ttft_p50: float | None
    e2e_mean: float | None
    usage: bool
    """The server said of every answer how many tokens it had."""
    per_event: float | None
    """Tokens by text events."""
    output_tokens: float | None
    cached_ratio: float | None
    in_flight: int
    """Most requests at once."""
    server: ServerSide | None

    @property
    def gap_s(self) -> float:
        """Median time between two deliveries of one answer; 0 where it is not known."""
        return (self.itl_p50 or 0.0) * (self.per_event or 1.0)

    @property
    def half_gap_s(self) -> float:
        """Lag from which reads of one stream begin to fall together."""
        return max(GREEN_S, self.gap_s / 2)

    @property
    def lag_p99(self) -> float:
        """0 where nothing was read."""
        return self.client.loop_lag_p99 or 0.0

    @property
    def send_p99(self) -> float:
        """0 where every request needed a connection of its own."""
        return self.client.send_lag_p99 or 0.0


def judged(seen: Seen, *, cut: bool) -> tuple[bool, str]:
    """Whether the step is valid, and why not or what to keep in mind. One that was cut short says nothing."""
    if cut:
        return False, "broken off before its end"
    if not seen.good:
        return False, f"none of {seen.counted} requests ended well"
    limits = [*_reads_late(seen), *_slots_idle(seen), *_sends_late(seen)]
    if limits:
        return False, "the client was the limit: " + "; ".join(limits)
    return True, "; ".join([*_of_client(seen), *_of_answers(seen), *_of_server(seen)])


def _reads_late(seen: Seen) -> Iterator[str]:
    """It could not keep up with what came in."""
    client, red = seen.client, seen.lag_p99 > seen.half_gap_s
    often = seen.late.lag.above(seen.half_gap_s)
    explained = often > _OFTEN and often >= _EXPLAINS * client.merged
    late = f"it read {length(seen.lag_p99)} late (p99) where half a gap is {length(seen.half_gap_s)}"
    if client.cpu > _FULL_CORE and (red or _merged_much(seen)):
        yield f"it used {share(client.cpu)} of a core and {late}"
    elif explained and client.merged > _MERGED:
        yield f"{late}, and {share(client.merged)} of its reads held more than one event"
    elif red and seen.send_p99 > late_after_s(seen.ttft_p50):
        yield f"{late}, and sent {length(seen.send_p99)} late (p99)"


def _merged_much(seen: Seen) -> bool:
    """With a core full, lags shorter than half a gap account for merged reads too."""
    merged = seen.client.merged
    return merged > _MERGED_MUCH and seen.late.lag.above(GREEN_S) >= _EXPLAINS * merged


def _slots_idle(seen: Seen) -> Iterator[str]:
    """Slots stood empty because it was slow to notice that they were free, or to use them."""
    delivered = seen.client.delivered
    if delivered is None or delivered >= _DELIVERED or seen.step.fresh or not _idle_by_client(seen, delivered):
        return
    yield (
        f"{share(delivered)} of the concurrency was delivered, and it read {length(seen.lag_p99)} "
        f"and sent {length(seen.send_p99)} late (p99)"
    )


def _idle_by_client(seen: Seen, delivered: float) -> bool:
    if max(seen.lag_p99, seen.send_p99) <= GREEN_S or not seen.e2e_mean:
        return False
    idle_s = (1 / delivered - 1) * seen.e2e_mean if delivered > 0 else seen.e2e_mean
    own_s = (seen.late.send.mean() or 0.0) + (seen.late.lag.mean() or 0.0)
    return own_s >= _IDLE_BY_CLIENT * idle_s


def _sends_late(seen: Seen) -> Iterator[str]:
    """An open loop whose moments are not kept is another load than the one asked for."""
    limit = late_after_s(seen.ttft_p50)
    if seen.step.shape in (Shape.RATE, Shape.REPLAY) and seen.send_p99 > limit:
        yield (
            f"it sent {length(seen.send_p99)} late (p99), more than {share(LATE_SHARE)} of "
            f"a TTFT of {length(seen.ttft_p50)}"
        )


def _of_client(seen: Seen) -> Iterator[str]:
    client = seen.client
    if client.delivered is not None and client.delivered < _DELIVERED and not seen.step.fresh:
        yield f"{share(client.delivered)} of the concurrency was delivered, not because of the client"
    if client.merged > _MERGED:
        late = f"; read up to {length(seen.lag_p99)} late (p99): the highest gaps are less sure"
        words = f"{share(client.merged)} of the reads held more than one event: gaps inside are spread evenly"
        yield words + (late if seen.lag_p99 > seen.half_gap_s else "")
    if client.queued > _EVENT_BYTES * max(1, seen.in_flight):
        yield f"{client.queued:,} bytes lay unread at the end"
    if client.stamps in _USER_STAMPS and seen.lag_p99 > max(GREEN_S, seen.gap_s / 10):
        yield f"arrival times are the client's own, up to {length(seen.lag_p99)} late (p99)"


def _of_answers(seen: Seen) -> Iterator[str]:
    asked = seen.plan.output_tokens
    if seen.all_burst:
        yield "all requests began together: TTFT and e2e are those of the burst"
    if not seen.usage:
        yield "the server gives no usage: tokens are text events"
    elif seen.output_tokens is not None and seen.output_tokens < _SHORT * asked and seen.step.shape is not Shape.REPLAY:
        yield f"answers had {amount(seen.output_tokens)} tokens where {asked} were asked for"
    if (cached := _cached(seen)) > _CACHED and seen.step.prompt == "unique" and seen.plan.scenario in _NO_SHARED_PREFIX:
        yield f"{share(cached)} of the prompt tokens came out of a prefix cache"


def _cached(seen: Seen) -> float:
    if seen.cached_ratio is not None:
        return seen.cached_ratio
    return (seen.server.prefix_hit_ratio if seen.server else None) or 0.0


def _of_server(seen: Seen) -> Iterator[str]:
    """Where the engine saw another load than the client gave."""
    server = seen.server
    if server is None:
        return
    ours, running, waiting = server.client_inflight, server.running, server.waiting
    if ours is not None and running is not None and waiting is not None:
        theirs = running + waiting
        if abs(theirs - ours) > max(_APART_REQUESTS, _APART * ours):
            yield f"the engine held {amount(theirs)} requests, the client had {amount(ours)} open"
    counted, got = server.output_tokens, server.client_output_tokens
    if counted is not None and got is not None and abs(counted - got) > max(_TOKENS, _TOKENS_APART * got):
        yield f"the engine counted {amount(counted)} output tokens, the client {amount(got)}"
