"""Conditions in words."""

from __future__ import annotations

import pytest

from perfconsole.diagnose.parse import names, parse
from perfconsole.diagnose.rulefile import load_folder, shipped_folder
from perfconsole.model.dictionary import DEFAULT
from perfconsole.view.conditionwords import branches, condition_words, duration_words, linked, read_names


def said(text: str) -> str:
    """The words with every link reduced to its name."""
    words = condition_words(parse(text), DEFAULT)
    for name in names(parse(text)):
        words = words.replace(linked(name), name)
    return words


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("engine.itl.p90 > 80ms for 60s", "engine.itl.p90 is above 80 ms for 60 s"),
        ("engine.kv_cache_usage >= 90%", "engine.kv_cache_usage is at least 90%"),
        ("engine.kv_cache_usage >= 0.9", "engine.kv_cache_usage is at least 90%"),
        ("engine.kv_cache_usage == 1", "engine.kv_cache_usage is 100%"),
        ("engine.load_ratio > 1.3", "engine.load_ratio is above 1.3"),
        ("engine.requests_waiting != 5", "engine.requests_waiting is not 5 requests"),
        ("engine.up == 0", "engine.up is 0"),
        ("engine.core_cpu < 90%", "engine.core_cpu is below 90% of a core"),
        ("host.process_rss_growth > 3k", "host.process_rss_growth is above 3000 bytes/s"),
        ("host.swap_out > 10MiB", "host.swap_out is above 10 MiB"),
        ("engine.kv_time_to_full < 5m", "engine.kv_time_to_full is below 5 min"),
        (
            "engine.ttft.p95 > 1.5 * base(engine.ttft.p95)",
            "engine.ttft.p95 is above 1.5 times the healthy baseline of engine.ttft.p95",
        ),
        (
            "rate(gpu.pcie_replays[5m]) > 1",
            "the rate of gpu.pcie_replays over 5 min is above 1 events/s",
        ),
        (
            "changes(engine.kv_transfers_pending[10m]) == 0",
            "the number of changes of engine.kv_transfers_pending over 10 min is 0",
        ),
        ("max(gpu.dram_active) > 80%", "the highest gpu.dram_active is above 80%"),
        ("spread(engine.rank_running) > 1.5", "the highest against the mean of engine.rank_running is above 1.5"),
        ("not engine.up == 1", "not: engine.up is 1"),
        (
            "(engine.up == 0 or engine.ready == 0) and engine.uptime > 1h",
            "(engine.up is 0 or engine.ready is 0) and engine.uptime is above 1 h",
        ),
    ],
)
def test_a_condition_is_said_with_its_units(text: str, words: str) -> None:
    """A number without a unit has that of the reading beside it."""
    assert said(text) == words


def test_what_an_or_joins_can_stand_in_a_list() -> None:
    """One item each; a condition that joins nothing is one."""
    assert len(branches(parse("engine.up == 0 or engine.ready == 0"), DEFAULT)) == 2
    assert len(branches(parse("engine.up == 0"), DEFAULT)) == 1


def test_a_duration_is_said_in_its_largest_whole_unit() -> None:
    """One minute stays 60 s, as holds are counted in seconds on the screen."""
    assert [duration_words(s) for s in (0.5, 60, 90, 300, 3600, 86400)] == [
        "0.5 s",
        "60 s",
        "90 s",
        "5 min",
        "1 h",
        "24 h",
    ]


def test_every_name_of_every_shipped_condition_leads_to_the_dictionary() -> None:
    """Nothing that a rule reads is lost in its words."""
    rules, _ = load_folder(shipped_folder(), cases=False)
    for condition in (c for rule in rules for c in (*rule.when, *rule.unless)):
        words = condition_words(condition.expression, DEFAULT)
        assert all(linked(name) in words for name in names(condition.expression))
        assert tuple(dict.fromkeys(read_names(condition.expression))) == names(condition.expression)
