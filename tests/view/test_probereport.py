"""Tests of a probe in lines."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from perfconsole.view.probereport import (
    Archived,
    archive_json,
    archive_lines,
    probe_lines,
    summary,
    telling_step,
    when,
)
from tests.view.flames import HOSTILE
from tests.view.probes import (
    ABORTED,
    CLIENT_BOUND,
    DECODE_BOUND,
    EMPTY,
    KNEE,
    QUEUE_BOUND,
    QUEUED,
    RESULTS,
    named,
    plan,
)

if TYPE_CHECKING:
    from perfconsole.model.proberesult import ProbeResult


def text(result: ProbeResult, width: int = 100) -> list[str]:
    """The report as text."""
    return [line.text for line in probe_lines(result, "/tmp/x.json", "confirmed: probe.knee 16 < 20", width)]  # noqa: S108 - a name


def test_the_report_begins_with_what_was_found() -> None:
    """Line by line down to the table."""
    assert text(QUEUE_BOUND)[:9] == [
        "perfconsole probe  step-load  short-chat  http://127.0.0.1:8000  2025-10-09 08:53:20Z  96 s",
        (
            "found      knee at 16: queueing (2,992 tokens/s at 16 at a time, +0% at 64 at a time; TTFT p50 went from "
            "52 ms to 1.97 s)"
        ),
        "finding    confirmed: probe.knee 16 < 20",
        "goodput    23.4 requests/s at 16: 94-100% within TTFT 1.5 s, TPOT 80 ms",
        "headroom   4.78x: capacity 23.4, traffic 4.9 requests/s; takes +30%, +50%",
        "sent       514 requests, 61,404 prompt and 61,696 output tokens; 0 of the counted requests failed",
        "",
        "load  dlvd ok/err TTFT p50   p95   p99 ITL p50   p99 TPOT p50  tok/s lag p99  run wait   KV",
        "   1  100%    8/0       52     -     -       5     8        5    187     0.3    1    0   3%",
    ]


@pytest.mark.parametrize("width", [60, 80, 100, 160])
def test_tables_are_no_wider_than_they_may_be(width: int) -> None:
    """Columns that find no room follow in a table below."""
    lines = list(probe_lines(QUEUE_BOUND, width=width))
    tables = [line.text for line in lines if line.text.startswith("load ") or line.text[:4].strip().isdigit()]
    assert max(map(len, tables)) <= width
    assert all(any(word in line for line in tables) for word in ("e2e", "per stream", "merged", "tok/event"))


def test_errors_are_told_with_their_kinds() -> None:
    """Beside the latencies, and in the sum."""
    page = "\n".join(text(ABORTED))
    assert "stopped    31% of the last requests failed" in page
    assert "5 of the counted requests failed" in page
    assert "   4  100%   11/5" in page
    assert "4          errors: 3 status, 2 timeout" in page


def test_rows_are_coloured_by_what_is_wrong() -> None:
    """The words say it as well."""
    styles = {line.text[:4].strip(): line.style for line in probe_lines(ABORTED) if line.text[:4].strip().isdigit()}
    assert styles["1"] == ""
    assert styles["4"] == "critical"
    spoiled = [line for line in probe_lines(CLIENT_BOUND) if line.text.endswith(" client")]
    assert {line.style for line in spoiled} == {"warn"}


def test_the_client_itself_and_the_limits_close_it() -> None:
    """And a line to be pasted."""
    page = text(CLIENT_BOUND)
    assert any(line.startswith("THE CLIENT ITSELF") for line in page)
    assert "limits     these steps say nothing of the server: 16, 32" in page
    assert page[-2] == "saved      /tmp/x.json"
    assert page[-1] == f"to paste   {summary(CLIENT_BOUND)}"


@pytest.mark.parametrize("name", RESULTS)
def test_every_kind_of_result_has_a_report(name: str) -> None:
    """Also one in which nothing was measured."""
    assert len(text(RESULTS[name])) > 10


def test_the_summary_is_one_line_of_everything_that_matters() -> None:
    """Fit for a ticket."""
    assert summary(DECODE_BOUND) == (
        "perfconsole probe step-load short-chat 128/128 tokens; Qwen/Qwen2.5-7B-Instruct at http://127.0.0.1:8000; "
        "knee at 16: decode (ITL grew by 45% while nothing waited); at 16: 1496 tokens/s, TTFT p50/p95 52/73.8 ms, "
        "ITL p50/p99 10/16 ms; goodput 23.4 requests/s at 16; 0 errors of 512; engine 0.32.0; NVIDIA H200; "
        "2025-10-09 08:53:20Z"
    )


def test_a_summary_of_nothing_makes_nothing_up() -> None:
    """No rate, no goodput, no engine."""
    assert summary(EMPTY) == (
        "perfconsole probe step-load short-chat 128/128 tokens; Qwen/Qwen2.5-7B-Instruct at http://127.0.0.1:8000; "
        "no knee: no step can be used; 0 errors of 0; 2025-10-09 08:53:20Z"
    )


def test_the_step_that_stands_for_all_is_the_knee() -> None:
    """Else the last one that counts."""
    at, last = telling_step(QUEUED, KNEE), telling_step(CLIENT_BOUND.steps, CLIENT_BOUND.knee)
    assert at is not None
    assert last is not None
    assert (at.step.amount, last.step.amount) == (16.0, 8.0)
    assert telling_step(EMPTY.steps, EMPTY.knee) is None


def test_the_archive_has_a_line_each_the_newest_first() -> None:
    """When, of what, how, what was found, why, and where it lies."""
    kept = [Archived("old.json", QUEUE_BOUND), Archived("new.json", replace(ABORTED, began=QUEUE_BOUND.began + 60))]
    new, old = (line.text for line in archive_lines(kept))
    assert new == (
        "2025-10-09 08:54:20Z  http://127.0.0.1:8000  step-load short-chat 128/128, 1, 2, 4 at a time  "
        "stopped: 31% of the last requests failed  why: Requests wait although memory is free  new.json"
    )
    assert old.startswith("2025-10-09 08:53:20Z")
    assert "knee at 16: queueing" in old


def test_an_empty_archive_says_so() -> None:
    """In place of nothing."""
    assert [line.text for line in archive_lines([])] == ["no probe is kept here"]


def test_the_archive_for_scripts_has_the_same() -> None:
    """Numbers as numbers, what is not known as null."""
    (one,) = archive_json([Archived("x.json", CLIENT_BOUND)])["probes"]
    assert (one["file"], one["recipe"], one["steps"]) == ("x.json", "step-load", [1.0, 2.0, 4.0, 8.0, 16.0, 32.0])
    assert (one["knee"]["concurrency"], one["knee"]["limit"], one["goodput"], one["stopped"]) == (
        None,
        "client",
        None,
        None,
    )


def test_a_recipe_without_a_why_has_none_in_the_archive() -> None:
    """Nobody asked for it but the person."""
    (line,) = archive_lines([Archived("x.json", replace(QUEUE_BOUND, plan=plan(1.0, why="")))])
    assert "why:" not in line.text


def test_a_moment_is_said_in_utc() -> None:
    """Hosts of one service stand in several zones."""
    assert when(0.0) == "1970-01-01 00:00:00Z"


def test_a_label_from_a_recipe_cannot_break_a_table() -> None:
    """Escapes are measured as they are shown."""
    rows = [line.text for line in probe_lines(named(HOSTILE)) if line.text.startswith("\\x1b")]
    assert rows
    assert all("\x1b" not in row for row in rows)
