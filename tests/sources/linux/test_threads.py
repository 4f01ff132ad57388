"""Threads of one process."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from perfconsole.model.sample import Missing
from perfconsole.sources.linux.taskstat import HZ
from perfconsole.sources.linux.threads import ThreadUse, ThreadWatch
from tests.sources.fakeroot import FakeRoot, task_line

if TYPE_CHECKING:
    from pathlib import Path


def _threads(root: FakeRoot, **seconds: float) -> None:
    """CPU seconds by thread, named t7 for 7."""
    for name, used in seconds.items():
        root.put(f"proc/7/task/{name[1:]}/stat", task_line(int(name[1:]), 1, ticks=round(used * HZ)))


@pytest.fixture
def root(tmp_path: Path) -> FakeRoot:
    """Make process 7 with threads 7, 8 and 9 that have run for some time."""
    root = FakeRoot(tmp_path)
    _threads(root, t7=10, t8=20, t9=30)
    return root


def test_the_first_poll_warms_up(root: FakeRoot) -> None:
    """Time since the start is no use now."""
    use = ThreadWatch(root.base, 7).poll(0.0, full=True)
    assert use == ThreadUse(Missing.WARMING_UP, Missing.UNSUPPORTED, Missing.UNSUPPORTED)


def test_the_busiest_thread_since_the_last_poll_counts(root: FakeRoot) -> None:
    """Not the one with most time in its life, and not the sum."""
    watch = ThreadWatch(root.base, 7)
    watch.poll(0.0, full=True)
    _threads(root, t7=11.5, t8=20.5)
    assert watch.poll(2.0, full=True).busiest == 0.75


def test_a_new_thread_began_at_zero(root: FakeRoot) -> None:
    """A thread started between two polls shows at the next one."""
    watch = ThreadWatch(root.base, 7)
    watch.poll(0.0, full=True)
    _threads(root, t10=0.5)
    assert watch.poll(1.0, full=True).busiest == 0.5


def test_between_full_polls_only_the_busiest_threads_are_read(root: FakeRoot) -> None:
    """A thread that wakes up later shows at the next full poll, as its mean since the last one."""
    _threads(root, **{f"t{tid}": 0 for tid in range(20, 40)})
    watch = ThreadWatch(root.base, 7)
    watch.poll(0.0, full=True)
    _threads(root, t8=20.5, **{f"t{tid}": 0.1 for tid in range(20, 35)})
    assert watch.poll(1.0, full=True).busiest == 0.5
    _threads(root, t8=20.75, t9=31)
    assert watch.poll(2.0, full=False).busiest == 0.25
    assert watch.poll(3.0, full=True).busiest == 0.5


def test_a_thread_number_used_again_gives_no_negative_share(root: FakeRoot) -> None:
    """Less time than before: another thread."""
    watch = ThreadWatch(root.base, 7)
    watch.poll(0.0, full=True)
    _threads(root, t7=1, t8=20, t9=30)
    assert watch.poll(1.0, full=True).busiest == 0.0


def _counted(root: FakeRoot, **times: tuple[float, float]) -> None:
    """Seconds on a core and of waiting for one, by thread, from a kernel that counts both."""
    for name, (ran, waited) in times.items():
        root.put(f"proc/7/task/{name[1:]}/schedstat", f"{ran * 1e9:.0f} {waited * 1e9:.0f} 1\n")


def test_waiting_for_a_core_is_a_share_of_the_time(root: FakeRoot) -> None:
    """A quarter of a second of one."""
    watch = ThreadWatch(root.base, 7)
    _counted(root, t7=(1, 1), t8=(1, 1), t9=(1, 1))
    assert watch.poll(0.0, full=True) == ThreadUse(*[Missing.WARMING_UP] * 3)
    _counted(root, t7=(1.5, 1.25))
    assert watch.poll(1.0, full=True) == ThreadUse(0.5, 0.25, 0.75)


def test_a_thread_that_has_to_share_its_core_wants_all_of_it(root: FakeRoot) -> None:
    """Of two that take turns, the one that wants most, not the sum of one's time and the other's wait."""
    watch = ThreadWatch(root.base, 7)
    _counted(root, t7=(1, 1), t8=(1, 1), t9=(1, 1))
    watch.poll(0.0, full=True)
    _counted(root, t8=(1.5, 1.125), t9=(1.25, 1.5))
    assert watch.poll(1.0, full=True) == ThreadUse(0.5, 0.125, 0.75)


def test_a_kernel_that_counts_nothing_has_only_ticks(root: FakeRoot) -> None:
    """It writes zeros for every thread, which is not the same as never having waited."""
    watch = ThreadWatch(root.base, 7)
    _counted(root, t7=(0, 0), t8=(0, 0), t9=(0, 0))
    watch.poll(0.0, full=True)
    _threads(root, t7=10.5)
    assert watch.poll(1.0, full=True) == ThreadUse(0.5, Missing.UNSUPPORTED, Missing.UNSUPPORTED)


def test_a_process_that_is_gone_is_unsupported(tmp_path: Path) -> None:
    """No folder, no figures, no error."""
    use = ThreadWatch(str(tmp_path), 7).poll(0.0, full=True)
    assert use == ThreadUse(*[Missing.UNSUPPORTED] * 3)


def test_a_thread_that_ends_in_the_middle_is_left_out(root: FakeRoot) -> None:
    """Its folder is listed and its file is gone."""
    watch = ThreadWatch(root.base, 7)
    watch.poll(0.0, full=True)
    root.folder("proc/7/task/11")
    _threads(root, t7=10.5)
    assert watch.poll(1.0, full=True).busiest == 0.5


@pytest.mark.parametrize(("busy", "name"), [("t8", "asyncio_0/8"), ("t7", "python"), ("", "")])
def test_the_busiest_thread_has_a_name(root: FakeRoot, busy: str, name: str) -> None:
    """With its number unless it is the first one; while all are idle there is none."""
    root.put("proc/7/task/7/comm", "python\n")
    root.put("proc/7/task/8/comm", "asyncio_0\n")
    watch = ThreadWatch(root.base, 7)
    watch.poll(0.0, full=True)
    if busy:
        _threads(root, **{busy: 60.0})
    assert watch.poll(100.0, full=True).thread == name
