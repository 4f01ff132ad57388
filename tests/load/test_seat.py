"""One user and its task."""

from __future__ import annotations

from perfconsole.load.seat import Seat
from perfconsole.probing.scenario import Call

CALL = Call("short-chat", 8, 8)
MS = 1_000_000


def test_stages_come_one_after_the_other() -> None:
    """The next one when all calls of the one before have ended."""
    seat = Seat()
    seat.begin(7, ((CALL,), (CALL, CALL)))
    assert (seat.task, len(seat.stage())) == (7, 1)
    assert seat.ended(0, well=True)
    assert len(seat.stage()) == 2
    assert not seat.ended(0, well=True)
    assert seat.ended(0, well=True)
    assert seat.stage() == ()


def test_an_error_ends_the_task() -> None:
    """The calls that would follow have nothing to follow from."""
    seat = Seat()
    seat.begin(1, ((CALL,), (CALL,)))
    seat.stage()
    assert seat.ended(0, well=False)
    assert seat.stage() == ()


def test_one_error_is_no_reason_to_wait() -> None:
    """A tenth of errors must not lower the load."""
    seat = Seat()
    seat.begin(1, ((CALL,),))
    seat.stage()
    seat.ended(5, well=False)
    assert seat.waits_until == 0


def test_errors_in_a_row_make_a_user_wait_longer_and_longer() -> None:
    """But never longer than a second."""
    seat, waits = Seat(), []
    for _ in range(9):
        seat.begin(1, ((CALL,),))
        seat.stage()
        seat.ended(0, well=False)
        waits.append(seat.waits_until // MS)
    assert waits == [0, 40, 80, 160, 320, 640, 1000, 1000, 1000]
    seat.begin(1, ((CALL,),))
    seat.stage()
    seat.ended(0, well=True)
    assert seat.errors == 0
