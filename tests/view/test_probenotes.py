"""Tests of what stands below the numbers of a probe."""

from __future__ import annotations

from perfconsole.model.probeview import ProbeView
from perfconsole.view.canvas import plain_text
from perfconsole.view.glyphs import ASCII
from perfconsole.view.probenotes import legend_rows, note_blocks
from perfconsole.view.scrolling import Paper
from tests.view.probes import ABORTED, CLIENT_BOUND, EMPTY, QUEUE_BOUND, running

PAPER = Paper.of(100, ASCII)


def notes(view: ProbeView) -> str:
    """All of it as text."""
    return plain_text([line for block in note_blocks(view, PAPER) for line in block.rows])


def legend(view: ProbeView) -> str:
    """The row below the table."""
    return plain_text(legend_rows(view, PAPER))


def test_the_legend_says_why_percentiles_are_withheld() -> None:
    """Beside the units and what a load is."""
    assert legend(ProbeView.of(QUEUE_BOUND)) == (
        "times in ms; load: requests at a time; -: p95 needs 20 requests, p99 100"
    )


def test_the_legend_explains_only_what_is_there() -> None:
    """Parentheses stand below a chart where a step is not valid."""
    assert legend(ProbeView.of(EMPTY)) == "times in ms; load: requests at a time; (n): not valid"
    assert "(n)" in legend(ProbeView.of(CLIENT_BOUND))
    assert "(n)" not in legend(ProbeView.of(QUEUE_BOUND))


def test_why_a_step_does_not_count_and_how_requests_failed_is_told() -> None:
    """By the name of the load."""
    assert "16            the client was the limit: it read 45 ms late" in notes(ProbeView.of(CLIENT_BOUND))
    assert "4             errors: 3 status, 2 timeout" in notes(ProbeView.of(ABORTED))


def test_where_things_turn_and_what_was_sent_is_told() -> None:
    """With the place of the file and the words of the server."""
    told = notes(ProbeView.of(QUEUE_BOUND, saved="/tmp/probe.json"))  # noqa: S108 - a name, no file
    for words in (
        "TTFT grown    p50 at 1.5 times that of a single request: from 32 on",
        "saved         /tmp/probe.json",
        "goodput       highest rate of the steps within what is promised",
        "note          the server took ignore_eos",
        "asked by      Requests wait although memory is free",
    ):
        assert words in told


def test_values_for_rules_are_shown_in_their_unit() -> None:
    """They confirm or refute the finding."""
    assert "probe.knee    16" in notes(ProbeView.of(QUEUE_BOUND))


def test_the_words_are_explained_on_the_page_itself() -> None:
    """Also while it runs."""
    for view in (running(), ProbeView.of(QUEUE_BOUND)):
        assert "TTFT          time to first token: from the intended start" in notes(view)
        assert "lag           from the kernel's stamp of an arrival" in notes(view)


def test_a_heading_without_anything_below_it_is_left_out() -> None:
    """No thresholds before there are any."""
    assert "WHERE IT TURNS" not in notes(running())
    assert "ABOUT THE STEPS" not in notes(ProbeView.of(QUEUE_BOUND))
