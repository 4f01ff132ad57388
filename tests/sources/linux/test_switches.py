"""Tests of context switches of a process."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

from perfconsole.model.sample import Missing
from perfconsole.sources.linux.switches import NAMES, SwitchWatch, parse_switches
from tests.sources.fakeroot import FakeRoot

if TYPE_CHECKING:
    from pathlib import Path

WAITS, FORCED = NAMES


def status(waits: int, forced: int) -> str:
    """End of the status file of a thread."""
    return f"Name:\tpython\nvoluntary_ctxt_switches:\t{waits}\nnonvoluntary_ctxt_switches:\t{forced}\n"


def threads(root: FakeRoot, **counts: tuple[int, int]) -> None:
    """Put threads with their counts."""
    for tid, pair in counts.items():
        root.put(f"proc/10/task/{tid[1:]}/status", status(*pair))


@given(st.integers(0, 10**12), st.integers(0, 10**12))
def test_both_counts_are_read(waits: int, forced: int) -> None:
    """Whatever stands around them."""
    assert parse_switches("x\n" + status(waits, forced) + "y\n") == (waits, forced)


def test_a_file_without_them_has_none() -> None:
    """Old kernels, and threads that have ended."""
    assert parse_switches("Name:\tpython\n") is None


def test_switches_a_second_are_summed_over_threads(tmp_path: Path) -> None:
    """A thread that is new has no rate yet."""
    root = FakeRoot(tmp_path)
    threads(root, t10=(100, 7), t11=(50, 0))
    watch = SwitchWatch(root.base, 10)
    assert set(watch.read(0.0).values()) == {Missing.WARMING_UP}
    threads(root, t10=(200, 17), t11=(60, 0), t12=(9000, 9000))
    assert watch.read(5.0) == {WAITS: 22.0, FORCED: 2.0}


def test_between_two_readings_the_last_rate_stands(tmp_path: Path) -> None:
    """The files of many threads are not read every second."""
    root = FakeRoot(tmp_path)
    threads(root, t10=(0, 0))
    watch = SwitchWatch(root.base, 10)
    watch.read(0.0)
    threads(root, t10=(50, 5))
    first = watch.read(5.0)
    threads(root, t10=(5000, 5))
    assert watch.read(6.0) == first == {WAITS: 10.0, FORCED: 1.0}


def test_a_process_that_is_gone_has_a_reason(tmp_path: Path) -> None:
    """Never 0."""
    assert set(SwitchWatch(FakeRoot(tmp_path).base, 10).read(0.0).values()) == {Missing.UNSUPPORTED}


def test_too_many_threads_are_not_read(tmp_path: Path) -> None:
    """Each costs a file."""
    root = FakeRoot(tmp_path)
    for tid in range(257):
        root.folder(f"proc/10/task/{tid}")
    assert set(SwitchWatch(root.base, 10).read(0.0).values()) == {Missing.UNSUPPORTED}
