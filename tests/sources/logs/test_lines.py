"""Tests of which lines are looked at, and of the time at which each was written."""

from __future__ import annotations

from datetime import datetime

from hypothesis import given
from hypothesis import strategies as st

from perfconsole.sources.logs.lines import LONGEST_LINE, Dates, candidates, zone_shift
from perfconsole.sources.logs.prefix import Stamp
from tests.sources.logs.logbooks import ONE_O_CLOCK

GATES = (b"alpha", b"beta")


def here_s() -> float:
    """Seconds that this host is ahead of UTC at that time."""
    offset = datetime.fromtimestamp(ONE_O_CLOCK).astimezone().utcoffset()
    return offset.total_seconds() if offset else 0.0


def test_lines_that_hold_a_gate_come_in_their_order() -> None:
    """Each once."""
    piece = b"x\nbeta alpha\nnothing\nalpha alpha\n"
    assert candidates(piece, GATES) == [(2, b"beta alpha"), (21, b"alpha alpha")]


def test_of_a_long_line_only_the_beginning_is_looked_at() -> None:
    """A line of 10 MB is a dump of something."""
    ((_, line),) = candidates(b"alpha" + b"x" * 10_000_000, GATES)
    assert len(line) == LONGEST_LINE


@given(st.binary(max_size=300))
def test_candidates_are_lines_of_the_piece(piece: bytes) -> None:
    """Whatever it holds."""
    found = candidates(piece + b"\nalpha\n" + piece, GATES)
    lines = (piece + b"\nalpha\n" + piece).split(b"\n")
    assert [line for _, line in found] == [line for line in lines if any(gate in line for gate in GATES)]


def test_a_line_without_a_date_has_that_of_the_line_before() -> None:
    """As those of a traceback."""
    piece = b"INFO 11-05 12:30:00 a\n  File x\nalpha\nINFO 11-05 12:31:00 b\n"
    dates = Dates(piece, ONE_O_CLOCK, 0.0)
    assert dates.of(piece.index(b"alpha")) == ONE_O_CLOCK - 1800.0
    assert dates.of(piece.index(b"INFO 11-05 12:31")) == ONE_O_CLOCK - 1740.0


def test_without_any_date_a_line_is_as_old_as_the_file() -> None:
    """It was written no later."""
    assert Dates(b"alpha\n", 1000.0).of(0) == 1000.0


def test_no_line_is_written_after_the_last_change_of_its_file() -> None:
    """Whatever its logger's clock says."""
    assert Dates(b"INFO 11-05 23:30:00 a\n", ONE_O_CLOCK, 0.0).of(0) == ONE_O_CLOCK


def test_a_logger_in_another_time_zone_is_found_out() -> None:
    """By its last line, which is about as old as the last change of the file."""
    for hours in (-7.0, -0.5, 0.0, 5.5, 9.0):
        last = Stamp(ONE_O_CLOCK + here_s() + hours * 3600 - 20, zoned=False)
        assert zone_shift(last, ONE_O_CLOCK) == here_s() + hours * 3600


def test_a_log_that_ends_without_dates_is_taken_for_one_of_this_host() -> None:
    """An age of 17 minutes is no time zone."""
    assert zone_shift(Stamp(ONE_O_CLOCK + here_s() - 1020, zoned=False), ONE_O_CLOCK) == here_s()
    assert zone_shift(Stamp(ONE_O_CLOCK - 86_400 * 3, zoned=False), ONE_O_CLOCK) == here_s()


def test_many_lines_without_a_date_are_dated_in_one_pass() -> None:
    """Each looks back no farther than to the one before."""
    piece = b"INFO 11-05 12:30:00 a\n" + b"alpha\n" * 3000
    dates = Dates(piece, ONE_O_CLOCK, 0.0)
    times = {dates.of(start) for start, _ in candidates(piece, GATES)}
    assert times == {ONE_O_CLOCK - 1800.0}
