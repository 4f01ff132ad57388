"""Layer gateway: what stands between callers and engines.

Owns the wording, units and marks of these names; it must never compute or read anything.
"""

from __future__ import annotations

from functools import partial

from perfconsole.model.dictionary.entry import Entry, Fold
from perfconsole.model.dictionary.rows import COUNTER, DERIVED, FACT, GAUGE, HISTOGRAM, STATE, row_of
from perfconsole.model.entity import Kind

row = partial(row_of, scope=Kind.GATEWAY, owner="platform")

# One indicator a row: the formatter would make five to nine lines of each.
# fmt: off
ENTRIES: tuple[Entry, ...] = (
    row("gateway.up", STATE, "0/1", "poll",
        "metrics or health route answered the last poll; 0 when refused, reset, unreachable or 5xx. A connection "
        "accepted and not answered keeps 1 and lets health_time grow, until 30 s",
        warn="== 0", note="when it stays so for 3 polls; proposal", fold=Fold.MIN),
    row("gateway.processes", GAUGE, "count", "proc",
        "processes of the gateway alive; 0 after it was seen once and is gone", critical="== 0", note="proposal"),
    row("gateway.stopped_processes", GAUGE, "count", "proc",
        "processes of the gateway in state T or t (stopped, traced), Z (zombie), or D (uninterruptible) in two polls "
        "in a row",
        warn="> 0", note="proposal"),
    row("gateway.health_time", GAUGE, "s", "poll",
        "time the health route took to answer the console", warn="> 1s", note="proposal"),
    row("gateway.loop_delay", HISTOGRAM, "s", "live",
        "delay of the event loop at one look of its own monitor"),
    row("gateway.loop_lag", GAUGE, "s", "live, log",
        "worst event-loop scheduling delay in the window, or p99 of loop_delay over 10 s",
        warn="> 50ms", note="proposal; Dynamo counts 5 ms as a stall"),
    row("gateway.requests", COUNTER, "requests", "live", "unique client requests accepted"),
    row("gateway.request_rate", DERIVED, "requests/s", "live",
        "client requests a second; requests/s = rate of gateway.requests"),
    row("gateway.errors", COUNTER, "requests", "live",
        "requests ended 5xx, by upstream failure, gateway timeout or no response (4xx apart)",
        note="marked through gateway.error_ratio"),
    row("gateway.error_ratio", DERIVED, "ratio", "live",
        "share of requests that ended in an error; ratio = d(errors) / d(requests) over 5 min; missing below 20 "
        "requests",
        warn="> 1%", critical="> 5%", note="proposal"),
    row("gateway.rate_limited", COUNTER, "requests", "live",
        "requests refused: 429, breaker overflow, admission refusal"),
    row("gateway.rate_limited_ratio", DERIVED, "ratio", "live",
        "share of requests refused for a limit; ratio = d(rate_limited) / d(requests) over 5 min; missing below 20 "
        "requests",
        warn="> 5%", note="any is worth knowing; proposal"),
    row("gateway.retries", COUNTER, "attempts", "live",
        "upstream attempts after the first (fallbacks included where they are not counted apart)"),
    row("gateway.retry_ratio", DERIVED, "ratio", "live",
        "upstream attempts repeated, per request; ratio = d(retries) / d(requests) over 5 min; missing below 20 "
        "requests",
        warn="> 5%", note="proposal"),
    row("gateway.fallbacks", COUNTER, "events", "live", "requests answered by another upstream or model"),
    row("gateway.max_retries", FACT, "count", "fact", "configured retry limit"),
    row("gateway.request_timeout", FACT, "s", "fact", "configured upstream timeout"),
    row("gateway.client_gone", COUNTER, "requests", "live, log",
        "caller closed before the answer ended (499, disconnects)"),
    row("gateway.client_gone_ratio", DERIVED, "ratio", "live, log",
        "share of requests whose caller left early; ratio = d(client_gone) / d(requests) over 5 min; missing below 20 "
        "requests",
        warn="> 2%", note="proposal"),
    row("gateway.inflight", GAUGE, "requests", "live", "requests or streams held by the gateway"),
    row("gateway.queue_depth", GAUGE, "requests", "live",
        "waiting in the gateway before an upstream takes them", warn="> 0", note="when held for 1 min; proposal"),
    row("gateway.queue_time", HISTOGRAM, "s", "live",
        "time waiting in the gateway before an upstream takes the request"),
    row("gateway.latency", HISTOGRAM, "s", "live",
        "caller-visible total time at the gateway", note="objective of the route; proposal"),
    row("gateway.upstream_latency", HISTOGRAM, "s", "live", "time spent in the upstream"),
    row("gateway.overhead", HISTOGRAM, "s", "live",
        "own processing; latency minus upstream_latency where the gateway does not export it",
        warn="p95 > 100ms", note="proposal"),
    row("gateway.ttft", HISTOGRAM, "s", "live",
        "time to first token or byte at the gateway", note="objective of the route; proposal"),
    row("gateway.itl", HISTOGRAM, "s", "live",
        "gap between chunks leaving the gateway",
        note="below 60% of the engine's is impossible without buffering; incident 008"),
    row("gateway.tokens_in", COUNTER, "tokens", "live", "prompt tokens of the requests accepted"),
    row("gateway.tokens_out", COUNTER, "tokens", "live", "output tokens sent to callers"),
    row("gateway.generation_rate", DERIVED, "tokens/s", "live",
        "output tokens a second; tokens/s = rate of gateway.tokens_out"),
    row("gateway.response_size", HISTOGRAM, "bytes", "live, log",
        "bytes per response or stream", warn="mean > 1MiB", note="incident 022"),
    row("gateway.unknown_callers", GAUGE, "count", "proc",
        "connections to the gateway in the last minute that lasted and that no watched program holds; unsupported "
        "while a watched one cannot be seen"),
    row("gateway.upstream_requests", COUNTER, "requests", "live", "calls sent upstream"),
    row("gateway.upstream_healthy", GAUGE, "ratio", "live",
        "healthy / total upstreams (closed breakers healthy)", warn="< 100%", critical="== 0", note="proposal"),
    row("gateway.circuit_open", GAUGE, "count", "live",
        "breakers open or deployments cooling down", warn="> 0", note="proposal"),
    row("gateway.saturation", GAUGE, "ratio", "live",
        "gateway's own load figure (EPP pool saturation, 1 - HAProxy idle)",
        warn="> 90%", note="proposal", fold=Fold.MAX),
    row("gateway.connect_time", HISTOGRAM, "s", "live, probe",
        "resolve + connect + handshake towards the upstream", warn="p99 > 1s", note="proposal"),
    row("gateway.amplification", DERIVED, "ratio", "live",
        "engine requests per gateway request; ratio = d(engine arrivals, summed) / (d(gateway.requests) + share of "
        "d(gateway.inflight)) over 5 min, with arrivals = finished + change of (running + waiting), and the share 0 to "
        "1 as the polls tell when the gateway counts; missing below 20 requests",
        note="above 1.3 times its baseline; proposal"),
    row("gateway.arrival_burst", DERIVED, "ratio", "live",
        "busiest second against the mean of engine arrivals; ratio = max over 1 s of arrivals / their mean over 5 min "
        "from the first one on, a mean below 2 a second taken as 2; missing below 20 arrivals or 30 s, and where polls "
        "are more than 2.5 s apart",
        warn="> 5", note="proposal"),
    row("gateway.bypass_ratio", DERIVED, "ratio", "live",
        "share of engine arrivals this gateway did not send; ratio = 1 - (d(gateway.upstream_requests) + rise of "
        "gateway.inflight) / d(engine arrivals), not below 0; missing below 20 arrivals",
        warn="> 20%", note="seed"),
    row("gateway.upstream_spread", DERIVED, "ratio", "live",
        "how evenly requests are spread over the upstreams that the page tells apart; ratio = "
        "d(gateway.upstream_requests) of the busiest one / the mean of those that stand in for it, 5 min, of the most "
        "uneven of several such pools (backends, models); missing below 20 requests or two upstreams",
        warn="> 1.5", note="proposal"),
    row("gateway.adder_growth", DERIVED, "ratio", "live, probe",
        "how the time the gateway adds grows with load; ratio = mean of (gateway.ttft.p50 - engine.ttft.p50) in the "
        "minutes of the last hour whose load lies in the middle third of what was seen / the same in the lowest third, "
        "at least 3 minutes each; load = requests that its engines run; missing while the highest load is below twice "
        "the lowest, or the adder below 5 ms; from a step probe if one ran",
        note="below 2 with an adder over 20 ms: a timer; incident 012"),
    row("gateway.slow_mode", DERIVED, "s", "live",
        "place of a second peak in the latency histogram of the last 5 min; s = mean of the peak: a local maximum of "
        "the bucket density at 4 times the median or more, of at least 12 and 0.2 to 20% of the requests, behind a "
        "valley of a tenth of its density; missing if there is none, or its buckets are wider than 1 to 1.35",
        note="between 4.5 and 5.5 s: a resolver timeout; incident 015"),
    row("gateway.slow_mode_share", DERIVED, "ratio", "live",
        "share of requests in that second peak; ratio = requests in the peak of gateway.slow_mode / all requests of "
        "the last 5 min"),
    row("gateway.store_timeouts", COUNTER, "events", "live, log",
        "timed-out background writes (spend log, audit, cache)", note="any rate above 0; proposal"),
    row("gateway.store_connection_ratio", GAUGE, "ratio", "live, typed",
        "side-store connections used / allowed", warn="> 90%", note="proposal", fold=Fold.MAX),
    row("gateway.store_cpu", GAUGE, "ratio", "typed",
        "CPU of the side store", warn="> 80%", note="proposal", fold=Fold.MAX),
    row("gateway.store_latency", HISTOGRAM, "s", "typed", "write time the store itself reports"),
    row("gateway.store_cache_connections", GAUGE, "count", "typed", "connections to the gateway's cache"),
    row("gateway.misrouted_ratio", GAUGE, "ratio", "log",
        "share sent to a pool it was not meant for (needs routing intent)"),
    row("gateway.process_cpu", GAUGE, "cores", "proc, live",
        "busiest process or thread of the gateway", warn=">= 0.9", note="when held for 30 s; proposal", fold=Fold.MAX),
)
# fmt: on
