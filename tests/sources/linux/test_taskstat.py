"""Lines of /proc/PID/stat."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perfconsole.sources.linux.taskstat import PAGE, TaskStat, parse_sched, parse_task_stat, parse_ticks, read_task_stat
from tests.sources.fakeroot import captured, task_line

if TYPE_CHECKING:
    from pathlib import Path


def test_a_captured_line_parses() -> None:
    """The line of a real engine core."""
    expected = TaskStat("S", 2955, 595 + 112, 15, 18375, 130501 * PAGE)
    assert parse_task_stat(captured("task_stat")) == expected
    assert parse_ticks(captured("task_stat")) == 707


def test_a_name_with_brackets_and_blanks_does_not_shift_the_fields() -> None:
    """A program may call itself anything."""
    line = task_line(7, 3, state="T", ticks=12, threads=4, start=99)
    assert parse_task_stat(line) == TaskStat("T", 3, 12, 4, 99, 256 * PAGE)
    assert parse_ticks(line) == 12


@pytest.mark.parametrize("text", ["", "7 (a) S 1 2", "7 (a) " + "x " * 30])
def test_a_cut_line_is_nothing(text: str) -> None:
    """A process that ends in the middle gives no figures."""
    assert parse_task_stat(text) is None
    assert parse_ticks(text) is None


def test_nanoseconds_become_seconds() -> None:
    """On a core and waiting for one: the first two of three fields."""
    assert parse_sched("9240578444 75770171 9269\n") == (9.240578444, 0.075770171)
    assert parse_sched("12") is None


def test_zeros_are_no_counts() -> None:
    """A kernel that does not count says that no task ever ran."""
    assert parse_sched("0 0 0\n") is None


def test_a_process_that_is_gone_has_no_stat(tmp_path: Path) -> None:
    """No folder, no figures."""
    assert read_task_stat(str(tmp_path), 7) is None


@given(st.text() | st.from_regex(r"\d+ \(.*\) [A-Z]( -?[0-9²]{1,4}){19,40}"))
def test_no_text_makes_them_raise(text: str) -> None:
    """Any text gives figures or nothing."""
    parse_task_stat(text)
    parse_ticks(text)
    parse_sched(text)
