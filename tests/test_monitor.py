"""Tests of the live driver: sources of every temper on threads of their own, none of them in the way of the ticks.

Time is moved by one of the sources, so that a run of seconds ends as soon as that source has been polled often enough.
"""

from __future__ import annotations

import threading
from dataclasses import replace
from itertools import count, pairwise
from typing import TYPE_CHECKING

import pytest

from perfconsole import monitor
from perfconsole.clock import ManualClock
from perfconsole.core.session import Session
from perfconsole.model.entity import Entity, Kind
from perfconsole.model.sample import Batch, Sample, SeriesKey
from perfconsole.model.snapshot import SourceState
from perfconsole.monitor import Monitor
from perfconsole.stacks.indicators import profile_batch
from tests.diagnose.judging import rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from perfconsole.model.snapshot import Snapshot, SourceHealth
    from perfconsole.runner import Source

HOST, ENGINE = Entity(Kind.HOST, "h"), Entity(Kind.ENGINE, "vllm:8000")
LIMIT_S = 10.0
"""No wait in here lasts longer, so that a fault fails its test instead of hanging it."""


class _Source:
    """Counts what is asked of it."""

    kind = "test"
    deadline_s = 1.0
    brief = False

    def __init__(self, name: str) -> None:
        self.name = name
        self.polls = self.interrupts = self.closes = 0
        self.closed = threading.Event()

    def poll(self, now: float, wall: float) -> tuple[Batch, ...]:
        """Give a batch at once."""
        self.polls += 1
        return (self.batch(now, wall),)

    def batch(self, now: float, wall: float) -> Batch:
        """One poll that worked."""
        sample = Sample(SeriesKey("host.load", HOST), float(self.polls))
        return Batch(self.name, self.kind, now, wall, 0.001, samples=(sample,), took_s=0.0)

    def interrupt(self) -> None:
        """Count it."""
        self.interrupts += 1

    def close(self) -> None:
        """Count it."""
        self.closes += 1
        self.closed.set()


class _Mover(_Source):
    """Moves the clock by a quarter of a second at each poll."""

    def __init__(self, clock: ManualClock) -> None:
        super().__init__("mover")
        self._clock = clock

    def poll(self, now: float, wall: float) -> tuple[Batch, ...]:
        """Let time pass."""
        self._clock.sleep(0.25)
        return super().poll(now, wall)


class _Hanging(_Source):
    """Never answers; `gives_way` makes an interrupt end its poll, as that of a fetcher does."""

    def __init__(self, *, gives_way: bool) -> None:
        super().__init__("hanging")
        self._gives_way = gives_way
        self.released = threading.Event()

    def poll(self, now: float, wall: float) -> tuple[Batch, ...]:
        """Wait for an interrupt or the end of the test."""
        self.polls += 1
        self.released.wait(LIMIT_S)
        return (Batch(self.name, self.kind, now, wall, 1.0, took_s=0.0, error="broken off"),)

    def interrupt(self) -> None:
        """Count it, and end the poll if that is the temper."""
        super().interrupt()
        if self._gives_way:
            self.released.set()


class _Faulty(_Source):
    """Raises what no source should."""

    def poll(self, now: float, wall: float) -> tuple[Batch, ...]:
        """Fail after the poll."""
        super().poll(now, wall)
        raise ZeroDivisionError("by hand")


def _health(snapshot: Snapshot, name: str) -> SourceHealth:
    return next(s for s in snapshot.sources if s.name == name)


def _run(clock: ManualClock, sources: list[Source], seconds: float = 6.0) -> list[Snapshot]:
    """All pictures of a run."""
    seen: list[Snapshot] = []
    Monitor(Session([]), sources, clock).run(seconds, seen.append)
    return seen


@pytest.fixture
def clock() -> ManualClock:
    """A clock at a moment that is not 0."""
    return ManualClock(1000.0)


@pytest.fixture
def stuck() -> Iterator[_Hanging]:
    """A source that hangs whatever is done to it, until the test is over."""
    source = _Hanging(gives_way=False)
    yield source
    source.released.set()
    assert source.closed.wait(LIMIT_S)


def test_there_is_a_picture_a_second_and_one_at_the_end(clock: ManualClock) -> None:
    """Six seconds give six pictures, the last one not before the end."""
    seen = _run(clock, [_Mover(clock)])
    assert [s.seq for s in seen] == [1, 2, 3, 4, 5, 6]
    assert all(s.t >= 1000.0 + i for i, s in enumerate(seen, 1))


def test_a_run_shorter_than_a_second_has_one_picture_at_its_end(clock: ManualClock) -> None:
    """Even the shortest run shows something."""
    seen = _run(clock, [_Mover(clock)], 0.5)
    assert [s.t >= 1000.5 for s in seen] == [True]


def test_a_picture_holds_what_came_before_it(clock: ManualClock) -> None:
    """Batches are applied before the tick."""
    last = _run(clock, [_Mover(clock)])[-1]
    assert (_health(last, "mover").answered, _health(last, "mover").took_s) == (True, 0.0)
    assert HOST in last.entities


def test_a_source_that_hangs_does_not_keep_the_run(clock: ManualClock, stuck: _Hanging) -> None:
    """The run ends in its time, and the others go on."""
    mover = _Mover(clock)
    seen = _run(clock, [stuck, mover])
    assert (len(seen), stuck.polls) == (6, 1)
    assert mover.polls >= 20


def test_a_source_that_hangs_is_late_in_words(clock: ManualClock, stuck: _Hanging) -> None:
    """It is announced at its start, so its silence has a length from there."""
    seen = _run(clock, [stuck, _Mover(clock)])
    first, last = _health(seen[0], "hanging"), _health(seen[-1], "hanging")
    assert (first.state, first.took_s, first.answered) == (SourceState.OK, None, False)
    assert (last.state, last.answered) == (SourceState.LATE, False)
    assert (last.reason or "").startswith("no answer for ")


def test_an_overdue_poll_is_interrupted(clock: ManualClock, stuck: _Hanging) -> None:
    """Past its deadline and a second of grace it is broken off from outside."""
    _run(clock, [stuck, _Mover(clock)])
    assert stuck.interrupts >= 2


def test_a_poll_within_its_deadline_is_left_alone(clock: ManualClock, stuck: _Hanging) -> None:
    """Before that only the end of the run interrupts it."""
    stuck.deadline_s = 60.0
    _run(clock, [stuck, _Mover(clock)])
    assert stuck.interrupts == 1


def test_an_interrupted_poll_reports_so_itself(clock: ManualClock) -> None:
    """Its error is the reason on the health line."""
    hanging = _Hanging(gives_way=True)
    seen = _run(clock, [hanging, _Mover(clock)], 30.0)
    assert _health(seen[-1], "hanging").reason == "broken off"


def test_a_source_that_raises_costs_only_itself(clock: ManualClock) -> None:
    """The fault is an error on its health line, and every other source is polled as before."""
    mover = _Mover(clock)
    last = _run(clock, [_Faulty("faulty"), mover])[-1]
    faulty = _health(last, "faulty")
    assert faulty.state is SourceState.DOWN
    assert faulty.reason == "fault in perfconsole, please report it: ZeroDivisionError: by hand"
    assert mover.polls >= 20


def test_a_source_that_raises_is_asked_again_later(clock: ManualClock) -> None:
    """A fault does not make a source spin: its next poll is five seconds off."""
    faulty = _Faulty("faulty")
    last = _run(clock, [faulty, _Mover(clock)])[-1]
    assert (faulty.polls, _health(last, "faulty").cadence_s) == (1, 5.0)


def test_every_source_is_announced_before_it_answers(clock: ManualClock, stuck: _Hanging) -> None:
    """A source without an answer is on the first picture."""
    assert {s.name for s in _run(clock, [stuck, _Mover(clock)], 1.0)[0].sources} == {"hanging", "mover"}


def test_all_sources_are_closed_at_the_end(clock: ManualClock) -> None:
    """Those that wait are closed by the run, and one that is polling closes as soon as it is back."""
    hanging, idle = _Hanging(gives_way=True), _Source("idle")
    hanging.deadline_s = 60.0
    _run(clock, [hanging, idle, _Mover(clock)], 1.0)
    assert hanging.closed.wait(LIMIT_S)
    assert idle.closed.wait(LIMIT_S)


def test_a_run_that_is_broken_off_stops_its_sources(clock: ManualClock) -> None:
    """Ctrl-C in the picture's receiver reaches the caller, and the sources end."""

    def receive(_snapshot: Snapshot) -> None:
        raise KeyboardInterrupt

    mover = _Mover(clock)
    with pytest.raises(KeyboardInterrupt):
        Monitor(Session([]), [mover], clock).run(6.0, receive)
    assert mover.closed.wait(LIMIT_S)


def test_a_source_that_holds_no_clock_is_timed(clock: ManualClock) -> None:
    """A batch without its cost gets the one that the monitor saw."""

    class Untimed(_Mover):
        def batch(self, now: float, wall: float) -> Batch:
            return Batch(self.name, self.kind, now, wall, 0.001)

    last = _run(clock, [Untimed(clock)])[-1]
    assert _health(last, "mover").took_s == 0.25


def test_a_source_that_gives_nothing_is_asked_once_a_second(clock: ManualClock) -> None:
    """Without a batch nothing says how long to wait, so the source must not spin."""

    class Empty(_Source):
        def poll(self, now: float, wall: float) -> tuple[Batch, ...]:
            super().poll(now, wall)
            return ()

    empty = Empty("empty")
    _run(clock, [empty, _Mover(clock)], 1.0)
    assert empty.polls == 1


def test_a_run_without_sources_ticks_all_the_same() -> None:
    """There is a picture of nothing."""
    seen: list[Snapshot] = []
    Monitor(Session([]), [], ManualClock()).run(0.01, seen.append)
    assert [s.sources for s in seen] == [()]


def _watch(monitor: Monitor, enough: int) -> list[Snapshot]:
    """Pictures of an endless watch that is stopped after so many."""
    seen: list[Snapshot] = []

    def add(snapshot: Snapshot) -> None:
        seen.append(snapshot)
        if len(seen) >= enough:
            monitor.stop()

    watching = threading.Thread(target=monitor.watch, args=(add,))
    watching.start()
    watching.join(LIMIT_S)
    assert not watching.is_alive()
    return seen


def test_the_first_answer_of_a_source_is_shown_before_a_second_is_over(clock: ManualClock) -> None:
    """Nobody waits a second for the first numbers."""

    class Once(_Mover):
        def batch(self, now: float, wall: float) -> Batch:
            return replace(super().batch(now, wall), cadence_s=60.0)

    first = _watch(Monitor(Session([]), [Once(clock)], clock), 1)[0]
    assert first.t == 1000.25
    assert _health(first, "mover").answered


def test_a_watch_goes_on_until_it_is_stopped(clock: ManualClock) -> None:
    """About a picture a second besides the early ones, and none after the stop."""
    seen = _watch(Monitor(Session([]), [_Mover(clock)], clock), 6)
    assert [s.seq for s in seen] == [1, 2, 3, 4, 5, 6]
    assert 4.0 <= seen[-1].t - seen[0].t <= 8.0


def test_a_watch_over_a_hanging_source_can_be_stopped(clock: ManualClock, stuck: _Hanging) -> None:
    """Neither pictures nor the stop wait for it."""
    assert len(_watch(Monitor(Session([]), [stuck, _Mover(clock)], clock), 3)) == 3


def test_a_slower_pace_stretches_the_cadence(clock: ManualClock) -> None:
    """What is asked less often goes stale later."""
    monitor = Monitor(Session([]), [_Mover(clock)], clock)
    monitor.pace(0.01)
    assert _health(_watch(monitor, 3)[-1], "mover").cadence_s == 0.01


def test_a_history_can_be_read_beside_the_watch(clock: ManualClock) -> None:
    """Columns of the ticks that were."""
    monitor = Monitor(Session([]), [_Mover(clock)], clock)
    last = _watch(monitor, 5)[-1]
    columns = monitor.visit(lambda session: session.trail("host.load", HOST, last.t, 1.0, 60))
    assert len(columns) == 60
    assert any(value is not None for value in columns)


def test_a_rule_can_be_asked_about_beside_the_watch(clock: ManualClock) -> None:
    """The session answers at its next tick."""
    monitor = Monitor(Session([rule("load", "host.load > 1", scope="host")]), [_Mover(clock)], clock)
    monitor.visit(lambda session: session.ask("load"))
    assert [e.rule for e in _watch(monitor, 3)[-1].explanations] == ["load"]


def test_what_may_come_later_joins_after_the_first_picture(clock: ManualClock) -> None:
    """The first numbers wait neither for rules nor for other sources, and say that nothing is judged yet."""
    monitor = Monitor(Session(None), [_Mover(clock)], clock)
    monitor.drawn.set()
    late = _Source("late")
    seen: list[Snapshot] = []

    def add(snapshot: Snapshot) -> None:
        seen.append(snapshot)
        if any(s.name == "late" and s.answered for s in snapshot.sources):
            monitor.stop()

    monitor.watch(add, lambda: ([], [late]))
    assert (seen[0].judged, {s.name for s in seen[0].sources}) == (False, {"mover"})
    assert seen[-1].judged


def test_a_source_may_join_while_others_are_watched(clock: ManualClock) -> None:
    """A target that was found; it is polled and closed as the others are."""
    late = _Source("late")
    seen: list[Snapshot] = []
    monitor = Monitor(Session([]), [_Mover(clock)], clock)

    def joins(snapshot: Snapshot) -> None:
        seen.append(snapshot)
        if snapshot.seq == 1:
            monitor.join([late])

    monitor.run(6.0, joins)
    assert [h.name for h in seen[0].sources] == ["mover"]
    assert _health(seen[-1], "late").answered
    assert late.closed.wait(LIMIT_S)


def test_a_source_may_join_before_the_first_poll(clock: ManualClock) -> None:
    """Nothing is lost between the making of a monitor and its start."""
    seen: list[Snapshot] = []
    monitor = Monitor(Session([]), [_Mover(clock)], clock)
    monitor.join([_Source("early")])
    monitor.run(2.0, seen.append)
    assert _health(seen[-1], "early").answered


def test_a_source_that_leaves_is_closed_and_forgotten(clock: ManualClock) -> None:
    """With what only it knew of; it may come back."""
    other = _Source("other")
    other.batch = lambda now, wall: replace(  # type: ignore[method-assign]
        _Source.batch(other, now, wall), samples=(Sample(SeriesKey("engine.up", ENGINE), 1.0),)
    )
    seen: list[Snapshot] = []
    monitor = Monitor(Session([]), [_Mover(clock), other], clock)

    def leaves(snapshot: Snapshot) -> None:
        seen.append(snapshot)
        if snapshot.seq == 2:
            monitor.leave([other])

    monitor.run(6.0, leaves)
    assert other.closed.wait(LIMIT_S)
    assert ([h.name for h in seen[1].sources], ENGINE in seen[1].entities) == (["mover", "other"], True)
    assert ([h.name for h in seen[-1].sources], seen[-1].entities) == (["mover"], (HOST,))


def test_what_an_action_found_counts_without_being_watched(clock: ManualClock) -> None:
    """It is posted once, and is no source among those that are polled."""
    seen: list[Snapshot] = []
    monitor = Monitor(Session([]), [_Mover(clock)], clock)
    monitor.post(profile_batch({"profile.gc_ratio": 0.5}, 7, (ENGINE,), 1000.0, 0.0))
    monitor.run(2.0, seen.append)
    assert [(i.entity, i.value) for i in seen[-1].indicators if i.name == "profile.gc_ratio"] == [(ENGINE, 0.5)]
    assert [health.name for health in seen[-1].sources] == ["mover"]


class _Napping(ManualClock):
    """Notes how long each sleep was."""

    def __init__(self) -> None:
        super().__init__(1000.0)
        self.naps: list[float] = []

    def sleep(self, seconds: float) -> None:
        """Note it."""
        self.naps.append(seconds)
        super().sleep(seconds)


def test_whoever_joins_waits_a_second_while_pictures_are_dear(monkeypatch: pytest.MonkeyPatch) -> None:
    """Between two pictures, five seconds apart, what has come is taken in each second."""
    spent = count()
    monkeypatch.setattr(monitor, "thread_cpu_s", lambda: float(next(spent)))
    clock = _Napping()
    seen: list[Snapshot] = []
    Monitor(Session([]), [_Mover(clock)], clock).run(40.0, seen.append)
    assert max(clock.naps) <= 1.0
    assert max(b.t - a.t for a, b in pairwise(seen)) >= 4.0


def test_what_came_is_seen_however_late_the_pictures_are(clock: ManualClock) -> None:
    """A picture that takes longer than a second to be drawn must not leave the next one with old values."""
    monitor = Monitor(Session([]), [], clock)
    seen: list[Snapshot] = []

    def draw(snapshot: Snapshot) -> None:
        seen.append(snapshot)
        clock.sleep(20.0)
        monitor.post(_Source(f"news {snapshot.seq}").batch(clock.now(), clock.wall()))

    monitor.run(12.0, draw)
    assert [len(s.sources) for s in seen] == list(range(len(seen)))
