"""Layer probe: results of a load probe or a single crafted request.

Owns the wording, units and marks of these names; it must never compute or read anything.
"""

from __future__ import annotations

from functools import partial

from perfconsole.model.dictionary.entry import Entry, Fold
from perfconsole.model.dictionary.rows import GAUGE, HISTOGRAM, STATE, row_of
from perfconsole.model.entity import Kind

row = partial(row_of, scope=Kind.TARGET, owner="on-call")

# One indicator a row: the formatter would make five to nine lines of each.
# fmt: off
ENTRIES: tuple[Entry, ...] = (
    row("probe.ttft", HISTOGRAM, "s", "probe", "time to first token, from the scheduled send"),
    row("probe.itl", HISTOGRAM, "s", "probe", "gap between tokens"),
    row("probe.e2e", HISTOGRAM, "s", "probe", "total time, from the scheduled send"),
    row("probe.generation_rate", GAUGE, "tokens/s", "probe", "output tokens the probe received a second"),
    row("probe.error_ratio", GAUGE, "ratio", "probe",
        "share of requests that failed", warn="> 0", note="proposal", fold=Fold.MAX),
    row("probe.late_ratio", GAUGE, "ratio", "probe",
        "share of requests the probe could not send on time (its own limit)",
        warn="> 5%", note="voids the run; proposal", fold=Fold.MAX),
    row("probe.knee", GAUGE, "requests", "probe",
        "highest concurrency step whose TTFT p95 stayed below 2 times the first step's", fold=Fold.MIN),
    row("probe.throughput_gain", GAUGE, "ratio", "probe",
        "tokens/s at the last step / tokens/s at a step of half its load or less, minus 1",
        warn="< 5%", note="flat; incident 022"),
    row("probe.ttft_repeat_ratio", GAUGE, "ratio", "probe",
        "TTFT of a first request / TTFT of its identical repeat", warn="> 2", note="incident 048"),
    row("probe.prefix_hit_ratio", GAUGE, "ratio", "probe",
        "cached / looked-up tokens on the second send of one long prompt", warn="< 50%", note="incident 046"),
    row("probe.bypass_ttft_ratio", GAUGE, "ratio", "probe",
        "TTFT through the gateway / TTFT straight to the engine", warn="> 3", note="proposal"),
    row("probe.chunk_burst_ratio", GAUGE, "ratio", "probe",
        "share of chunks that arrive within 1 ms of the one before", warn="> 50%", note="proposal"),
    row("probe.connect", HISTOGRAM, "s", "probe",
        "resolve + connect + handshake, new connection each time", warn="p99 > 1s", note="proposal"),
    row("probe.resolve", HISTOGRAM, "s", "probe", "name look-up only", warn="p99 > 1s", note="proposal"),
    row("probe.itl_growth", GAUGE, "ratio", "probe",
        "ITL in the last / in the first quarter of one long answer", warn="> 1.3", note="incident 052"),
    row("probe.neutral_speedup", GAUGE, "ratio", "probe",
        "tokens/s with neutral sampling / with the defaults in use", warn="> 1.3", note="incident 052"),
    row("probe.plain_speedup", GAUGE, "ratio", "probe",
        "tokens/s without / with a response schema", warn="> 2", note="proposal"),
    row("probe.text_speedup", GAUGE, "ratio", "probe",
        "TTFT of a request with media / of a text-only one", warn="> 5", note="proposal"),
    row("probe.recovered", STATE, "0/1", "probe", "speed came back after load was shed for 30 s", fold=Fold.MIN),
)
# fmt: on
