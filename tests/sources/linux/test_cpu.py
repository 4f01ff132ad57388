"""Busy shares of the cores."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perfconsole.model.sample import Missing
from perfconsole.sources.linux.cpu import CpuReader, CpuTimes, core_loads, parse_stat, shares
from tests.sources.fakeroot import FakeRoot, captured

if TYPE_CHECKING:
    from pathlib import Path

START = CpuTimes(user=100, system=50, idle=1000, iowait=10, steal=5)
BEFORE = "cpu  0 0 0 0 0 0 0 0 0 0\ncpu0 0 0 0 0 0 0 0 0 0 0\ncpu1 0 0 0 0 0 0 0 0 0 0\nctxt 100\n"
AFTER = "cpu  90 5 5 80 10 3 2 5 0 0\ncpu0 85 5 5 0 0 3 2 0 0 0\ncpu1 5 0 0 80 10 0 0 5 0 0\nctxt 600\n"


def test_a_captured_page_has_its_cores_and_switches() -> None:
    """A real file parses."""
    stat = parse_stat(captured("stat"))
    assert list(stat.cores) == ["cpu0", "cpu1"]
    assert stat.context_switches == 2649405
    assert stat.together == CpuTimes(user=15119 + 3257, system=6578 + 77, idle=331924, iowait=386, steal=19)


def test_shares_are_of_the_time_between() -> None:
    """User, system, iowait, steal and idle make up the whole; stolen time is not busy."""
    share = shares(START, CpuTimes(user=130, system=60, idle=1040, iowait=20, steal=15))
    assert share is not None
    assert (share.busy, share.user, share.system, share.iowait, share.steal) == (0.4, 0.3, 0.1, 0.1, 0.1)


def test_iowait_that_slips_back_is_no_restart() -> None:
    """The kernel corrects iowait downwards now and then."""
    share = shares(START, replace(START, user=110, iowait=8))
    assert share is not None
    assert (share.busy, share.iowait) == (1.0, 0.0)


def test_ticks_that_fall_give_no_share() -> None:
    """A core that was taken out and came back starts anew."""
    assert shares(START, replace(START, user=0)) is None


def test_no_time_gives_no_share() -> None:
    """Two equal readings say nothing."""
    assert shares(START, START) is None


def test_a_core_in_one_reading_only_has_no_load() -> None:
    """A core that has just come has no share yet."""
    assert core_loads(parse_stat("cpu0 0 0 0 0 0 0 0 0\n"), parse_stat("cpu1 9 0 0 9 0 0 0 0\n")) == {}


def test_the_first_poll_warms_up(tmp_path: Path) -> None:
    """Cores and load are known at once, shares are not."""
    root = FakeRoot(tmp_path)
    root.put("proc/stat", BEFORE)
    root.put("proc/loadavg", captured("loadavg"))
    values = CpuReader(root.base).read(0.0)
    assert (values["host.cores"], values["host.load"]) == (2.0, 0.04)
    assert values["host.cpu_utilization"] is Missing.WARMING_UP
    assert values["host.context_switches"] is Missing.WARMING_UP


def test_the_busiest_core_is_not_averaged_away(tmp_path: Path) -> None:
    """One full core of two shows as 1, beside half of all."""
    root = FakeRoot(tmp_path)
    root.put("proc/stat", BEFORE)
    reader = CpuReader(root.base)
    reader.read(0.0)
    root.put("proc/stat", AFTER)
    values = reader.read(2.0)
    assert values["host.cpu_busiest_core"] == 1.0
    assert values["host.cpu_utilization"] == pytest.approx(105 / 200)
    assert values["host.context_switches"] == 250.0
    assert reader.loads == {"cpu0": 1.0, "cpu1": 0.05}


def test_a_core_moves_while_the_line_of_all_stands_still(tmp_path: Path) -> None:
    """The busiest core has its value, and the shares of all have none, after a poll within one tick."""
    root = FakeRoot(tmp_path)
    root.put("proc/stat", BEFORE)
    reader = CpuReader(root.base)
    reader.read(0.0)
    root.put("proc/stat", BEFORE.replace("cpu1 0", "cpu1 1"))
    values = reader.read(1.0)
    assert values["host.cpu_busiest_core"] == 1.0
    assert values["host.cpu_utilization"] is Missing.WARMING_UP


def test_a_host_without_the_file_is_unsupported(tmp_path: Path) -> None:
    """Nothing is 0 where nothing can be read."""
    assert set(CpuReader(str(tmp_path)).read(0.0).values()) == {Missing.UNSUPPORTED}


@given(st.text() | st.from_regex(r"(cpu\d? ([0-9a-f]{1,3} ){3,10}\n){1,4}"))
def test_no_text_makes_it_raise(text: str) -> None:
    """Any text gives a reading."""
    parse_stat(text)


TICKS = st.builds(CpuTimes, *[st.integers(0, 1000).map(float)] * 5)


@given(TICKS, TICKS)
def test_shares_stay_between_0_and_1(before: CpuTimes, after: CpuTimes) -> None:
    """Whatever the ticks do, a share is a share."""
    if share := shares(before, after):
        assert 0 <= share.busy <= 1.000001
        assert share.busy + share.iowait + share.steal <= 1.000001
