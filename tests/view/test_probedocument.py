"""Tests of a result as a document."""

from __future__ import annotations

from dataclasses import replace

import pytest

from perfconsole.view.probedocument import document
from tests.view.flames import HOSTILE
from tests.view.probes import ABORTED, EMPTY, QUEUE_BOUND, RESULTS, named, plan


def test_the_verdict_and_what_it_means_come_first() -> None:
    """Then who asked, goodput, headroom and errors."""
    told = document(QUEUE_BOUND, "confirmed: probe.knee 16 < 20")
    assert told.title == "Probe of http://127.0.0.1:8000"
    assert told.verdict.startswith("knee at 16: queueing")
    assert [word for word, _ in told.result] == [
        "asked by",
        "the finding",
        "goodput",
        "headroom",
        "errors",
        "when",
        "in one line",
    ]


def test_tables_are_rectangles_with_units_in_their_heads() -> None:
    """The word of a step stands in the last column."""
    steps, client, engine, spreads = document(QUEUE_BOUND).tables
    for table in (steps, client, engine, spreads):
        assert {len(row) for row in table.rows} == {len(table.heads)}
    assert steps.heads[:5] == ("load", "dlvd", "ok/err", "TTFT p50 ms", "TTFT p95 ms")
    assert [row[-1] for row in steps.rows] == ["", "", "", "", "knee", "", ""]


def test_the_client_side_is_on_every_row() -> None:
    """Lag, merged reads, lateness, CPU and what was delivered."""
    client = document(QUEUE_BOUND).tables[1]
    assert {"lag p99 ms", "merged", "late p99 ms", "CPU", "dlvd", "tokens +-"} <= set(client.heads)
    assert len(client.rows) == len(QUEUE_BOUND.steps)


def test_plan_environment_words_and_limits_are_in_it() -> None:
    """Years later nobody remembers them."""
    told = document(QUEUE_BOUND)
    lists = dict(told.lists)
    assert ("gpu.0.name", "NVIDIA H200") in lists["Environment"]
    assert ("ladder", "1, 2, 4, 8, 16, 32, 64 at a time; each until 32 requests have ended or 15 s are over") in lists[
        "What was sent"
    ]
    assert "TTFT" in dict(lists["What the words mean"])
    assert told.limits


def test_what_is_empty_has_no_heading() -> None:
    """No environment, no tables of no step."""
    told = document(replace(EMPTY, steps=()))
    assert told.tables == ()
    assert "Environment" not in dict(told.lists)
    assert "About the steps" not in dict(told.lists)


def test_a_stop_and_its_errors_are_told() -> None:
    """First, and by their kinds."""
    told = document(ABORTED)
    assert told.result[0] == ("stopped", "31% of the last requests failed")
    assert ("4", "errors: 3 status, 2 timeout") in dict(told.lists)["About the steps"]


def test_several_runs_are_told() -> None:
    """Their medians are what stands there."""
    thrice = replace(QUEUE_BOUND, plan=plan(1.0, runs=3))
    assert ("runs", "3, medians count") in dict(document(thrice).lists)["What was sent"]


@pytest.mark.parametrize("name", RESULTS)
def test_every_kind_of_result_is_a_document(name: str) -> None:
    """Also one without any number."""
    assert document(RESULTS[name]).verdict


def test_nothing_from_outside_is_left_as_it_came() -> None:
    """Wherever it stands."""
    told = document(named(HOSTILE), HOSTILE)
    assert "\x1b" not in repr(told).encode().decode("unicode_escape").replace("\\x1b", "")
    assert "\\x1b[31mred" in told.title
