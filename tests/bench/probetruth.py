"""What really happened at the exact server, in the numbers that a load client gives, and how far off the client was."""

from __future__ import annotations

import http.client
import json
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

Counts = dict[int, int]
"""A distribution: microseconds and how many of them."""


@dataclass(frozen=True, slots=True)
class Truth:
    """The counted requests of one run, by the log of the server."""

    ttft_us: Counts
    gaps_us: Counts
    tokens: int
    """Of all requests, the warm-up too."""
    first_ns: int
    """When the first request of all was read."""
    delivered: float
    """Mean of requests under way while the counted ones were started, after the first burst."""
    lateness_p99_us: float
    """Of the server itself: from the scheduled moment of a token to its write."""
    unfinished: int


@dataclass(frozen=True, slots=True)
class Measured:
    """What a client said of one run: percentiles in microseconds, by their number."""

    ttft_us: dict[int, float]
    gaps_us: dict[int, float]
    counted: Sequence[int]
    """Places of its counted requests in the order of arrival."""
    cpu_s: float
    """From the first request to the end."""
    spawned_ns: int
    note: str = ""


def counts(values: Iterable[float]) -> Counts:
    """The distribution of values in microseconds."""
    found: Counts = {}
    for value in values:
        whole = round(value)
        found[whole] = found.get(whole, 0) + 1
    return found


def percentile(spread: Counts, q: float) -> float:
    """The smallest value at or above which the share q lies (nearest rank); nan for nothing."""
    rank, seen = q / 100 * sum(spread.values()), 0
    for value in sorted(spread):
        seen += spread[value]
        if seen >= rank:
            return float(value)
    return float("nan")


def percentiles(spread: Counts) -> dict[int, float]:
    """Those that are compared."""
    return {q: percentile(spread, q) for q in (50, 95, 99)}


def ask(port: int, path: str, change: dict[str, Any] | None = None) -> dict[str, Any]:
    """A page of the server, or a change of its settings."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    body = None if change is None else json.dumps(change)
    connection.request("GET" if change is None else "POST", path, body)
    found: dict[str, Any] = json.loads(connection.getresponse().read())
    connection.close()
    return found


def read(log: dict[str, Any], counted: Sequence[int], streams: int) -> Truth:
    """The truth of the counted requests; ValueError where the log does not have them all."""
    requests = log["requests"]
    if not counted or max(counted) >= len(requests):
        raise ValueError(f"{len(requests)} requests in the log, and the client counts more")
    chosen = [requests[place] for place in counted]
    done = [request for request in chosen if request["ended"] == "done"]
    late = (w - d - log["offset_ns"] for r in requests for d, w in zip(r["due_mono"], r["wrote_ns"], strict=True))
    return Truth(
        counts((request["wrote_ns"][0] - request["arrival_ns"]) / 1e3 for request in done),
        counts((b - a) / 1e3 for request in done for a, b in pairwise(request["wrote_ns"])),
        sum(len(request["wrote_ns"]) for request in requests),
        min(request["arrival_ns"] for request in requests),
        _delivered(requests, chosen, streams),
        percentile(counts(each / 1e3 for each in late), 99),
        len(chosen) - len(done),
    )


def _delivered(requests: list[dict[str, Any]], counted: list[dict[str, Any]], streams: int) -> float:
    """Requests under way on average, from the start of the last of the first burst to that of the last counted one."""
    arrivals = sorted(request["arrival_ns"] for request in counted)
    begin, end = arrivals[min(streams, len(arrivals)) - 1], arrivals[-1]
    if end <= begin:
        return float("nan")
    inside: list[int] = [min(r["ended_ns"] or end, end) - max(r["arrival_ns"], begin) for r in requests]
    return float(sum(each for each in inside if each > 0) / (end - begin))
