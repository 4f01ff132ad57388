"""Tests of taking the console's own polls out of a counter."""

from __future__ import annotations

from perfconsole.model.entity import Entity, Kind
from perfconsole.model.sample import Sample, SeriesKey
from perfconsole.sources.ownpolls import OwnPolls

GATEWAY = Entity(Kind.GATEWAY, "nginx:80")


def seen(*totals: float) -> list[float]:
    """What is left of these totals, poll by poll."""
    own = OwnPolls()
    found = []
    for total in totals:
        (sample,) = own.without([Sample(SeriesKey("gateway.requests", GATEWAY), float(total))], "gateway.requests")
        assert isinstance(sample.value, float)
        found.append(sample.value)
    return found


def test_an_idle_server_stands_still() -> None:
    """It counts nothing but our polls."""
    assert seen(70, 71, 72, 73) == [70, 70, 70, 70]


def test_requests_of_others_are_left() -> None:
    """Five of them between two polls."""
    assert seen(70, 76) == [70, 75]


def test_a_page_made_before_our_poll_came_has_not_counted_it() -> None:
    """A collector serves the same page again and again: its counter must not fall."""
    assert seen(70, 70, 70, 73) == [70, 70, 70, 72]


def test_a_single_page_is_as_it_is() -> None:
    """Nobody knows who made the requests before it."""
    assert seen(70) == [70]


def test_a_server_that_began_anew_has_counted_none_of_our_polls() -> None:
    """Its total falls, and so does the number of ours."""
    assert seen(70, 71, 1, 2) == [70, 70, 1, 1]


def test_a_counter_in_parts_is_left_alone() -> None:
    """Nobody knows in which of them the polls are."""
    parts = tuple(Sample(SeriesKey("gateway.requests", GATEWAY, (("series", n),)), 9.0) for n in "12")
    own = OwnPolls()
    assert [own.without(parts, "gateway.requests") for _ in range(2)] == [parts, parts]


def test_other_samples_are_left_alone() -> None:
    """Only one of them counts requests."""
    other = Sample(SeriesKey("gateway.inflight", GATEWAY), 3.0)
    own = OwnPolls()
    assert [own.without([other], "gateway.requests") for _ in range(2)] == [(other,), (other,)]
