"""Tests of what was handed over: each target once, and given up when nothing is left of it."""

from __future__ import annotations

import pytest

from perfconsole.sources.discovery.found import Found
from perfconsole.sources.discovery.handed import GIVE_UP_S, Handed
from tests.sources.discovery.building import program, programs

URL = "http://127.0.0.1:8000"
ENGINE = Found("engine", "vllm", URL, "", 20, (), "by hand")
RUNS = programs(program(20, "vllm"))


class Owner:
    """Takes targets and lets them go, or fails to."""

    def __init__(self) -> None:
        self.did: list[str] = []
        self.fault = ""

    def take(self, found: Found) -> None:
        """Note it."""
        self._do(f"take {found.url}")

    def drop(self, found: Found) -> None:
        """Note it."""
        self._do(f"drop {found.url}")

    def _do(self, what: str) -> None:
        self.did.append(what)
        if self.fault:
            raise ZeroDivisionError(self.fault)


@pytest.fixture
def owner() -> Owner:
    """One that works."""
    return Owner()


@pytest.fixture
def handed(owner: Owner) -> Handed:
    """With one engine."""
    handed = Handed(owner.take, owner.drop)
    assert handed.give([ENGINE], RUNS) == []
    return handed


def test_a_target_is_handed_over_once(handed: Handed, owner: Owner) -> None:
    """However often it is found."""
    handed.give([ENGINE], RUNS)
    assert (owner.did, handed.all) == ([f"take {URL}"], (ENGINE,))


def test_one_that_cannot_be_taken_is_tried_again(owner: Owner) -> None:
    """With the reason, in which a fault of ours shows nothing but its name."""
    owner.fault = "secret"
    handed = Handed(owner.take, owner.drop)
    (refused,) = handed.give([ENGINE], RUNS)
    assert (refused.port, refused.pid, "secret" in refused.reason, "ZeroDivisionError" in refused.reason) == (
        8000,
        20,
        False,
        True,
    )
    owner.fault = ""
    assert (handed.give([ENGINE], RUNS), handed.all) == ([], (ENGINE,))


def test_a_process_of_the_same_number_is_another_one(handed: Handed) -> None:
    """Its start tells."""
    assert handed.pids(RUNS) == {20}
    assert handed.pids(programs(program(21, "vllm"))) == set()


@pytest.mark.parametrize(("there", "runs"), [({URL}, False), (set(), True)])
def test_what_is_there_in_part_is_kept(handed: Handed, owner: Owner, there: set[str], *, runs: bool) -> None:
    """Its port without its process, or its process without its port: a restart takes minutes."""
    for now in (0.0, GIVE_UP_S):
        handed.give_up(there, RUNS if runs else {}, now)
    assert owner.did == [f"take {URL}"]


def test_what_is_gone_for_long_is_let_go(handed: Handed, owner: Owner) -> None:
    """Not before, and found anew when it comes back."""
    for now in (0.0, GIVE_UP_S - 1.0):
        handed.give_up((), {}, now)
    assert handed.all == (ENGINE,)
    handed.give_up((), {}, GIVE_UP_S)
    handed.give([ENGINE], RUNS)
    assert owner.did == [f"take {URL}", f"drop {URL}", f"take {URL}"]


def test_one_that_came_back_in_between_has_its_whole_time_again(handed: Handed) -> None:
    """It was gone twice and not once for long."""
    for there, now in (((), 0.0), ({URL}, GIVE_UP_S - 1.0), ((), GIVE_UP_S)):
        handed.give_up(there, {}, now)
    assert handed.all == (ENGINE,)


def test_one_that_cannot_be_left_is_told(handed: Handed, owner: Owner) -> None:
    """And is none of ours any more."""
    owner.fault = "secret"
    handed.give_up((), {}, 0.0)
    (fault,) = handed.give_up((), {}, GIVE_UP_S)
    assert fault.reason.startswith("gone, but it cannot be left: ")
    assert handed.all == ()
