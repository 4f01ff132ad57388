"""What speaks against a probe."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from perfconsole.model.probeplan import Caps, Shape, Step
from perfconsole.model.rule import Severity
from perfconsole.model.sample import Fact, Missing
from perfconsole.probing.precautions import Precautions, Surroundings, most_at_once, precautions
from tests.probing.fakeload import ENGINE, plan
from tests.view.pictures import finding, indicator, snapshot

if TYPE_CHECKING:
    from perfconsole.model.snapshot import Snapshot

QUIET = {"requests_running": 0.0, "requests_waiting": 0.0, "kv_cache_usage": 0.1, "max_num_seqs": 256.0}


def _picture(**values: float | Missing) -> Snapshot:
    rows = tuple(indicator(f"engine.{name}", value, ENGINE) for name, value in {**QUIET, **values}.items())
    return snapshot(indicators=rows)


def _taken(**values: float | Missing) -> Precautions:
    return precautions(plan(1, 64), Surroundings(_picture(**values), ENGINE, local=True, files=1024))


def test_nothing_speaks_against_it() -> None:
    """An idle engine of this host."""
    assert _taken() == Precautions()


def test_real_traffic_waits_on_a_large_engine() -> None:
    """It is past its knee: nobody begins to load it by mistake."""
    found = _taken(requests_waiting=3.0, requests_running=256.0)
    assert len(found.refusals) == 1
    assert found.refusals[0].startswith("3 requests of others wait already: it is past its knee")
    assert "--despite-traffic" in found.refusals[0]
    assert found.warnings == ()


def test_real_traffic_waits_on_a_small_engine() -> None:
    """It is said, and left to the person; so where nobody knows how large it is."""
    for slots in (4.0, Missing.NOT_EXPORTED):
        found = _taken(requests_waiting=3.0, max_num_seqs=slots)
        assert found.refusals == ()
        assert len(found.warnings) == 1


def test_an_engine_that_is_badly_ill() -> None:
    """It is not loaded by mistake; a finding that asks for the probe is why it is made."""
    picture = replace(_picture(), findings=(finding(severity=Severity.CRITICAL, entity=ENGINE),))
    around = Surroundings(picture, ENGINE, local=True, files=1024)
    found = precautions(plan(1), around)
    assert found.refusals[0].startswith("something is badly wrong there already: Title of admission-cap")
    asked = precautions(replace(plan(1), why="admission-cap"), around)
    assert (asked.refusals, len(asked.warnings)) == ((), 1)


def test_all_slots_are_taken() -> None:
    """At 97 % of them it is at its knee; below it shares."""
    assert _taken(requests_running=249.0).refusals[0].startswith("249 requests of others run already, of 256 that can")
    assert _taken(requests_running=200.0).refusals == ()
    assert _taken(requests_running=200.0).warnings == (
        "200 requests of others run there now: they share what it has with the probe",
    )


def test_slots_that_nobody_tells() -> None:
    """An engine that runs 16 at the same time has as many, whatever it says of itself."""
    assert _taken(max_num_seqs=Missing.NOT_EXPORTED, requests_running=16.0, requests_waiting=8.0).refusals
    assert not _taken(max_num_seqs=Missing.NOT_EXPORTED, requests_running=15.0, requests_waiting=8.0).refusals
    assert not _taken(max_num_seqs=Missing.NOT_EXPORTED, requests_running=40.0).refusals


def test_slots_of_all_ranks() -> None:
    """A stated cap is one of each rank, a plateau of all."""
    assert _taken(requests_running=256.0, data_parallel=2.0).refusals == ()
    level = replace(
        _picture(requests_running=256.0, data_parallel=2.0),
        facts=(Fact("engine.max_num_seqs_origin", ENGINE, "plateau"),),
    )
    assert precautions(plan(1), Surroundings(level, ENGINE, local=True, files=1024)).refusals


def test_a_full_cache() -> None:
    """Above 90 % whatever runs."""
    assert _taken(kv_cache_usage=0.91).refusals[0].startswith("its KV cache is 91% full already")
    assert _taken(kv_cache_usage=0.90).refusals == ()


def test_despite_traffic() -> None:
    """What somebody takes upon himself becomes a warning; a limit of this host does not."""
    around = Surroundings(_picture(requests_waiting=3.0), ENGINE, local=True, files=100, despite_traffic=True)
    found = precautions(plan(1, 64), around)
    assert [text.split(":")[0] for text in found.warnings] == ["3 requests of others wait already"]
    assert found.refusals[0].startswith("64 connections at a time need more files")


def test_another_host() -> None:
    """A target elsewhere is told of."""
    found = precautions(plan(1), Surroundings(_picture(), ENGINE, local=False, files=1024))
    assert found.warnings[0].startswith("http://127.0.0.1:8000 is not on this host")


def test_an_engine_that_nobody_sees() -> None:
    """Without numbers there is no watch over it."""
    for around in (
        Surroundings(None, ENGINE, local=True, files=1024),
        Surroundings(_picture(requests_waiting=9.0), None, local=True, files=1024),
    ):
        assert precautions(plan(1), around).warnings == (
            "no numbers of the engine: neither its queue nor its memory is watched while it is loaded",
        )


@pytest.mark.parametrize(
    ("steps", "most"),
    [
        ((Step(Shape.CONCURRENCY, 1.0), Step(Shape.CONCURRENCY, 64.0)), 64),
        ((Step(Shape.BURST, 200.0),), 200),
        ((Step(Shape.RATE, 2.5),), 300),
        ((Step(Shape.CONCURRENCY, 5000.0),), 300),
    ],
)
def test_connections(steps: tuple[Step, ...], most: int) -> None:
    """The widest step; an open loop may come to its cap."""
    made = replace(plan(), steps=steps, caps=Caps(concurrency=300))
    assert most_at_once(made) == most
