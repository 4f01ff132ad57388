"""Tests of the words that report and pages share; most are tested where they are read, in the report."""

from __future__ import annotations

from perfconsole.model.finding import MissingOperand, State, Truth
from perfconsole.model.sample import Missing
from perfconsole.view.wording import (
    doubts,
    hold_words,
    known_words,
    longest_open,
    missing_words,
    operand_words,
    state_words,
)
from tests.view.pictures import finding, reading


def test_a_condition_without_a_hold_has_no_words_for_it() -> None:
    """It holds at once."""
    assert hold_words(reading("a")) == ""


def test_a_pending_finding_without_an_open_hold_is_pending_all_the_same() -> None:
    """Nothing to count then."""
    pending = finding(state=State.PENDING, readings=(reading("a", held=(9.0, 9.0)),))
    assert longest_open(pending) is None
    assert state_words(pending, 100.0) == "pending"


def test_the_longest_open_hold_is_what_a_finding_waits_for() -> None:
    """One that is complete is not waited for, however long it was."""
    short, long = (reading("a", truth=Truth.UNKNOWN, held=(1.0, hold)) for hold in (30.0, 60.0))
    assert longest_open(finding(readings=(short, long, reading("c", held=(90.0, 90.0))))) == long


def test_a_sure_finding_has_no_doubts() -> None:
    """And each doubt has its own words."""
    assert doubts(finding()) == []
    assert len(doubts(finding(cut=True, no_history=True))) == 2


def test_a_missing_value_names_its_source_where_there_is_one() -> None:
    """A reader may then go and get it."""
    assert missing_words(MissingOperand("a.b", Missing.STALE, "")) == "a.b (stale)"
    assert missing_words(MissingOperand("a.b", Missing.STALE, "a probe")) == "a.b (stale, from a probe)"


KNOWN, LOST = ("engine.kv_cache_usage", 0.52), ("gateway.queue_depth", Missing.NEVER)
MORE = (LOST, ("gpu.dram_active", Missing.UNSUPPORTED), KNOWN)


def test_what_is_known_comes_first() -> None:
    """Reasons stand behind it, none is left out."""
    assert (
        operand_words(MORE) == "kv_cache_usage 52%, gateway.queue_depth nothing observed, gpu.dram_active unsupported"
    )


def test_where_room_is_short_what_is_missing_is_counted() -> None:
    """One alone keeps its reason, and so does everything where nothing is known."""
    assert known_words(MORE) == "kv_cache_usage 52%, 2 others not seen"
    assert known_words((("engine.preemption_ratio", 0.0), *MORE)) == (
        "kv_cache_usage 52%, preemption_ratio 0%, 2 others not seen"
    )
    assert known_words((LOST, KNOWN)) == "kv_cache_usage 52%, gateway.queue_depth nothing observed"
    assert known_words(MORE[:2]) == "gateway.queue_depth nothing observed, gpu.dram_active unsupported"
