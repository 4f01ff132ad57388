"""Tests of the first rows of the page of a probe."""

from __future__ import annotations

from dataclasses import replace

from perfconsole.model.probeview import LayerNow, ProbeView
from perfconsole.view.canvas import plain_text
from perfconsole.view.glyphs import ASCII
from perfconsole.view.probehead import head_rows, title_span
from perfconsole.view.scrolling import Paper
from tests.view.probes import ABORTED, CLIENT_BOUND, KNEE, QUEUE_BOUND, plan, running

PAPER = Paper.of(100, ASCII)


def rows(view: ProbeView) -> list[str]:
    """The rows as text."""
    return plain_text(head_rows(view, PAPER)).split("\n")


def test_while_it_runs_it_says_how_far_it_is() -> None:
    """How much is gone and left, the step under way, and each layer under the load in a row."""
    assert rows(running()) == [
        f"[{'#' * 7}{'-' * 17}]  38 s, 80 s left at most  short-chat to http://127.0.0.1:8000",
        "32 at a time: 12 of 32 requests, 0 errors, 32 in flight",
        "engine    running 16  waiting 16  KV 48%",
        "hardware  GPU busy 97%  host CPU stale",
    ]


def test_values_of_layers_stand_below_one_another() -> None:
    """However long their names are."""
    several = (LayerNow("gateway", (("errors", 0.0, "ratio"),)), LayerNow("orchestration", (("in flight", 2.0, ""),)))
    said = rows(running(layers=several))[-2:]
    assert said == ["gateway        errors 0%", "orchestration  in flight 2"]


def test_before_the_first_step_there_is_no_step() -> None:
    """And where nobody knows how long it takes no bar."""
    assert rows(running(now=None, left_s=None, layers=())) == ["38 s  short-chat to http://127.0.0.1:8000"]


def test_a_knee_that_was_passed_is_said_while_it_runs() -> None:
    """Nobody has to wait for the end of it."""
    assert rows(running(knee=KNEE))[2].startswith("knee at 16: queueing")


def test_a_single_error_or_request_is_one() -> None:
    """`1 errors` would be careless."""
    view = running()
    assert view.now is not None
    assert ", 1 error, " in rows(replace(view, now=replace(view.now, errors=1)))[1]
    timed = replace(view.now.step, requests=None)
    assert ": 1 request, " in rows(replace(view, now=replace(view.now, done=1, step=timed)))[1]


def test_the_title_has_the_key_that_matters() -> None:
    """Any of them, while it runs."""
    assert title_span(running(), PAPER).text == "PROBE step 6 of 9: 32 at a time  any key stops it"
    assert title_span(ProbeView.of(QUEUE_BOUND), PAPER).text == "PROBE DONE"
    assert title_span(ProbeView.of(ABORTED), PAPER) == ("PROBE STOPPED before its end", "warn")


def test_when_it_has_ended_the_verdict_comes_first() -> None:
    """Then what it means for the finding, goodput and headroom."""
    said = rows(ProbeView.of(QUEUE_BOUND, meaning="confirmed: probe.knee 16 < 20"))
    assert said[0].startswith("knee at 16: queueing (2,992 tokens/s at 16 at a time")
    assert said[2:] == [
        "the finding   confirmed: probe.knee 16 < 20",
        "goodput       23.4 requests/s at 16: 94-100% within TTFT 1.5 s, TPOT 80 ms",
        "headroom      4.78x: capacity 23.4, traffic 4.9 requests/s; takes +30%, +50%",
    ]


def test_why_it_was_stopped_stands_above_the_verdict() -> None:
    """What follows is of less than was planned."""
    assert rows(ProbeView.of(ABORTED))[0] == "stopped       31% of the last requests failed"


def test_a_client_that_was_the_limit_is_a_warning() -> None:
    """It is no verdict on the server."""
    (first, *_) = head_rows(ProbeView.of(CLIENT_BOUND), PAPER)
    assert (first[0].text[:35], first[0].style) == ("no knee can be told: the client was", "warn")


def test_other_recipes_say_nothing_of_goodput() -> None:
    """They do not look for it."""
    view = replace(ProbeView.of(QUEUE_BOUND), plan=plan(1, recipe="repeat-prompt"))
    assert rows(replace(view, indicators={"probe.prefix_hit_ratio": 0.93})) == [
        "cached / looked-up tokens on the second send of one long prompt: 93%"
    ]
