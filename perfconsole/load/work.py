"""What is asked: tasks of the scenario, as bytes, and what the server's answers teach about both."""

from __future__ import annotations

import secrets
from itertools import count
from typing import TYPE_CHECKING

from perfconsole.load.bodies import Bodies
from perfconsole.load.prompts import Texts
from perfconsole.load.refusal import refused_option
from perfconsole.load.sizer import Sizer
from perfconsole.load.wording import Wanted
from perfconsole.model.probeload import Part, Trouble
from perfconsole.probing.scenario import Call, calls_per_task, most_at_once, tasks, warm_up

if TYPE_CHECKING:
    from perfconsole.load.flight import Flight
    from perfconsole.load.seat import Seat
    from perfconsole.model.probeorders import Arrival, Open, Run
    from perfconsole.probing.scenario import Task


class Work:
    """Owns the numbers of tasks and requests, and what was learned of the tokenizer and the options of the server."""

    def __init__(self, opening: Open) -> None:
        self._opening = opening
        self._sizer = Sizer()
        texts = Texts(secrets.randbits(48))
        self._bodies = [Bodies(target, opening.api, opening.model, texts, self._sizer) for target in opening.targets]
        self._tasks = tasks(opening.scenario, opening.prompt_tokens, opening.output_tokens, opening.mix, opening.seed)
        self._run: Run | None = None
        self._warm_ups: list[Call] = []
        """Calls of the warm-up that are still to be made, the next one last."""
        self._task, self._number = count(), count()
        self._words: dict[int, int] = {}
        """Words of the prompts of the warm-up, by task."""
        self.notes: tuple[str, ...] = ()
        """What the server did not take."""

    @property
    def targets(self) -> int:
        """How many targets there are."""
        return len(self._bodies)

    @property
    def at_once(self) -> int:
        """Requests that one user has under way at the same time, at most."""
        return most_at_once(self._opening.scenario)

    @property
    def calls(self) -> int:
        """Requests of one task, at most."""
        return calls_per_task(self._opening.scenario)

    def follow(self, run: Run, *, warming: bool) -> None:
        """Make the requests of this step from now on; ValueError for fields that cannot be added."""
        self._run = run
        self._bodies[run.target].options(run.extra)
        opening = self._opening
        lengths = (opening.scenario, opening.prompt_tokens, opening.output_tokens, run.requests or 0)
        self._warm_ups = list(reversed(warm_up(*lengths))) if warming else []

    def next_task(self) -> tuple[int, Task]:
        """Number and stages of the next task."""
        if self._warm_ups:
            return self.task_of(self._warm_ups.pop())
        return next(self._task), next(self._tasks)

    def task_of(self, call: Call) -> tuple[int, Task]:
        """A task of this one call."""
        return next(self._task), ((call,),)

    def recorded(self, arrival: Arrival) -> Call:
        """A request of a recorded sample."""
        return Call("replay", arrival.prompt_tokens, arrival.output_tokens)

    def body(self, call: Call, seat: Seat) -> bytes:
        """Its bytes, for the target of the step."""
        run = self._run
        assert run is not None  # noqa: S101 - the load begins with a step
        if run.index < 0:
            self._words[seat.task] = self._sizer.words(call.prompt_tokens)
        return self._bodies[run.target].request(call, Wanted(seat.task, next(self._number), run.prompt, run.extra))

    def learn(self, flight: Flight) -> bool:
        """Take note of an answer; whether the request is to be made again, without what the server refused."""
        words = self._words.pop(flight.seat.task, None)
        usage = flight.answer.usage
        if usage is not None and words is not None:
            self._sizer.learn(words, usage.prompt)
        if flight.answer.trouble is not Trouble.STATUS or self._run is None or flight.answer.head is None:
            return False
        bodies = self._bodies[flight.stint.run.target]
        options = bodies.options(self._run.extra)
        option = refused_option(flight.answer.head.status, flight.answer.detail, options)
        if option is None:
            return False
        bodies.drop(option)
        self.notes += (f"the server does not take {option}: {flight.answer.detail}",)
        if flight.part is Part.WARM_UP:
            self._warm_ups.append(flight.call)
        return True
