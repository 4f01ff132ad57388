"""The records of a probe, by step."""

from __future__ import annotations

import pytest

from perfconsole.model.probeload import LoadEnd, Part, StepRecord
from perfconsole.probing.ledger import WARM_UP, Ledger
from tests.probing.fakeload import OFFSET, failed, plan, request, tick


def test_each_in_its_place() -> None:
    """Requests by step, those of the warm-up apart; the end and the ends of steps."""
    ledger = Ledger()
    first, filler, warm = (
        request(0, 0.0, 0.1, 1.0),
        request(0, 0.0, 0.1, 1.0, Part.FILLER),
        request(0, 0, 0.1, 1, Part.WARM_UP),
    )
    end = LoadEnd(OFFSET, None, 3, 9, 9, ())
    step = StepRecord(0, OFFSET, None, OFFSET, OFFSET, 1.0, "kernel", 0, ())
    for event in (warm, first, filler, step, end):
        ledger.add(event)
    assert ledger.records[0] == [first, filler]
    assert ledger.records[WARM_UP] == [warm]
    assert ledger.counted(0) == [first]
    assert (ledger.steps, ledger.end) == ({0: step}, end)


def test_of_two_steps() -> None:
    """What was still under way when a step began is looked at with it; of the first step that is the warm-up."""
    ledger, before, now = Ledger(), request(0, 0.0, 0.1, 1.0, Part.FILLER), request(1, 0.0, 0.1, 1.0)
    for event in (request(-1, 0, 0.1, 1, Part.WARM_UP), before, now):
        ledger.add(event)
    assert ledger.lately(1) == [before, now]
    assert ledger.lately(0) == [*ledger.records[WARM_UP], before]


def test_ticks_of_a_step() -> None:
    """From its beginning on, with the one before."""
    ledger = Ledger()
    for t in (0.5, 1.0, 1.5, 2.0):
        ledger.add(tick(t))
    assert [t.t - OFFSET for t in ledger.ticks_from(OFFSET + 1.2)] == [1.0, 1.5, 2.0]
    assert [t.t - OFFSET for t in ledger.ticks_from(OFFSET)] == [0.5, 1.0, 1.5, 2.0]
    assert [t.t - OFFSET for t in ledger.ticks_from(OFFSET + 9)] == [2.0]
    assert Ledger().ticks_from(OFFSET) == []


def test_tokens_lately() -> None:
    """Of the last second; one tick is no time."""
    ledger = Ledger()
    assert (ledger.tokens_per_s(), ledger.inflight()) == (None, 0)
    ledger.add(tick(0.5, tokens=900))
    assert ledger.tokens_per_s() is None
    for t in (1.0, 1.5, 2.0):
        ledger.add(tick(t, inflight=7, tokens=50))
    assert (ledger.tokens_per_s(), ledger.inflight()) == (100.0, 7)


def test_how_long_an_answer_will_take() -> None:
    """Answers of the warm-up are short: their time per token is what counts, of those that ended well."""
    ledger = Ledger()
    assert ledger.first_e2e_s(plan(1)) is None
    ledger.add(failed(request(-1, 0.0, 0.0, 9.0, Part.WARM_UP)))
    assert ledger.first_e2e_s(plan(1)) is None
    ledger.add(request(-1, 0.0, 0.1, 0.25, Part.WARM_UP, tokens=16))
    assert ledger.first_e2e_s(plan(1)) == pytest.approx(0.1 + 0.01 * 63)
