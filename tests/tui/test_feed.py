"""Tests of the slot between the monitor and the screen."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, cast

from perfconsole.errors import UsageError
from perfconsole.tui.feed import Feed
from tests.view.pictures import snapshot

if TYPE_CHECKING:
    from collections.abc import Callable

    from perfconsole.model.snapshot import Snapshot
    from perfconsole.monitor import Later, Monitor

LIMIT_S = 10.0


class HandMonitor:
    """Gives the snapshots of the test, and then fails if it is to."""

    def __init__(self, *seqs: int, failure: Exception | None = None) -> None:
        self.ended = threading.Event()
        self._seqs = seqs
        self._failure = failure

    def watch(self, on_snapshot: Callable[[Snapshot], None], later: Later | None = None) -> None:
        """Hand over one after the other."""
        assert later is None
        try:
            for seq in self._seqs:
                on_snapshot(snapshot(seq=seq))
            if self._failure:
                raise self._failure
        finally:
            self.ended.set()


def fed(*seqs: int, failure: Exception | None = None) -> tuple[Feed, list[str]]:
    """A feed that has run to its end, and how often it told."""
    monitor = HandMonitor(*seqs, failure=failure)
    feed = Feed(cast("Monitor", monitor))
    told: list[str] = []
    feed.tell(lambda: told.append("news"))
    feed.start()
    assert monitor.ended.wait(LIMIT_S)
    return feed, told


def test_only_the_newest_snapshot_waits() -> None:
    """Those between are dropped."""
    feed, _ = fed(1, 2, 3)
    assert feed.newest is not None
    assert feed.newest.seq == 3


def test_the_screen_is_told_once_about_any_number_that_it_did_not_fetch() -> None:
    """A slow screen gets no queue of messages."""
    assert fed(1, 2, 3)[1] == ["news"]


def test_after_a_fetch_it_is_told_again() -> None:
    """For the next one."""
    feed = Feed(cast("Monitor", HandMonitor()))
    taken: list[Snapshot | None] = []
    feed.tell(lambda: taken.append(feed.take()))
    feed._put(snapshot(seq=1))
    feed._put(snapshot(seq=2))
    assert [s.seq for s in taken if s] == [1, 2]


def test_who_asks_late_is_told_of_what_is_there() -> None:
    """The first picture may be older than the screen."""
    feed, _ = fed(1)
    late: list[str] = []
    feed.tell(lambda: late.append("news"))
    assert late == ["news"]


def test_a_fault_of_ours_is_kept_for_the_screen() -> None:
    """With the request to report it."""
    feed, _ = fed(failure=ZeroDivisionError("by hand"))
    while feed.fault is None:  # it is set right behind the end of the watch
        pass
    assert "please report it: ZeroDivisionError: by hand" in feed.fault


def test_a_mistake_of_the_user_is_not_called_a_fault_of_ours() -> None:
    """Its own words say what to do."""
    feed, _ = fed(failure=UsageError("name each target once"))
    while feed.fault is None:
        pass
    assert feed.fault == "name each target once"
