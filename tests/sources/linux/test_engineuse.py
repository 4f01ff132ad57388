"""Figures of an engine from its processes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfconsole.model.sample import Missing
from perfconsole.sources.linux.engineuse import NAMES, absent, cpu, stopped
from perfconsole.sources.roles import Role

if TYPE_CHECKING:
    from perfconsole.sources.linux.values import Values


def _use(thread: float | Missing, whole: float | Missing, wanted: float | Missing = 0.0) -> Values:
    return {
        "host.process_cpu": thread,
        "host.process_total_cpu": whole,
        "host.process_core_demand": wanted,
        "host.process_runqueue_ratio": 0.1,
    }


def test_each_part_is_its_busiest_process() -> None:
    """Front-ends do not add up: one of them saturates first."""
    found = cpu(
        [
            (Role.FRONTEND, _use(0.5, 0.9)),
            (Role.FRONTEND, _use(0.7, 0.8, 0.95)),
            (Role.CORE, _use(0.2, 0.3)),
            (Role.WORKER, _use(0.9, 1.5)),
            (Role.WORKER, _use(0.1, Missing.WARMING_UP)),
        ]
    )
    assert found == {
        "engine.frontend_cpu": 0.7,
        "engine.frontend_core_demand": 0.95,
        "engine.core_cpu": 0.2,
        "engine.frontend_process_cpu": 0.9,
        "engine.core_process_cpu": 0.3,
        "engine.worker_cpu": 1.5,
        "engine.runqueue_ratio": 0.1,
    }


def test_a_part_that_is_no_process_of_its_own_is_not_exported() -> None:
    """An engine in one process has no core to measure."""
    found = cpu([(Role.FRONTEND, _use(0.5, 0.5))])
    assert found["engine.core_cpu"] is Missing.NOT_EXPORTED


def test_the_first_poll_warms_up() -> None:
    """The reason of the process is the reason of the engine."""
    found = cpu([(Role.FRONTEND, _use(Missing.WARMING_UP, Missing.WARMING_UP))])
    assert found["engine.frontend_cpu"] is Missing.WARMING_UP


def test_stopped_traced_and_zombie_processes_count() -> None:
    """Running and sleeping ones do not."""
    assert stopped({1: "T", 2: "t", 3: "Z", 4: "S", 5: "R", 6: "I"}, {}) == 3


def test_an_uninterruptible_process_counts_in_two_polls_in_a_row() -> None:
    """A short wait for a disk is no stop."""
    assert stopped({1: "D", 2: "D"}, {1: "D", 2: "S"}) == 1


def test_an_engine_never_seen_has_no_processes_figure() -> None:
    """0 processes would be a finding."""
    values = absent(Missing.NOT_EXPORTED, seen=False)
    assert values.keys() == set(NAMES)
    assert values["engine.processes"] is Missing.NEVER
    assert values["engine.frontend_cpu"] is Missing.NOT_EXPORTED


def test_an_engine_hidden_from_this_user_says_so() -> None:
    """All figures have the same reason."""
    assert set(absent(Missing.NO_PERMISSION, seen=False).values()) == {Missing.NO_PERMISSION}


def test_an_engine_seen_once_and_gone_has_0_processes() -> None:
    """That it is gone is a fact."""
    values = absent(Missing.NOT_EXPORTED, seen=True)
    assert (values["engine.processes"], values["engine.stopped_processes"]) == (0.0, 0.0)
    assert values["engine.core_cpu"] is Missing.NEVER
