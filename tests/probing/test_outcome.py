"""The result of a probe that was led to its end."""

from __future__ import annotations

from dataclasses import replace

import pytest

from perfconsole.model.enginestretch import EngineStretch
from perfconsole.model.probeplan import Caps, ProbePlan
from perfconsole.probing.conductor import Conductor, Lead
from perfconsole.probing.outcome import outcome
from tests.probing.fakeload import ENGINE, OFFSET, FakeLoad, conduct, opening, plan


def _led(made: ProbePlan) -> tuple[Conductor, float]:
    conductor = Conductor(made, Lead(opening(), OFFSET, (ENGINE,)), 0.0)
    return conductor, conduct(conductor, FakeLoad(slots=16))


def test_a_whole_probe() -> None:
    """The knee where the slots end, everything that was sent, and why the ladder ended."""
    conductor, now = _led(plan(1, 2, 4, 8, 16, 32, 64))
    found = outcome(conductor, {"host.cpus": "2"}, OFFSET, now, 1.5)
    assert (found.knee.concurrency, found.stopped, found.took_s) == (16.0, None, now)
    assert (found.environment, found.headroom.traffic_per_s) == ({"host.cpus": "2"}, 1.5)
    assert conductor.ledger.end is not None
    assert (found.requests, found.output_tokens) == (conductor.ledger.end.requests, conductor.ledger.end.output_tokens)
    assert any(note.startswith("the ladder ended early: 32 at a time") for note in found.notes)


def test_a_probe_that_was_broken_off() -> None:
    """The reason is the conductor's, not what the load process says of being told to stop."""
    conductor, now = _led(plan(1, 2, adaptive=False, caps=Caps(seconds=5.0)))
    found = outcome(conductor, {}, OFFSET, now, None)
    assert found.stopped == "its time was over (5 s)"


@pytest.mark.parametrize(
    ("counted", "words"),
    [(0, "they agree"), (1_000, "were of others, or were not delivered"), (-1_000, "the engine's counter misses some")],
)
def test_both_counts(counted: int, words: str) -> None:
    """Of the whole probe, and what the difference means."""
    conductor, now = _led(plan(4, adaptive=False))
    assert conductor.ledger.end is not None
    tokens = conductor.ledger.end.output_tokens
    conductor.whole = EngineStretch(0.0, now, 9, output_tokens=float(tokens + counted))
    note = outcome(conductor, {}, OFFSET, now, None).notes[-1]
    assert f"the engine counted {tokens + counted:,} output tokens while the probe ran, this client {tokens:,}" in note
    assert note.endswith(words)


def test_no_count_of_the_engine() -> None:
    """Nothing is said of it."""
    conductor, now = _led(plan(4, adaptive=False))
    conductor.whole = None
    notes = outcome(conductor, {}, OFFSET, now, None).notes
    conductor.whole = replace(EngineStretch(0.0, now, 9), output_tokens=None)
    assert notes == outcome(conductor, {}, OFFSET, now, None).notes == ()
