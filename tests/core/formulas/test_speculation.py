"""Speculative decoding."""

from __future__ import annotations

import pytest

from perfconsole.model.sample import Missing
from tests.core.building import World, after, known, sample

SPEC = "engine.spec_accept_ratio"
DEEP = "engine.spec_deep_accept_ratio"


def test_accepted_drafts_are_by_drafted_tokens() -> None:
    """60 of 80."""
    grown = sample(SPEC, 60.0, part="accepted"), sample(SPEC, 80.0, part="draft"), sample(SPEC, 20.0, part="drafts")
    assert known(after(60.0, *grown).value(SPEC, 60.0)) == pytest.approx(0.75)


def test_the_accepted_length_counts_the_bonus_token() -> None:
    """60 accepted in 20 drafts: 3 and the one that the model itself makes."""
    grown = sample(SPEC, 60.0, part="accepted"), sample(SPEC, 80.0, part="draft"), sample(SPEC, 20.0, part="drafts")
    assert known(after(60.0, *grown).value("engine.spec_accept_length", 60.0)) == pytest.approx(4.0)


def test_an_engine_without_speculation_has_no_ratio() -> None:
    """Neither 0 nor 1."""
    assert World().value(SPEC, 0.0) is Missing.NEVER


def deep(*accepted: float, drafts: float = 1000.0) -> float | Missing:
    """Deep acceptance where so many tokens were accepted at each place of these drafts, first place first."""
    places = [sample(DEEP, n, position=str(i)) for i, n in enumerate(accepted)]
    return after(60.0, sample(SPEC, drafts, part="drafts"), *places).value(DEEP, 60.0)


def test_the_two_deepest_places_count() -> None:
    """Of 1000 drafts, 30 and 10 tokens there: 2 %."""
    assert known(deep(900.0, 700.0, 400.0, 30.0, 10.0)) == pytest.approx(0.02)


def test_places_are_numbers_and_no_words() -> None:
    """The tenth is deeper than the second."""
    assert known(deep(*[500.0] * 10, 40.0, 0.0)) == pytest.approx(0.02)


def test_a_draft_of_one_token_has_one_place() -> None:
    """Nothing to halve."""
    assert known(deep(300.0)) == pytest.approx(0.3)


def test_few_drafts_warm_up() -> None:
    """Of fifty nobody can tell 1 % from none."""
    assert deep(40.0, 0.0, 0.0, drafts=50.0) is Missing.WARMING_UP


def test_depth_that_no_page_tells_is_missing() -> None:
    """The drafts alone do not say it."""
    world = after(60.0, sample(SPEC, 1000.0, part="drafts"))
    assert isinstance(world.value(DEEP, 60.0), Missing)


def test_ranks_are_added_up_at_each_place() -> None:
    """Two ranks of 500 drafts each."""
    places = [sample(DEEP, n, rank=r, position=p) for r in "01" for p, n in (("0", 400.0), ("1", 10.0), ("2", 0.0))]
    drafts = [sample(SPEC, 500.0, rank=r, part="drafts") for r in "01"]
    assert known(after(60.0, *places, *drafts).value(DEEP, 60.0)) == pytest.approx(0.01)
