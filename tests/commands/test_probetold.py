"""What is seen while a probe runs."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

from perfconsole.commands.probetold import Teller, moving_line, step_line
from perfconsole.probing.conductor import Conductor, Lead
from tests.probing.fakeload import OFFSET, FakeLoad, opening, plan
from tests.probing.results import result

if TYPE_CHECKING:
    import pytest


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def _under_way(seconds: float) -> tuple[Conductor, float]:
    conductor, load, now = Conductor(plan(4, 8, adaptive=False), Lead(opening(), OFFSET), 0.0), FakeLoad(), 0.0
    load.order(conductor.start(), now)
    while now < seconds:
        now += 0.1
        for event in load.until(now):
            conductor.take(event, now)
        load.order(conductor.look(None, load.stretch, now), now)
    return conductor, now


def test_a_step_in_a_line() -> None:
    """What it sent, how fast it was, what failed, and why it does not count."""
    assert step_line(result(4)) == "4 at a time: 800 tokens/s, TTFT p50 50 ms, TPOT p50 5 ms"
    failed = result(4, errors=9, valid=False, why="the client was late")
    assert step_line(failed).endswith(", 9 of 40 failed (not valid: the client was late)")


def test_where_it_stands() -> None:
    """The step, how far it is, how long it may take."""
    line = moving_line(*_under_way(3.0))
    assert line.startswith("perfconsole: step 1 of 2: 4 at a time, 24 done, 4 under way, 700 tokens/s; ")
    assert line.endswith(" s at most, ctrl+c ends it")
    assert moving_line(*_under_way(0.0)).startswith("perfconsole: connecting; ")


def test_a_pipe(capsys: pytest.CaptureFixture[str]) -> None:
    """Gets a line a step, once, and nothing that moves."""
    conductor, now = _under_way(6.0)
    teller = Teller(quiet=False)
    for _ in range(3):
        teller.tell(conductor, now)
    teller.end()
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert "\r" not in said
    assert said.startswith("perfconsole: 4 at a time: ")


def test_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """Has a line that moves twice a second and wipes itself."""
    out = _Terminal()
    monkeypatch.setattr("sys.stderr", out)
    monkeypatch.setenv("COLUMNS", "120")
    conductor, now = _under_way(3.0)
    teller = Teller(quiet=False)
    for later in (0.0, 0.1, 0.6):
        teller.tell(conductor, now + later)
    assert out.getvalue().count("ctrl+c ends it") == 2
    teller.end()
    assert out.getvalue().endswith(" \r")


def test_quiet(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing at all."""
    out = _Terminal()
    monkeypatch.setattr("sys.stderr", out)
    teller = Teller(quiet=True)
    teller.tell(*_under_way(6.0))
    teller.end()
    assert out.getvalue() == ""
