"""Values and reasons, put together."""

from __future__ import annotations

from perfconsole.model.entity import Entity, Kind
from perfconsole.model.sample import Absence, Missing, Sample, SeriesKey
from perfconsole.sources.linux.values import every, highest, ratio, split, total

HOST = Entity(Kind.HOST, "h")


def test_split_keeps_a_zero_a_sample_and_a_reason_an_absence() -> None:
    """0 is a value; a reason is none."""
    samples, absences = split(HOST, {"host.load": 0.0, "host.fds": Missing.UNSUPPORTED})
    assert samples == (Sample(SeriesKey("host.load", HOST), 0.0),)
    assert absences == (Absence("host.fds", HOST, Missing.UNSUPPORTED),)


def test_every_gives_all_names_the_reason() -> None:
    """One reason can stand for many names."""
    assert every(("a", "b"), Missing.NEVER) == {"a": Missing.NEVER, "b": Missing.NEVER}


def test_ratio_of_nothing_is_never() -> None:
    """A share of no events is no 0."""
    assert ratio(0.0, 0.0) is Missing.NEVER


def test_ratio_passes_either_reason() -> None:
    """The reason of the operand is the reason of the ratio."""
    assert ratio(Missing.WARMING_UP, 1.0) is Missing.WARMING_UP
    assert ratio(1.0, Missing.UNSUPPORTED) is Missing.UNSUPPORTED


def test_highest_and_total_run_over_those_that_have_a_value() -> None:
    """One missing part does not hide the others."""
    values: list[float | Missing] = [Missing.WARMING_UP, 2.0, 3.0]
    assert highest(values, Missing.NEVER) == 3.0
    assert total(values, Missing.NEVER) == 5.0


def test_highest_and_total_of_reasons_are_the_first_reason() -> None:
    """Nothing but reasons gives a reason, never 0."""
    assert highest([Missing.WARMING_UP], Missing.NEVER) is Missing.WARMING_UP
    assert total([Missing.WARMING_UP], Missing.NEVER) is Missing.WARMING_UP
    assert highest([], Missing.NEVER) is Missing.NEVER
    assert total([], Missing.NEVER) is Missing.NEVER
