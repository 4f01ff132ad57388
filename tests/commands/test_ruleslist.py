"""Tests of what `rules list` can choose and sort, and of all that `rules show` tells."""

from __future__ import annotations

import json

from tests.commands.running import perfconsole


def listed(*arguments: str) -> list[dict[str, str]]:
    """Rules of the list."""
    found: list[dict[str, str]] = json.loads(perfconsole("rules", "list", "--json", *arguments).out)
    return found


def test_a_layer_alone_can_be_listed() -> None:
    """Some, and none of another layer."""
    ids = [rule["id"] for rule in listed("--layer", "gpu")]
    assert "gpu-lost" in ids
    assert "admission-cap" not in ids


def test_an_unknown_layer_is_a_usage_error() -> None:
    """One line, with those there are."""
    run = perfconsole("rules", "list", "--layer", "engines")
    assert (run.code, run.err.count("\n")) == (2, 1)
    assert "engine" in run.err


def test_the_worst_come_first_by_severity() -> None:
    """Rules of one severity stay in the order of their rows."""
    severities = [rule["severity"] for rule in listed("--sort", "severity")]
    assert severities == sorted(severities, key=["critical", "warn", "info"].index)
    rows = [rule["row"] for rule in listed()]
    critical = [rule["row"] for rule in listed("--sort", "severity") if rule["severity"] == "critical"]
    assert critical == [row for row in rows if row in critical]


def test_the_list_can_be_sorted_by_id() -> None:
    """As one looks for a name."""
    ids = [rule["id"] for rule in listed("--sort", "id")]
    assert ids == sorted(ids)


def test_show_tells_answers_fall_backs_escalation_and_evidence() -> None:
    """Everything a reader needs to trust it or not."""
    text = perfconsole("rules", "show", "itl-high").out
    assert "no history     condition 1: engine.tpot.p90 > 80ms for 60s" in text
    assert "  confirms  engine.delivery_ratio > 1.5" in text
    assert "  refutes   engine.delivery_ratio < 1.2" in text
    assert "evidence       engine.tpot.p50, " in text
    assert "escalates      critical when " in perfconsole("rules", "show", "errors-high").out


def test_show_as_json_tells_the_same() -> None:
    """Keys of a file, checks with their answers."""
    shown = json.loads(perfconsole("rules", "show", "itl-high", "--json").out)
    assert shown["fallback"]["1"].startswith("engine.tpot.p90 > 80ms")
    assert shown["checks"][0]["confirms"] == "engine.delivery_ratio > 1.5"
    assert (shown["layer"], shown["confidence"]) == ("engine", "medium")


def test_a_slip_in_the_id_is_answered_with_the_nearest() -> None:
    """One line."""
    run = perfconsole("rules", "show", "admision-cap")
    assert "did you mean 'admission-cap'?" in run.err
