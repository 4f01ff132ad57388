"""Stacks of several processes, taken twice."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from perfconsole.actions.dumping import APART_S, Dumping
from perfconsole.actions.run import end_all, living
from perfconsole.clock import SystemClock
from tests.actions.fakepyspy import fake
from tests.actions.test_run import gone

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

CLOCK = SystemClock()
LIMIT_S = 15.0
PID = "pid = words[words.index('--pid') + 1]\n"
SAYS = f"{PID}print(pid)"
MEETS = (
    f"{PID}folder = os.path.dirname(__file__)\n"
    "open(os.path.join(folder, f'met-{pid}'), 'w').close()\n"
    "while sum(name.startswith('met-') for name in os.listdir(folder)) < 2: time.sleep(0.01)\n"
    "print('met')"
)
"""Ends when one of each of two processes runs."""


@pytest.fixture(autouse=True)
def _leave_none() -> Iterator[None]:
    """No child outlives its test, and none that another test has just killed is counted in it."""
    end_all(2.0)
    yield
    assert end_all(2.0) == ()


def looked(dumping: Dumping, now: float, looks: int) -> bool:
    """Whether it is done when so many looks have an answer of every process; its own time stands still."""
    began, done = CLOCK.now(), False
    while len(dumping.given) < looks or dumping._running:
        assert CLOCK.now() - began < LIMIT_S
        done = dumping.look(now)
        CLOCK.sleep(0.01)
    return done or dumping.look(now)


def test_each_process_is_looked_at_twice(tmp_path: Path) -> None:
    """What was said stands by look and by process."""
    dumping = Dumping((7, 8), fake(tmp_path, SAYS), 0.0)
    assert looked(dumping, APART_S, 2)
    look = {7: ("7\n", None), 8: ("8\n", None)}
    assert dumping.given == [look, look]


def test_the_second_look_comes_half_a_second_after_the_first(tmp_path: Path) -> None:
    """Counted from its beginning; until then nothing runs and nothing is done."""
    dumping = Dumping((7,), fake(tmp_path, SAYS), 100.0)
    assert not looked(dumping, 100.0, 1)
    assert not dumping.look(100.0 + APART_S - 0.01)
    assert (len(dumping.given), living()) == (1, ())
    assert not dumping.look(100.0 + APART_S)
    assert (len(dumping.given), len(living())) == (2, 1)
    dumping.close()


def test_processes_are_looked_at_side_by_side(tmp_path: Path) -> None:
    """One after the other, two of them would never be at the same moment."""
    dumping = Dumping((7, 8), fake(tmp_path, MEETS), 0.0)
    looked(dumping, 0.0, 1)
    assert dumping.given == [{7: ("met\n", None), 8: ("met\n", None)}]


def test_it_is_not_done_while_one_still_runs(tmp_path: Path) -> None:
    """The answers of the others are kept."""
    dumping = Dumping((7, 8), fake(tmp_path, f"{PID}time.sleep(60 if pid == '8' else 0)"), 0.0)
    began = CLOCK.now()
    while 7 not in dumping.given[0] and CLOCK.now() - began < LIMIT_S:
        assert not dumping.look(APART_S)
        CLOCK.sleep(0.01)
    assert (dumping.given, len(living())) == ([{7: ("", None)}], 1)
    dumping.close()


def test_a_process_that_cannot_be_read_leaves_the_others_alone(tmp_path: Path) -> None:
    """Its reason stands where its stacks would."""
    body = f"{PID}if pid == '8': sys.exit('Error: Permission denied')\nprint('[]')"
    dumping = Dumping((7, 8), fake(tmp_path, body), 0.0)
    assert looked(dumping, APART_S, 2)
    assert all((look[8][1] or "").startswith("Permission denied: sudo") for look in dumping.given)
    assert [look[7] for look in dumping.given] == [("[]\n", None)] * 2


def test_bytes_that_are_no_text_do_not_matter(tmp_path: Path) -> None:
    """A name of a thread may be anything."""
    dumping = Dumping((7,), fake(tmp_path, "sys.stdout.buffer.write(b'a\\xff')"), 0.0)
    looked(dumping, 0.0, 1)
    assert dumping.given == [{7: ("a\ufffd", None)}]


def test_closed_nothing_of_it_is_left(tmp_path: Path) -> None:
    """Whoever leaves the page ends all of them."""
    dumping = Dumping((7, 8), fake(tmp_path, "time.sleep(60)"), 0.0)
    numbers = [child.pid for child in living()]
    dumping.close()
    assert len(numbers) == 2
    assert all(gone(number) for number in numbers)


def test_closing_what_is_done_does_nothing(tmp_path: Path) -> None:
    """The command closes it in any case."""
    dumping = Dumping((7,), fake(tmp_path, SAYS), 0.0)
    looked(dumping, APART_S, 2)
    dumping.close()
    assert dumping.look(APART_S)
