"""The core's loop, step by step on a manual clock."""

from __future__ import annotations

import json

from perfconsole.clock import ManualClock
from perfconsole.demo.model.engine import EngineSize
from perfconsole.demo.scenarios import chosen
from perfconsole.demo.serve.core import Core
from perfconsole.demo.serve.own import Cue


class Bench:
    """A core and the clock that the test moves."""

    def __init__(self, name: str = "healthy") -> None:
        self.clock = ManualClock(100.0)
        self.cue = Cue(chosen(name))
        self.core = Core(EngineSize(), self.cue, self.clock)

    def step(self, after_s: float, received: bytes = b"") -> list[bytes]:
        """Events of one step, pages left out."""
        self.clock.sleep(after_s)
        out = self.core.step(received)
        return [line for line in out.split(b"\n") if line[:1].isdigit() and line.count(b" ") == 2]


def test_a_request_gives_its_first_token_and_its_end() -> None:
    """Two events with its number."""
    bench = Bench()
    bench.step(0.0, b"[7, 20, 5, false]\n")
    events = [line for _ in range(20) for line in bench.step(0.04)]
    assert events == [b"7 1 0", b"7 5 1"]


def test_half_a_line_waits_for_the_rest() -> None:
    """Pipes cut where they like."""
    bench = Bench()
    bench.step(0.0, b"[7, 2")
    bench.step(0.04, b"0, 5, false]\n")
    assert bench.core.engine.running or bench.core.engine.waiting


def test_what_did_not_run_is_not_made_up_for() -> None:
    """After a stop of a minute it has made at most one more token."""
    bench = Bench()
    bench.step(0.0, b"[7, 20, 3000, false]\n")
    bench.step(0.04)
    before = bench.core.engine.stats.generation_tokens
    bench.step(60.0)
    assert bench.core.engine.stats.generation_tokens <= before + 1


def test_the_start_of_the_script_comes_as_a_number() -> None:
    """The air of the thermal scenario is gone ten seconds later."""
    bench = Bench("thermal")
    bench.step(0.0, b"90.0\n")
    assert bench.cue.script.at(100.5).conditions.air_flow < 1.0


def test_page_and_card_come_with_their_lengths() -> None:
    """The card names this process and its values."""
    out = Bench().core.step(b"")
    head, rest = out.split(b"\n", 1)
    length = int(head.split()[1])
    card = json.loads(rest[:length])
    page_head, page = rest[length:].split(b"\n", 1)
    assert card["values"]["gpu.up"] == 1
    assert int(page_head.split()[1]) == len(page)


def test_nothing_running_is_no_work() -> None:
    """The card cools."""
    bench = Bench()
    bench.step(0.3)
    assert bench.core.step(b"") == b""


def test_of_a_streamed_request_each_token_is_told() -> None:
    """With how many there are."""
    bench = Bench()
    bench.step(0.0, b"[7, 20, 3, true]\n")
    events = [line for _ in range(20) for line in bench.step(0.04)]
    assert events == [b"7 1 0", b"7 2 0", b"7 3 1"]


def test_while_tokens_are_streamed_it_wakes_when_they_are_due() -> None:
    """Otherwise they would come in heaps, and whoever measures would measure the loop."""
    bench = Bench()
    idle = bench.core.wait_s
    bench.step(0.0, b"[7, 20, 3, true]\n")
    due = bench.core.engine.due
    assert due is not None
    assert bench.core.wait_s == due - bench.clock.now() < idle
    for _ in range(20):
        bench.step(0.04)
    assert bench.core.wait_s == idle


def test_who_has_left_takes_no_room() -> None:
    """A request that is aborted ends, and nothing is told of it."""
    bench = Bench()
    bench.step(0.0, b"[7, 20, 3000, true]\n")
    bench.step(0.1)
    assert bench.step(0.0, b"[7]\n") == []
    assert (bench.core.engine.running, bench.step(0.1)) == ([], [])
