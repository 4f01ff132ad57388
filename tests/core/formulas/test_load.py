"""Load against the healthy load, and tokens for each GPU."""

from __future__ import annotations

import pytest

from perfconsole.core.baseline import Baselines
from perfconsole.core.formulas import FORMULAS
from perfconsole.core.formulas.load import RUNNING, WAITING
from perfconsole.core.frame import Frame
from perfconsole.core.session import Session
from perfconsole.model.dictionary import DEFAULT
from perfconsole.model.entity import Entity, Kind, Relation
from perfconsole.model.sample import GivenBaseline, Missing
from tests.core.building import ENGINE, GPU, World, page, sample
from tests.core.formulas.agents import linked


def ratio(world: World, t: float, **usual: float) -> float | Missing:
    """The load at t against baselines by the short name of their gauge."""
    baselines = Baselines(())
    baselines.give(GivenBaseline(f"engine.requests_{name}", ENGINE, value, "given") for name, value in usual.items())
    frame = Frame(t, world.store, world.history, world.topology, DEFAULT, FORMULAS, baselines=baselines)
    return frame.value("engine.load_ratio", ENGINE)


def loaded(*running: float, waiting: float = 0.0) -> World:
    """An engine polled once a second with so many running."""
    world = World()
    world.play({RUNNING: running, WAITING: [waiting] * len(running)})
    return world


def test_the_load_is_what_is_in_flight_against_the_baseline() -> None:
    """Running and waiting together."""
    assert ratio(loaded(6.0, waiting=2.0), 0.0, running=14.0, waiting=2.0) == 0.5


def test_the_load_is_a_mean_of_ten_seconds() -> None:
    """It is compared with rates over as long."""
    assert ratio(loaded(*[4.0, 12.0] * 10), 19.0, running=8.0, waiting=0.0) == pytest.approx(1.0, rel=0.05)


def test_without_the_usual_queue_only_what_runs_is_compared() -> None:
    """Like with like."""
    assert ratio(loaded(8.0, waiting=90.0), 0.0, running=16.0) == 0.5


def test_without_a_baseline_nothing_is_compared() -> None:
    """Not with itself."""
    assert ratio(loaded(8.0), 0.0) is Missing.NO_BASELINE


def test_a_baseline_of_nothing_has_no_ratio() -> None:
    """An engine that idled."""
    assert ratio(loaded(8.0), 0.0, running=0.0, waiting=0.0) is Missing.NEVER


def test_an_engine_that_is_silent_has_no_load() -> None:
    """With the reason of its gauge."""
    assert isinstance(ratio(World(), 0.0, running=8.0), Missing)


def test_a_session_learns_the_usual_load_by_itself() -> None:
    """After ten healthy minutes, though no rule asks for that baseline."""
    session = Session([])
    for t in range(0, 780, 5):
        session.apply(page(float(t), sample(RUNNING, 8.0), sample(WAITING, 0.0), cadence_s=5.0))
        snapshot = session.tick(float(t), float(t))
    found = {i.name: i.value for i in snapshot.indicators if i.entity == ENGINE}
    assert found["engine.load_ratio"] == 1.0


def test_tokens_are_shared_by_the_gpus() -> None:
    """Those of this engine."""
    second = Entity(Kind.GPU, "1")
    world = linked((Relation.ENGINE_USES_GPU, ENGINE, GPU), (Relation.ENGINE_USES_GPU, ENGINE, second))
    world.play({"engine.generation_tokens": [0.0, 600.0]}, step_s=1.0)
    assert world.value("engine.tokens_per_gpu", 1.0) == 300.0


def test_without_a_gpu_in_sight_nothing_is_shared() -> None:
    """Missing, not all of it."""
    world = World()
    world.play({"engine.generation_tokens": [0.0, 600.0]}, step_s=1.0)
    assert world.value("engine.tokens_per_gpu", 1.0) is Missing.NEVER
