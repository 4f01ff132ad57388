"""speedscope's JSON."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perfconsole.model.stack import Frame
from perfconsole.stacks.folded import read_folded, thread_words
from perfconsole.stacks.speedscope import read_speedscope, write_speedscope

TEXT = "thread (3): MainThread;main (a.py:1);work (b.py:2) 3\nthread (4): Pool;main (a.py:1) 2\n"


def test_what_is_written_is_read_again() -> None:
    """Threads, frames and weights."""
    before = read_folded(TEXT)
    after = read_speedscope(write_speedscope(before, "a title"))
    assert [(s.thread.thread, s.frames, s.weight) for s in after.stacks] == [
        (s.thread.thread, s.frames, s.weight) for s in before.stacks
    ]


def test_a_thread_of_py_spy_is_named_in_its_profile() -> None:
    """`Process 1 Thread 2 "name"`."""
    document = {
        "shared": {"frames": [{"name": "f", "file": "a.py", "line": 4}]},
        "profiles": [
            {
                "type": "sampled",
                "name": 'Process 1 Thread 2 "Main"',
                "unit": "seconds",
                "samples": [[0]],
                "weights": [0.5],
            }
        ],
    }
    profile = read_speedscope(json.dumps(document))
    assert profile.stacks[0].frames == (Frame("f", "a.py", 4),)
    assert (profile.unit, profile.stacks[0].weight) == ("s", 0.5)
    assert thread_words(profile.stacks[0].thread) == ("2", "Main")


def test_events_are_what_was_open_between_them() -> None:
    """Opened at 0, a call from 1 to 3, closed at 4: milliseconds here."""
    events = [("O", 0, 0), ("O", 1, 1), ("C", 1, 3), ("C", 0, 4)]
    document = {
        "shared": {"frames": [{"name": "f"}, {"name": "g"}]},
        "profiles": [
            {
                "type": "evented",
                "name": "t",
                "unit": "milliseconds",
                "startValue": 0,
                "events": [{"type": kind, "frame": frame, "at": at} for kind, frame, at in events],
            }
        ],
    }
    weights = {len(s.frames): s.weight for s in read_speedscope(json.dumps(document)).stacks}
    assert weights == {1: pytest.approx(0.002), 2: pytest.approx(0.002)}


@pytest.mark.parametrize(
    "text",
    [
        "{",
        "{}",
        '{"shared": {"frames": []}, "profiles": [{"samples": [[1]], "weights": [1]}]}',
        '{"shared": {"frames": [{"name": "f"}]}, "profiles": [{"samples": [[-1]], "weights": [1]}]}',
        '{"shared": {"frames": [{"name": "f"}]}, "profiles": [{"samples": [[0]], "weights": [Infinity]}]}',
        '{"shared": {"frames": [3]}, "profiles": []}',
        '{"shared": {"frames": []}, "profiles": 7}',
    ],
)
def test_other_json_is_refused_in_words(text: str) -> None:
    """One line says what is wrong."""
    with pytest.raises(ValueError, match="JSON"):
        read_speedscope(text)


@given(st.recursive(st.none() | st.integers() | st.text(), lambda x: st.lists(x) | st.dictionaries(st.text(), x)))
def test_no_json_raises_anything_else(document: object) -> None:
    """A value of any shape."""
    with pytest.raises(ValueError, match="JSON"):
        read_speedscope(json.dumps(document))
