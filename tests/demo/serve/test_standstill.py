"""How long the play has stood still, as all its programs see it."""

from __future__ import annotations

from pathlib import Path

import pytest

from perfconsole.demo.serve.standstill import Standstill


def test_at_first_the_play_runs_with_the_clock() -> None:
    """Nothing is left out."""
    with Standstill() as still:
        assert (still.played(100.0), still.held) == (100.0, False)


def test_while_it_stands_no_time_passes_in_it() -> None:
    """And it goes on from there."""
    with Standstill() as still:
        still.hold(100.0)
        assert [still.played(t) for t in (100.0, 160.0)] == [100.0, 100.0]
        still.release(160.0)
        assert [still.played(t) for t in (160.0, 161.0)] == [100.0, 101.0]


def test_several_stands_add_up() -> None:
    """A second probe may come."""
    with Standstill() as still:
        for start, end in ((100.0, 110.0), (120.0, 150.0)):
            still.hold(start)
            still.release(end)
        assert still.played(160.0) == 120.0


def test_holding_what_stands_and_releasing_what_runs_does_nothing() -> None:
    """The front-end says so ten times a second."""
    with Standstill() as still:
        still.release(90.0)
        still.hold(100.0)
        still.hold(110.0)
        assert still.played(120.0) == 100.0


def test_other_programs_see_it_at_once() -> None:
    """Through the place of the page, which is no file that could be left behind."""
    with Standstill() as still, Standstill(still.place) as other:
        other.hold(100.0)
        assert (still.held, still.played(150.0)) == (True, 100.0)
        assert Path(still.place).exists()


def test_a_stage_that_is_gone_has_no_page() -> None:
    """A program that starts too late ends at once."""
    still = Standstill()
    place = still.place
    still.close()
    still.close()
    with pytest.raises(OSError, match="No such file"):
        Standstill(place)
