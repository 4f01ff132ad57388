"""Tests of rounds: steps that hang are left, the others go on. No step here waits longer than its test lets it."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import pytest

from perfconsole.clock import SystemClock
from perfconsole.sources.nvml import rounds as rounds_module
from perfconsole.sources.nvml.rounds import SYSTEM, Rounds, Step

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

CLOCK = SystemClock()


class Driver:
    """Steps that note that they were made, some of which hang until they are let go."""

    def __init__(self) -> None:
        self.made: list[tuple[int, str]] = []
        self.hanging: dict[tuple[int, str], threading.Event] = {}
        self.plan: list[tuple[int, str]] = []

    def steps(self, _: float) -> list[Step]:
        """One round."""
        return [Step(gpu, call, self.run(gpu, call)) for gpu, call in self.plan]

    def run(self, gpu: int, call: str) -> Callable[[], Iterable[Step]]:
        """What a step does."""

        def make() -> Iterable[Step]:
            event = self.hanging.get((gpu, call))
            if event is not None:
                event.wait(60.0)
            self.made.append((gpu, call))
            return ()

        return make

    def let_go(self) -> None:
        """Nothing hangs any more."""
        for event in self.hanging.values():
            event.set()
        self.hanging = {}


@pytest.fixture
def driver(monkeypatch: pytest.MonkeyPatch) -> Iterator[Driver]:
    """Short limits; what hangs ends with the test."""
    monkeypatch.setattr(rounds_module, "STUCK_S", 0.2)
    monkeypatch.setattr(rounds_module, "ANSWER_S", 0.4)
    one = Driver()
    yield one
    one.let_go()


def rounds_of(driver: Driver) -> Rounds:
    """Rounds of its steps; only `init` is waited for."""
    return Rounds(driver.steps, CLOCK, frozenset({"init"}))


def until(rounds: Rounds, good: Callable[[], bool]) -> None:
    """Rounds until it is as wanted; there is time for it."""
    deadline = CLOCK.now() + 20.0
    rounds.round()
    while not good():
        assert CLOCK.now() < deadline
        rounds.round()


def test_a_round_makes_all_steps_in_order(driver: Driver) -> None:
    """And is over when the last is made."""
    driver.plan = [(SYSTEM, "count"), (0, "a"), (0, "b"), (1, "a")]
    rounds_of(driver).round()
    assert driver.made == driver.plan


def test_steps_may_bring_steps(driver: Driver) -> None:
    """They follow at once."""
    more = [Step(0, name, driver.run(0, name)) for name in ("x", "y")]
    first = Step(SYSTEM, "count", lambda: more)
    rounds = Rounds(lambda _: [first, Step(0, "z", driver.run(0, "z"))], CLOCK, frozenset())
    rounds.round()
    assert driver.made == [(0, "x"), (0, "y"), (0, "z")]


def test_a_step_that_hangs_costs_only_itself(driver: Driver) -> None:
    """The others are made in the same round or the next, and it is not tried again meanwhile."""
    driver.plan = [(0, "a"), (0, "b"), (1, "a")]
    driver.hanging[0, "a"] = threading.Event()
    rounds = rounds_of(driver)
    until(rounds, lambda: (1, "a") in driver.made and (0, "b") in driver.made)
    assert list(rounds.stuck()) == [(0, "a")]
    rounds.round()
    assert (0, "a") not in driver.made
    assert driver.made.count((1, "a")) >= 2


def test_a_step_that_returns_is_made_again(driver: Driver) -> None:
    """From the next round on."""
    driver.plan = [(0, "a"), (1, "a")]
    driver.hanging[0, "a"] = threading.Event()
    rounds = rounds_of(driver)
    until(rounds, lambda: bool(rounds.stuck()))
    driver.let_go()
    until(rounds, lambda: driver.made.count((0, "a")) >= 2)
    assert rounds.stuck() == {}


def test_a_gpu_on_which_two_steps_hang_is_left_alone(driver: Driver) -> None:
    """The workers are for the others."""
    driver.plan = [(0, "a"), (0, "b"), (0, "c"), (1, "a"), (1, "b")]
    driver.hanging = {(0, "a"): threading.Event(), (0, "b"): threading.Event()}
    rounds = rounds_of(driver)
    until(rounds, lambda: len(rounds.stuck()) == 2)
    assert rounds.shunned(0)
    assert not rounds.shunned(1)
    driver.made.clear()
    until(rounds, lambda: (1, "b") in driver.made)
    assert (0, "c") not in driver.made
    assert not rounds.whole


def test_a_call_that_hangs_on_two_gpus_is_asked_of_none(driver: Driver) -> None:
    """So sixteen GPUs do not use up the workers."""
    driver.plan = [(gpu, call) for gpu in range(6) for call in ("a", "b")]
    driver.hanging = {(gpu, "a"): threading.Event() for gpu in range(6)}
    rounds = rounds_of(driver)
    until(rounds, lambda: (5, "b") in driver.made)
    assert rounds.avoided() == {"a"}
    assert len(rounds.stuck()) == 2


def test_with_four_hanging_steps_nothing_more_is_asked(driver: Driver) -> None:
    """The driver hangs as a whole; when one returns it goes on."""
    driver.plan = [(0, "a"), (1, "b"), (2, "c"), (3, "d"), (4, "e")]
    driver.hanging = {key: threading.Event() for key in driver.plan[:4]}
    rounds = rounds_of(driver)
    until(rounds, lambda: rounds.whole)
    driver.made.clear()
    rounds.round()
    assert driver.made == []
    driver.let_go()
    until(rounds, lambda: (4, "e") in driver.made)


def test_a_gpu_whose_calls_are_slow_lets_the_others_pass(driver: Driver, monkeypatch: pytest.MonkeyPatch) -> None:
    """They are asked anew, those that wait still before those that were asked; what is left of it comes last."""
    monkeypatch.setattr(rounds_module, "STUCK_S", 60.0)
    driver.plan = [(0, "a"), (1, "a"), (1, "b"), (2, "a")]
    driver.hanging = {(1, "a"): threading.Event()}
    rounds = rounds_of(driver)
    until(rounds, lambda: driver.made == [(0, "a")])
    rounds.round()
    driver.let_go()
    until(rounds, lambda: (1, "b") in driver.made)
    assert driver.made[:5] == [(0, "a"), (1, "a"), (2, "a"), (0, "a"), (1, "b")]


def test_a_patient_step_is_waited_for(driver: Driver) -> None:
    """Nothing can go on without it; it is told where the worker is."""
    driver.plan = [(SYSTEM, "init")]
    driver.hanging[SYSTEM, "init"] = threading.Event()
    rounds = rounds_of(driver)
    rounds.round()
    rounds.round()
    assert rounds.stuck() == {}
    waiting = rounds.waiting()
    assert waiting is not None
    assert waiting[0] == (SYSTEM, "init")


def test_a_fault_of_our_own_costs_one_step(driver: Driver) -> None:
    """And is said, until the step works again."""
    broken = [True]

    def fail() -> Iterable[Step]:
        if broken[0]:
            raise ValueError("oops")
        return ()

    rounds = Rounds(lambda _: [Step(0, "a", fail), Step(1, "a", driver.run(1, "a"))], CLOCK, frozenset())
    rounds.round()
    assert driver.made == [(1, "a")]
    assert rounds.faults == {(0, "a"): "fault in perfconsole, please report it: ValueError: oops"}
    broken[0] = False
    rounds.round()
    assert rounds.faults == {}
