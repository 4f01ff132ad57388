"""Tests of the stable JSON of a report."""

from __future__ import annotations

import json
from math import inf, nan
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perfconsole.model.entity import Entity, Kind
from perfconsole.model.episode import Episode
from perfconsole.model.finding import (
    CheckResult,
    FindingCheck,
    MissingOperand,
    RuledOut,
    Undecided,
    Verdict,
)
from perfconsole.model.rule import Severity
from perfconsole.model.sample import Fact, Missing
from perfconsole.model.snapshot import Baseline, Indicator, Snapshot, SourceState
from perfconsole.view.report_json import episode_json, finding_json, report
from tests.view.pictures import ENGINE, finding, indicator, reading, snapshot, source

FULL = snapshot(
    indicators=(indicator("engine.requests_running", 3.0),),
    findings=(
        finding(
            readings=(reading("engine.kv_cache_usage < 80%", ("engine.kv_cache_usage", 0.5), held=(12.0, 60.0)),),
            ruled_out=(RuledOut("preemption-storm", "engine.preemption_ratio > 5%", ()),),
            not_ruled_out=(("engine.up", Missing.STALE),),
            checks=(FindingCheck("run", "ps -p 1", ("ps", "-p", "1"), "a", "b", CheckResult.CONFIRMED),),
            remedies=("Raise it",),
        ),
    ),
    undecided=(
        Undecided("r", "R", Severity.WARN, ENGINE, (MissingOperand("engine.up", Missing.STALE, "metrics page"),)),
    ),
    sources=(source(),),
    facts=(Fact("engine.version", ENGINE, "0.32.0"),),
)


def document(of: Snapshot = FULL) -> dict[str, Any]:
    """The report after a way through JSON."""
    text = json.dumps(report(of, version="1.2.3", host="gpu-07", took_s=30.00049), allow_nan=False)
    loaded: dict[str, Any] = json.loads(text)
    return loaded


def test_the_document_has_the_keys_of_the_schema() -> None:
    """Top-level keys, in order, with number, tool and host."""
    top = document()
    assert list(top) == [
        *("schema", "tool", "t", "host", "took_s"),
        *("indicators", "findings", "undecided", "sources", "trends", "upstreams", "facts"),
    ]
    assert (top["schema"], top["tool"], top["host"], top["took_s"]) == (1, "1.2.3", "gpu-07", 30.0)
    assert top["t"] == "2023-11-14T22:13:20.000+00:00"


@pytest.mark.parametrize(
    ("part", "keys"),
    [
        ("indicators", "name entity value unit missing baseline lifetime mark owner at_least parts"),
        (
            "findings",
            (
                "rule row entity state verdict result severity class title since_s cut cause readings ruled_out "
                "not_ruled_out explained_by checks remedies evidence baselines"
            ),
        ),
        ("undecided", "rule entity missing"),
        ("sources", "name kind state reason took_s cadence_s notes"),
        ("facts", "name entity value"),
    ],
)
def test_every_part_has_exactly_its_keys(part: str, keys: str) -> None:
    """No key of the schema is left out, and none beyond the additive ones is there."""
    assert sorted(document()[part][0]) == sorted(keys.split())


def test_the_parts_of_a_finding_have_their_keys() -> None:
    """Readings, exclusions and checks carry what the schema names."""
    shown = finding_json(FULL.findings[0], FULL.t)
    assert shown["readings"] == [
        {
            "condition": "engine.kv_cache_usage < 80%",
            "truth": "true",
            "operands": {"engine.kv_cache_usage": 0.5},
            "held_s": 12.0,
            "hold_s": 60.0,
        }
    ]
    assert shown["ruled_out"] == [
        {"rule": "preemption-storm", "condition": "engine.preemption_ratio > 5%", "operands": {}}
    ]
    assert shown["not_ruled_out"] == ["engine.up"]
    assert shown["checks"] == [
        {
            "kind": "run",
            "text": "ps -p 1",
            "argv": ["ps", "-p", "1"],
            "confirms": "a",
            "refutes": "b",
            "result": "confirmed",
        }
    ]
    assert (shown["since_s"], shown["state"], shown["verdict"], shown["severity"]) == (40.0, "firing", "likely", "warn")


def test_undecided_rules_name_what_they_lack() -> None:
    """Name, reason and kind of source, as the contract spells them."""
    assert document()["undecided"] == [
        {
            "rule": "r",
            "entity": "engine/vllm:8000",
            "missing": [{"name": "engine.up", "reason": "stale", "source": "metrics page"}],
        }
    ]


@pytest.mark.parametrize("reason", list(Missing))
def test_a_missing_value_is_null_with_its_reason(reason: Missing) -> None:
    """Never 0: null beside the reason in the contract's spelling."""
    shown = document(snapshot(indicators=(indicator("engine.requests_running", reason),)))["indicators"][0]
    assert (shown["value"], shown["missing"]) == (None, reason.value)


def test_a_known_value_is_in_base_units_and_has_no_reason() -> None:
    """Zero that was measured is 0, not null."""
    shown = document(snapshot(indicators=(indicator("engine.kv_cache_usage", 0.0),)))["indicators"][0]
    assert (shown["value"], shown["unit"], shown["missing"]) == (0.0, "ratio", None)


@pytest.mark.parametrize("odd", [inf, -inf, nan])
def test_what_json_cannot_say_is_null(odd: float) -> None:
    """Infinity in a value, a baseline, a lifetime figure or an operand never breaks the document."""
    shown = document(
        snapshot(
            indicators=(Indicator("engine.ttft.p99", ENGINE, odd, "s", Baseline(odd, "given"), odd),),
            findings=(finding(readings=(reading("c", ("engine.ttft.p99", odd)),)),),
        )
    )
    row = shown["indicators"][0]
    assert (row["value"], row["lifetime"], row["baseline"]) == (None, None, {"value": None, "kind": "given"})


@given(st.lists(st.one_of(st.floats(), st.sampled_from(Missing)), max_size=5), st.text(max_size=8))
@settings(max_examples=60)
def test_any_values_and_names_make_a_document(values: list[float | Missing], name: str) -> None:
    """Whatever was measured and whatever a target calls itself, JSON comes out and goes back in."""
    engine = Entity(Kind.ENGINE, name)
    rows = tuple(Indicator("engine.up", engine, v, "0/1") for v in values)
    shown = document(snapshot(indicators=rows, facts=(Fact("engine.model", engine, name),)))
    assert [r["entity"] for r in shown["indicators"]] == [f"engine/{name}"] * len(values)


def test_findings_keep_their_order() -> None:
    """The ranked order of the snapshot is the order of the document."""
    ranked = tuple(finding(rule) for rule in ("z", "a", "m"))
    assert [f["rule"] for f in document(snapshot(findings=ranked))["findings"]] == ["z", "a", "m"]


def test_a_source_says_its_state_and_reason() -> None:
    """A source that is down carries the words of its failure."""
    down = source(state=SourceState.DOWN, reason="connection refused", took_s=None, notes=("n",))
    shown = document(snapshot(sources=(down,)))["sources"][0]
    assert (shown["state"], shown["reason"], shown["took_s"], shown["notes"]) == (
        "down",
        "connection refused",
        None,
        ["n"],
    )


def test_a_check_without_a_command_has_no_argv() -> None:
    """Null, not an empty list."""
    look = FindingCheck("look", "the log", None, "a", "b", None)
    shown = finding_json(finding(checks=(look,)), 100.0)["checks"][0]
    assert (shown["argv"], shown["result"]) == (None, None)


def test_an_episode_counts_from_the_start_of_the_run() -> None:
    """Seconds of the timeline are those of the run, not of the machine."""
    episode = Episode(
        "r", "R", ENGINE, 1010.0, 1025.5, fired=True, verdict=Verdict.LIKELY, severity=Severity.WARN, first=True,
        explained_by=None,
    )  # fmt: skip
    shown = episode_json(episode, 1000.0)
    assert (shown["from_s"], shown["to_s"], shown["entity"], shown["fired"]) == (10.0, 25.5, "engine/vllm:8000", True)
