"""A recording of any format, and one that was just taken."""

from __future__ import annotations

import pytest

from perfconsole.errors import NotPermittedError, PerfconsoleError
from perfconsole.model.flameplan import FlamePlan
from perfconsole.stacks.read import read_recording, recorded
from perfconsole.stacks.speedscope import write_speedscope

TEXT = "thread (4): MainThread;f (a.py:1) 3\n"
PLAN = FlamePlan(4, seconds=10)


def test_the_format_is_told_from_the_text() -> None:
    """Folded lines and JSON."""
    folded = read_recording(TEXT)
    assert read_recording(write_speedscope(folded, "t")).stacks[0].frames == folded.stacks[0].frames


@pytest.mark.parametrize(("text", "words"), [("", "empty"), ("hello\nworld\n", "folded stack"), ("{}", "JSON")])
def test_anything_else_is_refused_in_words(text: str, words: str) -> None:
    """What it is not."""
    with pytest.raises(ValueError, match=words):
        read_recording(text)


def test_a_recording_knows_its_process_and_how_it_was_taken() -> None:
    """py-spy names the process only when it records several."""
    profile = recorded(TEXT, PLAN, 4.5, None, cancelled=True)
    assert profile.stacks[0].thread.process == "process 4"
    assert (profile.idle, profile.seconds) == (True, 4.5)


def test_lock_holders_alone_are_no_idle_threads() -> None:
    """Whatever was asked for."""
    profile = recorded(TEXT, FlamePlan(4, gil=True), 10, None, cancelled=False)
    assert (profile.idle, profile.looks) == (False, 500)


def test_a_recorder_that_failed_says_why() -> None:
    """In its own words."""
    with pytest.raises(NotPermittedError, match="process 4: Permission denied"):
        recorded("", PLAN, 0.1, "Permission denied", cancelled=False)


@pytest.mark.parametrize(
    ("plan", "cancelled", "words"),
    [
        (PLAN, False, "no sample of process 4 in 10 s"),
        (PLAN, True, "before the recording was ended"),
        (FlamePlan(4, gil=True), False, "interpreter lock"),
    ],
)
def test_no_sample_is_one_clear_line(plan: FlamePlan, cancelled: bool, words: str) -> None:  # noqa: FBT001 - a table row
    """And no empty graph."""
    with pytest.raises(PerfconsoleError, match=words):
        recorded("", plan, 10.0, None, cancelled=cancelled)
