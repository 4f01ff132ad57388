"""Tests of the words about the search for targets."""

from __future__ import annotations

from dataclasses import replace

import pytest

from perfconsole.model.snapshot import SourceHealth, SourceState
from perfconsole.view.discovery import answers, none_found, search_of, still_looking
from tests.view.pictures import snapshot, source
from tests.view.searching import BEGUN, FAILED, LOOKED, NO_GPUS, SEARCH, UNTAKEN, searched


def _words(health: SourceHealth, layer: str = "engine") -> str:
    search = search_of(snapshot(sources=(source(), health)))
    assert search is not None
    return none_found(search, layer) + still_looking(search)


def test_without_a_search_nothing_was_looked_for() -> None:
    """Targets were named, or the search is off."""
    assert search_of(snapshot(sources=(source(),))) is None


@pytest.mark.parametrize(
    ("layer", "noun"), [("gateway", "gateway"), ("orchestration", "orchestrator"), ("engine", "engine")]
)
def test_what_was_looked_at_and_that_it_goes_on_is_said(layer: str, noun: str) -> None:
    """Without the words that the layer says already."""
    assert _words(SEARCH, layer) == f"no {noun} found: {LOOKED}; looking again every 2 s"


def test_a_search_that_has_not_answered_found_nothing_out() -> None:
    """Least of all that there is none."""
    assert _words(BEGUN) == "looking for engines, gateways and orchestrators of this host"


@pytest.mark.parametrize("state", [SourceState.DOWN, SourceState.LATE])
def test_a_search_that_fails_gives_its_reason(state: SourceState) -> None:
    """And does not claim to have looked."""
    assert _words(replace(FAILED, state=state)) == (
        "no engine is known, and the search does not answer: this host has no /proc"
    )


def test_a_search_without_values_is_no_absent_one() -> None:
    """It has words alone, which other sources have when there is nothing to read."""
    absent = replace(SEARCH, state=SourceState.ABSENT, reason=SEARCH.notes[0])
    assert _words(absent) == _words(SEARCH)


def test_a_search_without_words_still_found_none() -> None:
    """No colon with nothing behind it."""
    assert _words(replace(SEARCH, notes=())) == "no engine found; looking again every 2 s"


def test_what_was_not_taken_stands_behind_the_first_note() -> None:
    """A line each."""
    search = search_of(snapshot(sources=(SEARCH,)))
    assert search is not None
    assert search.untaken == UNTAKEN


@pytest.mark.parametrize(
    ("health", "well"),
    [
        (SEARCH, True),
        (BEGUN, False),
        (FAILED, False),
        (source(), True),
        (NO_GPUS, False),
    ],
)
def test_a_search_that_looked_answers(health: SourceHealth, *, well: bool) -> None:
    """A GPU source that found nothing does not: what it should read is not there."""
    assert answers(health) == well


def test_what_is_known_to_look_for_is_said_by_layer() -> None:
    """So that nobody waits for a program that is none of them."""
    note = f"{LOOKED} for engines (vLLM), gateways (LiteLLM, nginx) and orchestrators (Python services)"
    search = search_of(searched(replace(SEARCH, notes=(note,))).snapshot)
    assert search is not None
    assert none_found(search, "engine") == f"no engine (vLLM) found: {LOOKED}"
    assert none_found(search, "gateway").startswith("no gateway (LiteLLM, nginx) found")
