"""Who makes the next request, and when."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from perfconsole.clock import epoch_ns
from perfconsole.load.crowd import Crowd
from perfconsole.model.probeorders import Arrival, Run
from perfconsole.model.probeplan import Shape
from perfconsole.probing.scenario import Call

if TYPE_CHECKING:
    from perfconsole.load.seat import Seat
    from perfconsole.load.work import Work
    from perfconsole.probing.scenario import Task

CALL = Call("short-chat", 8, 8)
NANO = 1_000_000_000


class FakeWork:
    """Tasks of these stages, numbered."""

    def __init__(self, *stages: int) -> None:
        self.stages = stages or (1,)
        self.number = 0

    def next_task(self) -> tuple[int, Task]:
        """The next one."""
        self.number += 1
        return self.number, tuple((CALL,) * many for many in self.stages)

    def task_of(self, call: Call) -> tuple[int, Task]:
        """One of this call."""
        self.number += 1
        return self.number, ((call,),)

    def recorded(self, arrival: Arrival) -> Call:
        """A call as long as the sample says."""
        return Call("replay", arrival.prompt_tokens, arrival.output_tokens)

    def body(self, call: Call, seat: Seat) -> bytes:
        """Its task, to be seen."""
        return b"%d %d" % (seat.task, call.output_tokens)


class Stage:
    """A crowd, and what it launched."""

    def __init__(self, *stages: int) -> None:
        self.sent: list[tuple[Seat, bytes, int, int]] = []
        self.busy = 0
        self.open = True
        self.crowd = Crowd(cast("Work", FakeWork(*stages)), self._launch)
        self.crowd.more = lambda: self.open
        self.crowd.busy = self._busy

    def _launch(self, seat: Seat, _call: Call, body: bytes, intended: int, together: int) -> None:
        self.sent.append((seat, body, intended, together))

    def _busy(self, change: int) -> None:
        self.busy += change

    def begin(self, shape: Shape, amount: float, **more: object) -> None:
        """Take a step up."""
        self.crowd.begin(Run(0, shape, amount, **more), epoch_ns(), 1)  # type: ignore[arg-type]

    def end(self, number: int, *, well: bool = True, now: int = 0) -> None:
        """The so manieth request has ended."""
        self.crowd.freed(self.sent[number][0], now, well=well)


def test_users_start_together_and_go_on_one_by_one() -> None:
    """Each that has its answer asks again."""
    stage = Stage()
    stage.begin(Shape.CONCURRENCY, 3)
    assert [together for *_, together in stage.sent] == [3, 3, 3]
    stage.end(1)
    assert len(stage.sent) == 4
    assert stage.sent[3][0] is stage.sent[1][0]
    assert stage.sent[3][3] == 0
    assert stage.busy == 3


def test_a_larger_step_only_adds_users() -> None:
    """Those that are there go on with what they do; those that have nothing to do begin with the new ones."""
    stage = Stage()
    stage.begin(Shape.CONCURRENCY, 2)
    stage.open = False
    stage.end(0)
    stage.open = True
    stage.begin(Shape.CONCURRENCY, 3)
    assert [together for *_, together in stage.sent] == [2, 2, 2, 2]
    assert stage.busy == 3


def test_a_smaller_step_lets_users_go_when_they_have_their_answer() -> None:
    """Nothing is broken off."""
    stage = Stage()
    stage.begin(Shape.CONCURRENCY, 3)
    stage.begin(Shape.CONCURRENCY, 1)
    for number in (0, 1, 2):
        stage.end(number)
    assert len(stage.sent) == 4
    assert stage.busy == 1


def test_calls_of_a_stage_are_made_at_the_same_time() -> None:
    """The next stage when all of them have ended."""
    stage = Stage(1, 2)
    stage.begin(Shape.CONCURRENCY, 1)
    stage.end(0)
    assert [body.split()[0] for _, body, *_ in stage.sent] == [b"1", b"1", b"1"]
    stage.end(1)
    assert len(stage.sent) == 3
    stage.end(2)
    assert stage.sent[3][1].startswith(b"2 ")


def test_nothing_is_started_where_nothing_may_be() -> None:
    """A step that is over, or an end."""
    stage = Stage()
    stage.begin(Shape.CONCURRENCY, 1)
    stage.open = False
    stage.end(0)
    assert (len(stage.sent), stage.busy) == (1, 0)


def test_a_user_rests_after_errors_in_a_row() -> None:
    """And goes on when the rest is over."""
    stage = Stage()
    stage.begin(Shape.CONCURRENCY, 1)
    stage.end(0, well=False, now=NANO)
    stage.end(1, well=False, now=NANO)
    assert len(stage.sent) == 2
    stage.crowd.wake(NANO + NANO // 100)
    assert len(stage.sent) == 2
    stage.crowd.wake(2 * NANO)
    assert len(stage.sent) == 3


def test_arrivals_come_at_their_moments() -> None:
    """Whoever is under way; those whose moment has passed come at once, with that moment."""
    stage = Stage()
    now = epoch_ns()
    stage.crowd.begin(Run(0, Shape.RATE, 1000.0), now - NANO, 1)
    assert stage.crowd.due is not None
    assert not stage.crowd.arrive()
    moments = [intended for _, _, intended, _ in stage.sent]
    assert len(moments) > 900
    assert moments == sorted(moments)
    assert moments[0] < now


def test_a_sample_ends() -> None:
    """With its last request, and says so."""
    stage = Stage()
    arrivals = (Arrival(0.0, 5, 6), Arrival(0.0, 5, 7))
    stage.begin(Shape.REPLAY, 1.0, arrivals=arrivals)
    assert stage.crowd.arrive()
    assert [body.split()[1] for _, body, *_ in stage.sent] == [b"6", b"7"]
    assert stage.crowd.due is None
    assert not stage.crowd.arrive()
