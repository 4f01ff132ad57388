"""Tests of what stacks say, for scripts and for people."""

from __future__ import annotations

import json
from dataclasses import replace

from perfconsole.model.stackreading import Hot, Pool, Role, StackReading, ThreadReading
from perfconsole.stacks.reading import read_profile
from perfconsole.view.stackreport import stacks_json, stacks_lines, verdict_lines
from tests.stacks.building import SELECT, folded, profile, unread
from tests.view.flames import blocks, loop_profile, loop_reading

WORKER = ThreadReading("4312", "worker_0", 50.0, Role.WORKER, 0.25, main=False)


def texts(reading: StackReading) -> list[str]:
    """Lines for people."""
    return [line.text for line in stacks_lines(reading)]


def test_the_document_has_what_the_contract_names() -> None:
    """And is JSON: no name of an enumeration, no number without an end."""
    document = stacks_json(loop_reading())
    assert json.loads(json.dumps(document, allow_nan=False)) == document
    assert list(document) == [
        "schema",
        "samples",
        "seconds",
        "threads",
        "profile",
        "blocking",
        "pools",
        "hot",
        "limits",
    ]


def test_a_blocking_call_has_its_line_and_its_chain() -> None:
    """From the callback to the innermost frame."""
    (found,) = stacks_json(loop_reading())["blocking"]
    assert (found["share"], found["waits"]) == (0.4, True)
    assert found["user_frame"] == {"function": "handle", "file": "/srv/app/main.py", "line": 40}
    assert found["chain"][-1] == "wait (/usr/lib/python3.11/threading.py:320)"


def test_no_line_of_ones_own_is_null() -> None:
    """Not an empty frame."""
    bare = replace(blocks(0.4), user=None)
    assert stacks_json(loop_reading(blocking=(bare,)))["blocking"][0]["user_frame"] is None


def test_threads_and_pools_are_in_the_document() -> None:
    """With the role in words."""
    document = stacks_json(loop_reading(threads=(WORKER,), pools=(Pool("worker", 8, 0.5, full=False),)))
    assert document["threads"] == [
        {"process": "4312", "thread": "worker_0", "samples": 50.0, "role": "worker", "idle": 0.25}
    ]
    assert document["pools"] == [{"name": "worker", "threads": 8, "busy": 0.5, "full": False}]


def test_the_verdict_comes_first() -> None:
    """Share, kind and line; below it how and where."""
    assert texts(loop_reading(blocking=(blocks(0.4),)))[:2] == [
        "  40% socket     /srv/app/main.py:40 handle",
        "      waits in sock.recv, on MainThread",
    ]


def test_a_call_that_keeps_a_core_does_not_wait() -> None:
    """The remedy is another one; and a line that is nobody's own is not named."""
    lines = [
        line.text for line in verdict_lines(loop_reading(blocking=(replace(blocks(0.4, waits=False), user=None),)))
    ]
    assert "no line of your own code" in lines[0]
    assert "keeps a core in sock.recv" in lines[1]


def test_a_small_share_is_told_without_alarm() -> None:
    """The rules refute below one part in twenty."""
    styles = [next(iter(verdict_lines(loop_reading(blocking=(blocks(share),))))).style for share in (0.06, 0.04)]
    assert styles == ["warn", "dim"]


def test_that_nothing_blocks_is_said_with_how_long_the_loop_waits() -> None:
    """From samples that took waiting threads too."""
    free = read_profile(profile(folded((SELECT, 100))), unread)
    assert texts(free)[0] == "nothing blocks the event loop; it waits for work 100% of the time"


def test_without_waiting_threads_it_cannot_be_said() -> None:
    """A loop that blocks in a wait is not in these samples."""
    unseen = read_profile(loop_profile(idle=False), unread)
    assert texts(replace(unseen, blocking=()))[0] == "whether the event loop blocks cannot be said from these samples"


def test_without_a_loop_there_is_no_verdict_on_one() -> None:
    """A program may have none."""
    none = read_profile(profile(folded(("main (/srv/app/main.py:1)", 100))), unread)
    assert texts(none)[0] == "no event loop was seen, and no call that blocks"


def test_without_a_sample_nothing_is_said_of_the_loop() -> None:
    """Only that there is none."""
    empty = read_profile(profile(), unread)
    assert not list(verdict_lines(empty))
    assert "  there is no sample at all: nothing can be said" in texts(empty)


def test_threads_are_told_with_their_process_and_role() -> None:
    """The main thread is named so where its name does not say it."""
    main = replace(WORKER, process="", name="7", main=True)
    lines = texts(loop_reading(threads=(WORKER, main), seconds=None, samples=100))
    assert "THREADS  100 samples" in lines
    assert "  process 4312  worker_0: worker, waits for work 25%" in lines
    assert "  7: worker, main thread, waits for work 25%" in lines


def test_a_full_pool_stands_out() -> None:
    """Whatever is handed in waits."""
    pools = (Pool("full", 8, 1.0, full=True), Pool("free", 8, 0.1, full=False))
    found = {line.text.split(":")[0].strip(): line for line in stacks_lines(loop_reading(pools=pools))}
    assert "FULL" in found["pool full"].text
    assert (found["pool full"].style, found["pool free"].style) == ("warn", "")


def test_the_hottest_functions_are_named_and_not_all_of_them() -> None:
    """Without any the heading is left out."""
    hot = tuple(Hot(f"f{n}", "/srv/app/main.py", 0.1) for n in range(9))
    lines = texts(loop_reading(hot=hot))
    assert "   10.0%  f7  /srv/app/main.py" in lines
    assert not any("f8" in line for line in lines)
    assert not any(line.startswith("HOT") for line in texts(loop_reading(hot=())))


def test_shares_below_half_a_point_are_left_out() -> None:
    """They are zero to a reader."""
    lines = texts(loop_reading(shares={"profile.gc_ratio": 0.004, "profile.relay_ratio": 0.3}))
    assert "   30.0%  profile.relay_ratio" in lines
    assert not any("gc_ratio" in line for line in lines)
    assert "SHARES" not in texts(loop_reading(shares={}))
