"""How operands are read from a session: scopes, windows, gaps, counters, baselines."""

from __future__ import annotations

from math import inf, nan
from typing import TYPE_CHECKING

import pytest

from perfconsole.core.baseline import Baselines
from perfconsole.core.frame import Frame
from perfconsole.core.reader import FrameReader
from perfconsole.core.session import Session
from perfconsole.model.dictionary import DEFAULT
from perfconsole.model.entity import Entity, Kind
from perfconsole.model.sample import GivenBaseline, Missing
from tests.core.sessions import CORE, ENGINE, GATEWAY, GPUS, HOST, OTHER, STRANGER, batch, play

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

WAITING, RUNNING, EVICTED = "engine.requests_waiting", "engine.requests_running", "engine.preemptions"
BUSY, CPU, THREADS = "gpu.utilization", "host.cpu_utilization", "host.process_threads"


def reader(
    polls: Sequence[Mapping[tuple[str, Entity], float] | None], baselines: Baselines | None = None
) -> FrameReader:
    """The judge's view after one poll a second; None is a second without an answer."""
    session = Session([])
    t = play(session, polls).t
    frame = Frame(t, session._store, session._history, session._topology, DEFAULT, {})
    return FrameReader(frame, baselines or Baselines(()))


def over(function: str, window_s: float, values: Sequence[float | None], name: str = WAITING) -> float | Missing:
    """A function over time; None is a good poll that had no such value."""
    polls = [{(RUNNING, ENGINE): 1.0} | ({} if v is None else {(name, ENGINE): v}) for v in values]
    return reader(polls).over_time(function, name, ENGINE, window_s)


def test_an_indicator_is_read_from_the_entity_itself() -> None:
    """Each engine has its own."""
    found = reader([{(WAITING, ENGINE): 3.0, (WAITING, OTHER): 7.0}])
    assert [found.read(WAITING, e) for e in (ENGINE, OTHER)] == [3.0, 7.0]


@pytest.mark.parametrize("entity", [ENGINE, CORE, GPUS[0], GATEWAY, HOST])
def test_a_wider_scope_is_read_plainly(entity: Entity) -> None:
    """The host of an engine, of its process and of its GPU is one and the same."""
    assert reader([{(CPU, HOST): 0.5}]).read(CPU, entity) == 0.5


def test_the_gateway_in_front_is_read_plainly() -> None:
    """Only by the engine behind it."""
    found = reader([{("gateway.requests", GATEWAY): 5.0}])
    assert [found.read("gateway.requests", e) for e in (ENGINE, OTHER)] == [5.0, Missing.NEVER]


def test_a_process_reads_its_own_engine() -> None:
    """And not the neighbour on the same host."""
    found = reader([{(WAITING, ENGINE): 3.0, (WAITING, OTHER): 7.0}])
    assert [found.read(WAITING, p) for p in (CORE, STRANGER)] == [3.0, 7.0]


def test_a_result_of_an_action_is_read_from_the_entity_it_was_started_for() -> None:
    """A probe of one engine says nothing about another."""
    found = reader([{("probe.knee", ENGINE): 8.0}])
    assert [found.read("probe.knee", e) for e in (ENGINE, OTHER)] == [8.0, Missing.NEVER]


@pytest.mark.parametrize(("entity", "expected"), [(ENGINE, 0.4), (OTHER, 0.9)])
def test_an_aggregate_runs_over_the_engines_own_gpus(entity: Entity, expected: float) -> None:
    """The busiest GPU of a neighbour is not its."""
    values = dict(zip(((BUSY, g) for g in GPUS), (0.2, 0.4, 0.9), strict=True))
    assert reader([values]).over_entities("max", BUSY, entity) == expected


@pytest.mark.parametrize(
    ("function", "expected"), [("min", 2.0), ("max", 6.0), ("avg", 4.0), ("sum", 8.0), ("count", 2.0), ("spread", 1.5)]
)
def test_functions_over_entities(function: str, expected: float) -> None:
    """Each over the entities that have a value, of three processes two."""
    values = {(THREADS, Entity(Kind.PROCESS, pid)): v for pid, v in (("11", 2.0), ("12", 6.0))}
    assert reader([values]).over_entities(function, THREADS, ENGINE) == expected


def test_an_aggregate_is_missing_only_when_no_entity_has_a_value() -> None:
    """Nothing is not 0, for a count and a sum neither."""
    found = reader([{(WAITING, ENGINE): 1.0}])
    assert [found.over_entities(f, BUSY, ENGINE) for f in ("sum", "count")] == [Missing.NEVER] * 2


def test_a_spread_around_zero_is_missing() -> None:
    """A ratio to nothing is no number."""
    values = {(BUSY, g): 0.0 for g in GPUS}
    assert reader([values]).over_entities("spread", BUSY, ENGINE) is Missing.NEVER


@pytest.mark.parametrize("value", [nan, inf])
def test_what_is_no_number_is_missing(value: float) -> None:
    """NaN is neither large nor small, as on the screen, in every way of reading."""
    found = reader([{(WAITING, ENGINE): value, (BUSY, GPUS[0]): value}] * 5)
    assert found.read(WAITING, ENGINE) is Missing.NEVER
    assert found.over_entities("max", BUSY, ENGINE) is Missing.NEVER
    assert found.over_time("max", WAITING, ENGINE, 3.0) is Missing.NEVER


def test_an_unknown_name_is_missing() -> None:
    """Nothing is guessed for a name that the dictionary does not have."""
    found = reader([{(WAITING, ENGINE): 1.0}])
    assert found.read("engine.nothing", ENGINE) is Missing.NEVER
    assert found.over_entities("max", "gpu.nothing", ENGINE) is Missing.NEVER
    assert found.over_time("max", "engine.nothing", ENGINE, 1.0) is Missing.NEVER


@pytest.mark.parametrize(
    ("function", "expected"),
    [("min", 1.0), ("max", 5.0), ("avg", 3.0), ("delta", 4.0), ("rate", 1.0), ("slope", 1.0), ("changes", 4.0)],
)
def test_functions_over_time_of_a_gauge(function: str, expected: float) -> None:
    """Each over exactly the ticks of the window."""
    assert over(function, 4.0, [9.0, 0.0, 1.0, 2.0, 3.0, 4.0, 5.0]) == pytest.approx(expected)


@pytest.mark.parametrize("function", ["min", "max", "avg", "delta", "rate", "slope", "changes"])
def test_a_window_longer_than_what_exists_is_open(function: str) -> None:
    """A minute is not told from ten seconds."""
    assert over(function, 60.0, [1.0] * 10) is Missing.WARMING_UP


@pytest.mark.parametrize("function", ["min", "max", "avg", "delta", "rate", "slope", "changes"])
def test_a_window_that_begins_in_a_gap_is_open(function: str) -> None:
    """The first value after a gap is no change of 0 and no slope of 0."""
    assert over(function, 20.0, [1.0] * 5 + [None] * 20 + [7.0]) is Missing.WARMING_UP


def test_a_gap_now_has_its_own_reason() -> None:
    """Not a window that warms up: the value is not there."""
    assert over("max", 3.0, [1.0] * 9 + [None]) is Missing.NOT_EXPORTED


def test_a_gap_in_the_middle_of_a_window_is_left_out() -> None:
    """Both ends are known, nothing is put between them."""
    assert over("changes", 8.0, [1.0, 1.0, 1.0, None, None, None, 1.0, 1.0, 1.0]) == 0.0


def test_a_second_tick_at_the_same_moment_divides_by_nothing() -> None:
    """One moment has no rate."""
    session = Session([])
    play(session, [{(WAITING, ENGINE): 1.0}])
    play(session, [{(WAITING, ENGINE): 2.0}])
    frame = Frame(0.0, session._store, session._history, session._topology, DEFAULT, {})
    assert FrameReader(frame, Baselines(())).over_time("rate", WAITING, ENGINE, 1.0) is Missing.WARMING_UP


def test_a_counter_grows_by_what_was_added() -> None:
    """Total and a second, over the window alone."""
    values = [float(10 * i) for i in range(12)]
    assert [over(f, 5.0, values, EVICTED) for f in ("delta", "rate")] == [50.0, 10.0]


@pytest.mark.parametrize("function", ["delta", "rate"])
def test_a_counter_that_began_anew_never_grows_backwards(function: str) -> None:
    """A restart inside the window gives what was added around it."""
    found = over(function, 6.0, [100.0, 110.0, 120.0, 130.0, 0.0, 10.0, 20.0, 30.0], EVICTED)
    assert found == (50.0 if function == "delta" else 10.0)


def test_a_baseline_comes_from_the_entity_that_carries_the_indicator() -> None:
    """A process compares its engine with the engine's own past."""
    given = Baselines(())
    given.give([GivenBaseline(WAITING, ENGINE, 4.0, "saved")])
    found = reader([{(WAITING, ENGINE): 1.0}], given)
    assert [found.base(WAITING, e) for e in (ENGINE, CORE, OTHER)] == [4.0, 4.0, Missing.NO_BASELINE]


def test_sources_that_stop_leave_no_value() -> None:
    """After three cadences without an answer a value is stale, never its last one."""
    session = Session([])
    session.apply(batch(0.0, {(WAITING, ENGINE): 1.0}))
    session.tick(0.0, 0.0)
    frame = Frame(3.5, session._store, session._history, session._topology, DEFAULT, {})
    assert FrameReader(frame, Baselines(())).read(WAITING, ENGINE) is Missing.STALE


def over_an_hour(function: str, at: float, values: Mapping[float, float] | None = None) -> float | Missing:
    """A function over [1h] of a gauge of 2 that is polled every 10 s up to `at`, and other values at some moments."""
    session, other = Session([]), values or {}
    for place in range(int(at / 10) + 1):
        t = place * 10.0
        session.apply(batch(t, {(WAITING, ENGINE): other.get(t, 2.0)}))
        session.tick(t, t)
    frame = Frame(t, session._store, session._history, session._topology, DEFAULT, {})
    return FrameReader(frame, Baselines(())).over_time(function, WAITING, ENGINE, 3600.0)


def test_extremes_over_hours_come_from_the_minutes() -> None:
    """Ticks are kept for eleven minutes only; a moment of an hour ago still counts, one of before does not."""
    moments = {300.0: 40.0, 1500.0: 9.0, 2000.0: 1.0}
    assert [over_an_hour(f, 4500.0, moments) for f in ("max", "min")] == [9.0, 1.0]


def test_an_extreme_over_hours_knows_the_last_minutes_too() -> None:
    """The minute that is still open is not left out."""
    assert over_an_hour("max", 4500.0, {4490.0: 9.0}) == 9.0
    assert over_an_hour("max", 4500.0, {4500.0: 8.0}) == 8.0


def test_an_hour_that_was_not_seen_is_open() -> None:
    """Half of it says nothing of the whole."""
    assert over_an_hour("max", 1800.0) is Missing.WARMING_UP
