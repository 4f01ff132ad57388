"""Tests of the cells of a probe's tables."""

from __future__ import annotations

from dataclasses import replace

import pytest

from perfconsole.model.probeplan import Shape, Step
from perfconsole.model.proberesult import Spread, StepResult
from perfconsole.view.probetable import (
    ENGINE,
    HONESTY,
    LATENCIES,
    Column,
    latencies,
    millis,
    step_names,
    step_notes,
    withheld,
)
from tests.view.probes import ABORTED, CLIENT, CLIENT_BOUND, EMPTY, QUEUED, result, server

EVERY = (*LATENCIES, *HONESTY, *ENGINE)


def cell(head: str, step: StepResult, columns: tuple[Column, ...] = EVERY) -> str:
    """Text of one cell."""
    return next(column.cell(step).text for column in columns if column.head == head)


def test_times_are_milliseconds_of_three_digits() -> None:
    """One unit down a column can be compared; a time that is not there is a dash."""
    assert [millis(value) for value in (0.0523, 1.2345, 0.0000401, None)] == ["52.3", "1234", "0.0401", "-"]


def test_good_and_failed_requests_always_stand_together() -> None:
    """Latencies of the ones say nothing of the others."""
    failed = replace(QUEUED[2], errors=5)
    column = next(c for c in LATENCIES if c.head == "ok/err")
    assert (column.cell(failed).text, column.cell(failed).style) == ("11/5", "critical")
    assert column.cell(QUEUED[2]) == ("16/0", "")


@pytest.mark.parametrize(("share", "text"), [(1.0, "100%"), (0.97, "97%"), (0.969, "97%!"), (0.83, "83%!")])
def test_load_that_was_not_delivered_has_a_sign(share: float, text: str) -> None:
    """Below 97% it was another load than the one asked for."""
    assert cell("dlvd", replace(QUEUED[0], client=replace(CLIENT, delivered=share))) == text


def test_new_connections_are_not_blamed_for_the_time_that_they_take() -> None:
    """While one is opened nothing is in flight."""
    fresh = replace(QUEUED[0], client=replace(CLIENT, delivered=0.5), step=replace(QUEUED[0].step, fresh=True))
    assert cell("dlvd", fresh) == "50%"


def test_lag_has_a_sign_only_where_it_matters() -> None:
    """Above a tenth of the time between tokens, and above a millisecond."""
    lags = [(0.0009, 0.005), (0.0012, 0.005), (0.0012, 0.05)]
    steps = [
        replace(QUEUED[0], client=replace(CLIENT, loop_lag_p99=lag), itl=replace(QUEUED[0].itl, p50=gap))
        for lag, gap in lags
    ]
    assert [cell("lag p99", step) for step in steps] == ["0.9", "1.2!", "1.2"]


def test_signs_of_a_client_in_the_way() -> None:
    """Merged reads and a full core."""
    step = CLIENT_BOUND.steps[4]
    assert (cell("merged", step), cell("CPU", step)) == ("31%!", "98%!")
    assert (cell("merged", QUEUED[0]), cell("CPU", QUEUED[0])) == ("0%", "4%")


def test_tokens_a_stream_are_those_of_a_closed_loop() -> None:
    """An open loop has no number of streams."""
    rate = replace(QUEUED[0], step=Step(Shape.RATE, 4))
    assert (cell("per stream", QUEUED[4]), cell("per stream", rate)) == ("187", "-")


def test_the_client_is_put_beside_the_engine() -> None:
    """Tokens in percent, TTFT in milliseconds, requests in the engine and in flight."""
    seen = replace(server(16), output_tokens=1000, client_output_tokens=990)
    step = replace(QUEUED[4], server=replace(seen, client_ttft=Spread(200, 0.05), ttft=Spread(200, 0.052)))
    assert (cell("tokens +-", step), cell("TTFT +-", step)) == ("-1.0%", "-2")
    assert (cell("in flight", QUEUED[6]), cell("run+wait", QUEUED[6])) == ("64", "64")


def test_without_the_engine_its_cells_are_dashes() -> None:
    """Nobody gave these numbers."""
    alone = replace(QUEUED[0], server=None)
    heads = ("run", "wait", "KV", "in flight", "run+wait", "tokens +-", "TTFT +-", "queue p50", "hits")
    assert {cell(head, alone) for head in heads} == {"-"}


def test_an_empty_step_has_no_number_but_counts() -> None:
    """And no cell fails of it."""
    (empty,) = EMPTY.steps
    told = {column.head: column.cell(empty).text for column in LATENCIES}
    assert told.pop("ok/err") == "0/0"
    assert set(told.values()) == {"-"}
    assert all(column.cell(empty).text for column in EVERY)


def test_beside_another_percentile_a_heading_is_short() -> None:
    """But never where it would stand alone."""
    p50, p95 = (c for c in LATENCIES if c.name == "TTFT" and c.part in ("p50", "p95"))
    assert (p95.head_after(p50), p95.head_after(None), p50.head_after(LATENCIES[1])) == ("p95", "TTFT p95", "TTFT p50")


def test_the_answer_itself_has_a_column_where_reasoning_came_before() -> None:
    """Elsewhere it would repeat TTFT."""
    reasoned = replace(QUEUED[0], ttfo=Spread(8, 0.5, 0.5))
    heads = [column.head for column in latencies((reasoned,))]
    assert heads[heads.index("TTFO p50") + 1] == "ITL p50"
    assert latencies(QUEUED) == LATENCIES


def test_a_load_that_comes_again_says_so() -> None:
    """After it was shed."""
    assert step_names((QUEUED[0], QUEUED[1], QUEUED[0])) == ["1", "2", "1 again"]


def test_what_is_to_be_known_of_a_step_has_its_name() -> None:
    """Why it does not count, how requests failed, how far runs differ."""
    thrice = replace(QUEUED[1], runs=3, run_spread=0.042)
    assert step_notes((QUEUED[0], thrice, replace(QUEUED[2], runs=2))) == [
        ("2", "median of 3 runs, at most 4.2% from it in tokens/s"),
        ("4", "median of 2 runs"),
    ]
    assert step_notes(ABORTED.steps) == [("4", "errors: 3 status, 2 timeout")]
    assert step_notes(CLIENT_BOUND.steps)[0][0] == "16"


def test_withheld_percentiles_are_noticed() -> None:
    """Of samples that are there."""
    assert withheld(QUEUED[:1])
    assert not withheld((result(0, 32, 100.0),))
    assert not withheld(EMPTY.steps)
