"""Tests of what the page of a probe is drawn from."""

from __future__ import annotations

from perfconsole.model.probeview import ProbeView
from tests.view.probes import ABORTED, QUEUE_BOUND


def test_a_result_is_a_probe_that_has_ended() -> None:
    """With everything that was found, and nothing under way."""
    view = ProbeView.of(QUEUE_BOUND, saved="/tmp/x.json", meaning="confirmed")  # noqa: S108 - a name, no file
    assert (view.done, view.now, view.stopped, view.meaning) == (True, None, None, "confirmed")
    assert (view.steps, view.knee, view.indicators) == (QUEUE_BOUND.steps, QUEUE_BOUND.knee, QUEUE_BOUND.indicators)


def test_a_result_that_was_stopped_keeps_its_reason() -> None:
    """The page says it first."""
    assert ProbeView.of(ABORTED).stopped == "31% of the last requests failed"
