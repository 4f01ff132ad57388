"""Tests of Xid classes and of the hour for which one counts."""

from __future__ import annotations

import pytest

from perfconsole.model.dictionary import DEFAULT
from perfconsole.sources.xid import ANY, CLASSES, KEPT_S, XidLog


def counted(*events: tuple[int, float], t: float = 10.0) -> dict[str, float]:
    """What a log says of GPU 0 after these (number, time)."""
    log = XidLog()
    for xid, at in events:
        log.add("0", xid, at)
    return log.counts("0", t)


def test_no_event_is_zero_of_each_class() -> None:
    """Somebody looks and there is none."""
    assert counted() == dict.fromkeys((ANY, *CLASSES), 0.0)


@pytest.mark.parametrize(
    ("xid", "name"),
    [(48, "gpu.xid_memory"), (79, "gpu.xid_lost"), (74, "gpu.xid_link"), (31, "gpu.xid_application"), (62, "")],
)
def test_a_number_belongs_to_one_class_at_most(xid: int, name: str) -> None:
    """Every one counts among all of them."""
    found = counted((xid, 1.0))
    assert found.pop(ANY) == 1.0
    assert {indicator for indicator, count in found.items() if count} == ({name} if name else set())


@pytest.mark.parametrize("name", sorted(CLASSES))
def test_classes_are_those_of_the_dictionary(name: str) -> None:
    """It lists the numbers in words."""
    entry = DEFAULT.find(name)
    assert entry is not None
    listed = entry.definition.removeprefix("Xid ").partition(":")[0].partition(", or")[0].split(", ")
    assert {int(number) for number in listed} == CLASSES[name]


def test_an_event_counts_for_an_hour() -> None:
    """Not at its end any more."""
    events = ((79, 0.0), (79, 5.0))
    assert [counted(*events, t=t)[ANY] for t in (5.0, KEPT_S - 1, KEPT_S, KEPT_S + 5)] == [2.0, 2.0, 1.0, 0.0]


def test_gpus_are_told_apart() -> None:
    """The other one has none."""
    log = XidLog()
    log.add("0", 79, 1.0, 3)
    assert (log.counts("0", 1.0)[ANY], log.counts("1", 1.0)[ANY]) == (3.0, 0.0)


def test_a_flood_is_bounded() -> None:
    """The latest thousand are kept."""
    log = XidLog()
    log.add("0", 31, 1.0, 10**9)
    log.add("0", 79, 2.0)
    assert (log.counts("0", 2.0)[ANY], log.counts("0", 2.0)["gpu.xid_lost"]) == (1000.0, 1.0)
