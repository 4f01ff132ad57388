"""Who makes the next request, and when: users of a closed loop, arrivals of an open one, a burst, a recorded sample."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfconsole.clock import epoch_ns
from perfconsole.load.pacer import poisson, replayed
from perfconsole.load.seat import Seat
from perfconsole.model.probeplan import Shape

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from perfconsole.load.work import Work
    from perfconsole.model.probeorders import Run
    from perfconsole.probing.scenario import Call

_NANO = 1_000_000_000


class Crowd:
    """Owns the seats. Moments are epoch nanoseconds."""

    def __init__(self, work: Work, launch: Callable[[Seat, Call, bytes, int, int], None]) -> None:
        """`launch` sends a call of a seat: its bytes, the moment it was meant for, how many start a step together."""
        self._work = work
        self._launch = launch
        self.more: Callable[[], bool] = lambda: False
        """Whether anything may still be started."""
        self.busy: Callable[[int], None] = lambda _change: None
        """Told when a seat takes something up, and when it has nothing to do."""
        self._users: list[Seat] = []
        """Of the closed loop; a seat that is no longer one of them ends with what it does."""
        self._resting: list[Seat] = []
        """Users that wait a little after errors."""
        self._arrivals: Iterator[tuple[int, Call | None]] = iter(())
        self._next: tuple[int, Call | None] | None = None
        """The next arrival: its moment, and its call where a sample says which."""

    @property
    def due(self) -> int | None:
        """When the next one arrives."""
        return self._next[0] if self._next else None

    def begin(self, run: Run, now: int, seed: int) -> None:
        """Take a step up. Users that are there go on with what they do."""
        self._next = None
        if run.shape is Shape.CONCURRENCY:
            self._seat(int(run.amount))
            return
        self._users = []
        if run.shape is Shape.BURST:
            self._burst([Seat() for _ in range(int(run.amount))])
        elif run.shape is Shape.RATE:
            self._come((now + int(at * _NANO), None) for at in poisson(run.amount, seed))
        else:
            moments = replayed((arrival.at for arrival in run.arrivals), run.amount)
            calls = map(self._work.recorded, run.arrivals)
            self._come((now + int(at * _NANO), call) for at, call in zip(moments, calls, strict=True))

    def _seat(self, wanted: int) -> None:
        """As many users as the step has; those who have nothing to do begin with the new ones."""
        del self._users[wanted:]
        self._users += [Seat() for _ in range(wanted - len(self._users))]
        self._resting = []
        self._burst([seat for seat in self._users if not seat.out])

    def _burst(self, seats: list[Seat]) -> None:
        """All of them at once: their bytes are ready before the first is sent."""
        for seat in seats:
            seat.begin(*self._work.next_task())
        ready = [(seat, [(call, self._work.body(call, seat)) for call in seat.stage()]) for seat in seats]
        together = sum(len(calls) for _, calls in ready)
        for seat, calls in ready:
            self.busy(1)
            for call, body in calls:
                self._launch(seat, call, body, epoch_ns(), together)

    def _come(self, arrivals: Iterator[tuple[int, Call | None]]) -> None:
        self._arrivals = arrivals
        self._next = next(arrivals, None)

    def arrive(self) -> bool:
        """Everybody who is due by now; whether that was the last of a sample."""
        if self._next is None:
            return False
        while self._next is not None and self._next[0] <= epoch_ns() and self.more():
            moment, call = self._next
            self._next = next(self._arrivals, None)
            seat = Seat()
            seat.begin(*(self._work.task_of(call) if call else self._work.next_task()))
            self.busy(1)
            self._stage(seat, moment)
        if not self.more():
            self._next = None
        return self._next is None

    def _stage(self, seat: Seat, moment: int) -> bool:
        """The calls that a seat makes next; whether there are any."""
        calls = seat.stage()
        for call in calls:
            self._launch(seat, call, self._work.body(call, seat), moment, 0)
        return bool(calls)

    def freed(self, seat: Seat, now: int, *, well: bool) -> None:
        """A request of a seat has ended: its next stage, or a user's next task."""
        if not seat.ended(now, well=well):
            return
        if self.more() and self._stage(seat, now):
            return
        self.busy(-1)
        if seat in self._users:
            self._resting.append(seat) if seat.waits_until > now else self._next_task(seat, now)

    def _next_task(self, seat: Seat, now: int) -> None:
        if self.more():
            seat.begin(*self._work.next_task())
            self.busy(1)
            self._stage(seat, now)

    def wake(self, now: int) -> None:
        """Users whose rest is over go on."""
        ready = [seat for seat in self._resting if seat.waits_until <= now]
        self._resting = [seat for seat in self._resting if seat.waits_until > now]
        for seat in ready:
            self._next_task(seat, now)
