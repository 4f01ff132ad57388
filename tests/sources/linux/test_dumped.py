"""Which processes are dumped together, and what their dumps say."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from perfconsole.model.suspect import Suspect
from perfconsole.sources.linux.dumped import dumped, family
from tests.sources.fakeroot import FakeRoot
from tests.stacks.test_dump import QUEUE, REDUCE, SLEEP, text

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from perfconsole.model.stackdump import ProcessNow

    Look = tuple[str, str | None]


def suspect(pid: int, layer: str = "engine", role: str = "worker") -> Suspect:
    """A Python process."""
    return Suspect(pid, layer, role, "", f"rank {pid}", None, 1, "3.11")


ENGINE = (suspect(10, role="frontend"), suspect(11, role="core"), suspect(12), suspect(13))
GATEWAY = (suspect(20, "gateway", ""), suspect(21, "gateway", ""), suspect(22, "gateway", ""))
SECOND = (suspect(30, role="frontend"), suspect(31))
EVERY = (*GATEWAY, *ENGINE, *SECOND)
PARENTS = {10: 1, 11: 10, 12: 11, 13: 11, 20: 1, 21: 20, 22: 21, 30: 1, 31: 30, 1: 0}


def numbers(pid: int, parents: Mapping[int, int] = PARENTS) -> list[int]:
    """Processes that are dumped with this one."""
    return [s.pid for s in family(EVERY, pid, parents)]


@pytest.mark.parametrize("pid", [10, 11, 13])
def test_of_an_engine_all_processes_are_taken(pid: int) -> None:
    """Whichever of them was named; another engine is not."""
    assert numbers(pid) == [10, 11, 12, 13]


def test_of_anything_else_only_those_below_are_taken() -> None:
    """The other workers of a gateway have nothing to do with this one."""
    assert numbers(21) == [21, 22]


def test_what_is_no_python_between_two_does_not_part_an_engine() -> None:
    """A fork server, which is a helper, or a shell that started the workers."""
    assert numbers(12, {**PARENTS, 12: 99, 13: 99, 99: 11}) == [10, 11, 12, 13]


def test_an_engine_ends_below_what_is_none() -> None:
    """A gateway that started one is not dumped with it."""
    assert numbers(12, {**PARENTS, 10: 21}) == [10, 11, 12, 13]


def test_parents_in_a_circle_end_somewhere() -> None:
    """A table that is read while processes come and go may show one."""
    assert set(numbers(11, {**PARENTS, 10: 12})) == {10, 11, 12, 13}


def test_a_process_that_is_not_known_has_no_family() -> None:
    """Nothing is made up for it."""
    assert numbers(77) == []


@pytest.fixture
def root(tmp_path: Path) -> FakeRoot:
    """Make the processes 10 and 12 of the engine."""
    root = FakeRoot(tmp_path)
    root.process(10, 1, "vllm")
    root.process(12, 10, "VLLM::Worker")
    return root


def one(root: FakeRoot, first: Look | None, second: Look | None) -> ProcessNow:
    """Process 12 after two looks; None where a look gave nothing of it."""
    given = [{12: look} if look else {} for look in (first, second)]
    return dumped([suspect(12)], given, root.base).processes[0]


def test_two_looks_tell_who_stands_still(root: FakeRoot) -> None:
    """The process keeps its title and role."""
    found = one(root, (text(SLEEP), None), (text(SLEEP), None))
    assert (found.pid, found.title, found.role, found.state, found.trouble) == (12, "rank 12", "worker", "S", "")
    assert [t.still for t in found.threads] == [True]


def test_the_lines_are_those_that_the_process_sees(root: FakeRoot) -> None:
    """Below its own root folder."""
    root.put(f"proc/12/root{SLEEP[1]}", "\n" * (SLEEP[2] - 1) + "    time.sleep(5)\n")
    assert one(root, (text(SLEEP), None), (text(SLEEP), None)).threads[0].words == "sleeps"


def test_the_state_of_the_kernel_is_read_at_the_end(root: FakeRoot) -> None:
    """A process that was stopped is the odd one."""
    root.process(12, 10, "VLLM::Worker", state="T")
    assert one(root, (text(SLEEP), None), (text(SLEEP), None)).odd == "stopped by a signal (state T)"


def test_a_look_that_failed_is_the_trouble_of_its_process(root: FakeRoot) -> None:
    """In py-spy's own words; what the other look found is shown all the same."""
    found = one(root, ("", "Permission denied"), (text(SLEEP), None))
    assert (found.trouble, len(found.threads)) == ("Permission denied", 1)


def test_a_look_that_is_missing_is_said(root: FakeRoot) -> None:
    """It was never given an answer."""
    assert one(root, (text(SLEEP), None), None).trouble == "py-spy did not answer"


def test_what_is_no_dump_is_said(root: FakeRoot) -> None:
    """Its name is that of the fault, and nothing raises."""
    assert "no dump" in one(root, ("[1]", None), ("[1]", None)).trouble


def test_a_process_that_has_ended_is_said(root: FakeRoot) -> None:
    """Before whatever py-spy had to say of that."""
    root.end(12)
    found = one(root, (text(SLEEP), None), ("", "No such process"))
    assert (found.state, found.trouble) == ("X", "it has ended")


def test_processes_are_compared_with_each_other(root: FakeRoot) -> None:
    """The one that is not in the collective stands first."""
    members = [suspect(pid) for pid in (10, 12, 14)]
    root.process(14, 10, "VLLM::Worker")
    look: dict[int, Look] = {10: (text(REDUCE), None), 12: (text(QUEUE), None), 14: (text(REDUCE), None)}
    reading = dumped(members, [look, look], root.base)
    assert reading.processes[0].pid == 12
    assert reading.shares["profile.odd_ranks"] == 1
