"""Units in conditions: what fits, what does not, and where."""

from __future__ import annotations

import pytest

from perfconsole.diagnose.parse import parse
from perfconsole.diagnose.units import of_units
from perfconsole.model.dictionary import DEFAULT


@pytest.mark.parametrize(
    "text",
    [
        "engine.ttft.p95 > 1.5s",
        "engine.ttft.p95 > 2",
        "engine.kv_cache_usage > 80%",
        "engine.kv_cache_usage > 0.8",
        "engine.core_cpu > 90%",
        "engine.requests_waiting > 2 * engine.max_num_seqs",
        "engine.requests_running >= engine.max_num_seqs * engine.data_parallel",
        "engine.requests_running / engine.max_num_seqs > 80%",
        "engine.generation_rate < 20 * engine.requests_running",
        "slope(engine.requests_waiting[1m]) * 60 > 3",
        "slope(engine.requests_waiting[1m]) * 600 > engine.max_num_seqs",
        "slope(gpu.mem_used[5m]) * 600 > 1GiB",
        "host.swap_out > 10MiB",
        "host.process_rss_growth > 3k",
        "rate(gpu.energy[1m]) > 80% * max(gpu.power_limit)",
        "delta(engine.kv_transfer_failures[5m]) > 10% * delta(engine.requests_finished[5m])",
        "engine.prefix_cache_lifetime_ratio - engine.prefix_cache_hit_ratio > 30%",
        "spread(engine.rank_running) > 1.5",
        "changes(engine.ready[10m]) > 2",
        "engine.requests_running / engine.generation_rate > 1",
        "gpu.recovery_action > 0",
        "engine.no_such_name > 80%",
    ],
)
def test_what_is_counted_alike_may_be_compared(text: str) -> None:
    """Products and rates have units of their own; a plain number has that of the other side."""
    assert list(of_units(parse(text), DEFAULT)) == []


@pytest.mark.parametrize(
    ("text", "column", "said"),
    [
        (
            "engine.ttft.p95 > 80%",
            19,
            "is in seconds, 80% is a share; compare engine.ttft.p95 with a time",
        ),
        (
            "80% < engine.ttft.p95",
            1,
            "80% is a share, engine.ttft.p95 is in seconds; compare engine.ttft.p95",
        ),
        ("engine.kv_cache_usage > 3s", 25, "engine.kv_cache_usage is a ratio, 3s is a time"),
        ("engine.kv_cache_usage > 2k", 25, "2k is a number in thousands"),
        ("engine.up > 50MiB", 13, "engine.up is a state, 0 or 1, 50MiB is a size"),
        (
            "engine.response_size.mean > engine.prompt_length.mean",
            29,
            "engine.prompt_length.mean is in tokens",
        ),
        (
            "engine.prompt_length.mean > engine.requests_running",
            29,
            "engine.requests_running is in requests",
        ),
        ("engine.ttft.p95 + engine.response_size.mean > 3", 19, "only like can be added to like"),
        ("engine.ttft.p95 * engine.generation_rate > 3s", 44, "is in seconds x tokens/s, 3s is a time"),
        ("rate(engine.preemptions[1m]) > 5%", 32, "is in requests/s, 5% is a share"),
        ("spread(engine.rank_running) > 3s", 31, "is a ratio, 3s is a time"),
        ("count(engine.rank_running) > 50%", 30, "is in count, 50% is a share"),
        ("engine.itl.p50 > 2 * base(engine.generation_rate)", 18, "2 * base(engine.generation_rate) is in tokens/s"),
    ],
)
def test_what_is_not_is_named_at_the_side_that_is_wrong(text: str, column: int, said: str) -> None:
    """A number before a reading, else the right side."""
    [(code, message, place)] = of_units(parse(text), DEFAULT)
    assert (code, place) == ("unit-mismatch", column)
    assert said in message
