"""Tests of gets that outlast a poll."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from perfconsole.clock import ManualClock, SystemClock
from perfconsole.sources.http import Fetcher, FetchKind, Reply
from perfconsole.sources.patient import Failed, Out, PatientGet
from tests.sources.fetching import closed_port
from tests.sources.servers import Server, hung, pages

if TYPE_CHECKING:
    from collections.abc import Callable


def test_an_answer_in_time_is_given_at_once() -> None:
    """As if it had been a plain get."""
    with Server(pages(b"here")) as server:
        get = PatientGet(Fetcher(server.url), ManualClock())
        found = get.look("/a", 5.0)
        assert isinstance(found, Reply)
        assert (found.body, get.out) == (b"here", False)
        get.close()


def _until(there: Callable[[], bool]) -> None:
    """Wait for the other thread, at most as long as any test here."""
    clock = SystemClock()
    end = clock.now() + 5.0
    while not there() and clock.now() < end:
        clock.sleep(0.001)


def test_a_request_without_an_answer_is_out() -> None:
    """Since the moment it was sent, however often one looks."""
    with Server(hung()) as server:
        clock = ManualClock(7.0)
        get = PatientGet(Fetcher(server.url), clock)
        assert get.look("/a", 0.05) == Out(7.0)
        clock.sleep(3.0)
        assert (get.look("/b", 0.05), get.out) == (Out(7.0), True)
        _until(lambda: bool(server.requests))
        assert len(server.requests) == 1
        get.interrupt()
        get.close()


def test_a_failure_carries_its_reason() -> None:
    """And the next look asks anew."""
    get = PatientGet(Fetcher(f"http://127.0.0.1:{closed_port()}"), ManualClock(7.0))
    found = get.look("/a", 5.0)
    assert isinstance(found, Failed)
    assert (found.started, found.error.kind, get.out) == (7.0, FetchKind.REFUSED, False)
    get.close()


class Faulty(Fetcher):
    """One with a bug."""

    def get(self, path: str, total_s: float | None = None) -> Reply:
        """Fail as no network does."""
        raise ValueError(path, total_s)


def test_a_fault_of_ours_is_raised_to_the_one_who_looks() -> None:
    """It does not stay out for ever: the next look asks anew."""
    get = PatientGet(Faulty("http://127.0.0.1:9"), ManualClock())
    for path in ("/a", "/b"):
        with pytest.raises(ValueError, match=path):
            get.look(path, 5.0)
        assert not get.out
    get.close()
