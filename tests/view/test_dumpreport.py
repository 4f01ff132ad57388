"""Tests of the stacks of this moment as text and as JSON."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

from perfconsole.view.dumpreport import dump_json, dump_lines
from tests.view.dumps import process, reading, thread

if TYPE_CHECKING:
    from perfconsole.model.stackdump import DumpReading


def texts(of: DumpReading, *, every: bool = False) -> list[str]:
    """Lines for people."""
    return [line.text for line in dump_lines(of, every=every)]


def test_the_document_has_every_thread_with_its_frames_innermost_first() -> None:
    """As py-spy has them; what is empty is null."""
    document = dump_json(reading(process(4312, thread())))
    assert json.loads(json.dumps(document)) == document
    (found,) = document["processes"]
    assert (found["pid"], found["odd"], found["error"]) == (4312, None, None)
    assert found["threads"][0]["frames"][0] == {"function": "f20", "file": "/srv/app/main.py", "line": 20}
    assert document["profile"] == {"profile.odd_ranks": 0.0}


def test_a_process_begins_with_what_sets_it_apart() -> None:
    """Then why it could not be read."""
    lines = texts(reading(process(1, odd="stopped by a signal (state T)", trouble="Permission Denied")))
    assert lines[:3] == ["PROCESS 1 core  serve", "  ! stopped by a signal (state T)", "  Permission Denied"]


def test_a_thread_says_what_it_does_and_where_in_ones_own_code() -> None:
    """Then its frames, innermost first."""
    lines = texts(reading(process(1, thread())))
    assert lines[1:4] == [
        "  MainThread (7): waits for a socket",
        "      in f1  /srv/app/main.py:1",
        "        f20  /srv/app/main.py:20",
    ]


def test_a_thread_that_waits_for_work_is_one_line() -> None:
    """There are forty of them; all is for -v."""
    idle = reading(process(1, thread(idle=True, words="waits in its selector")))
    assert texts(idle)[1:3] == ["  MainThread (7): waits in its selector", ""]
    assert "        f20  /srv/app/main.py:20" in texts(idle, every=True)


def test_frames_beyond_a_dozen_are_counted() -> None:
    """The innermost ones are those that tell."""
    lines = texts(reading(process(1, thread())))
    assert "        8 more outside of these (-v)" in lines
    assert sum(line.startswith("        f") for line in lines) == 12
    assert sum(line.startswith("        f") for line in texts(reading(process(1, thread())), every=True)) == 20


def test_a_thread_that_has_not_moved_says_so() -> None:
    """One that waits for work has no reason to."""
    lines = texts(reading(process(1, thread(still=True), thread(8, "pool", still=True, idle=True))))
    assert [line for line in lines if "has not moved" in line] == [
        "  MainThread (7): waits for a socket  has not moved"
    ]


def test_the_holder_of_the_interpreter_lock_is_named() -> None:
    """A thread without a name by its number."""
    holder = thread(9, "", words="runs")
    holder = replace(holder, stack=replace(holder.stack, gil=True))
    assert "  9 (9): runs  has the interpreter lock" in texts(reading(process(1, holder)))


def test_what_a_dump_cannot_tell_stands_at_the_end() -> None:
    """Always."""
    assert texts(reading())[-2:] == ["CANNOT TELL", "  two looks half a second apart"]
