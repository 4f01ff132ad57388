"""The steps of each recipe."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perfconsole.model.probeplan import RECIPES, Shape
from perfconsole.probing.recipes import LENGTHS, RecipeOptions, plan_steps


def test_step_load_doubles() -> None:
    """And leaves to the conductor when a step has told enough."""
    steps = plan_steps("step-load", RecipeOptions())
    assert [step.amount for step in steps] == [1, 2, 4, 8, 16, 32, 64, 128, 256]
    assert {(step.shape, step.requests, step.seconds) for step in steps} == {(Shape.CONCURRENCY, None, None)}


def test_step_load_takes_what_is_given() -> None:
    """Levels, seconds, requests and a rate."""
    steps = plan_steps("step-load", RecipeOptions((1.5, 3.0), Shape.RATE, requests=9, seconds=30.0))
    assert [(s.shape, s.amount, s.requests, s.seconds) for s in steps] == [
        (Shape.RATE, 1.5, 9, 30.0),
        (Shape.RATE, 3.0, 9, 30.0),
    ]


def test_a_burst_has_as_many_requests_as_it_is_wide() -> None:
    """Each of them starts at once."""
    steps = plan_steps("step-load", RecipeOptions((8, 64), Shape.BURST))
    assert [(s.amount, s.requests) for s in steps] == [(8, 8), (64, 64)]


def test_a_replay_is_one_step_at_its_own_speed() -> None:
    """Unless others are given."""
    assert [s.amount for s in plan_steps("step-load", RecipeOptions(shape=Shape.REPLAY))] == [1.0]
    assert [s.amount for s in plan_steps("step-load", RecipeOptions((2.0,), Shape.REPLAY))] == [2.0]


def test_repeat_prompt_sends_each_text_first_and_then_again() -> None:
    """Five texts, each sent three times, one request at a time."""
    steps = plan_steps("repeat-prompt", RecipeOptions(repeat=3))
    assert [(s.label, s.requests, s.amount) for s in steps] == [("first", 1, 1.0), ("repeat", 2, 1.0)] * 5
    firsts, repeats = steps[::2], steps[1::2]
    assert [s.prompt for s in firsts] == [s.prompt for s in repeats]
    assert len({s.prompt for s in firsts}) == 5
    assert "unique" not in {s.prompt for s in firsts}


def test_compare_variants_takes_turns() -> None:
    """So that a drift of the server hits both alike."""
    steps = plan_steps("compare-variants", RecipeOptions(vary="schema", rounds=4))
    assert [s.label for s in steps] == ["plain", "schema", "schema", "plain", "plain", "schema", "schema", "plain"]
    assert {bool(s.extra) for s in steps} == {True}


def test_through_and_around_takes_turns_at_each_level() -> None:
    """A pair is one step through the first target and one straight to the second."""
    steps = plan_steps("through-and-around", RecipeOptions((1, 8), rounds=2))
    assert [(s.amount, s.label, s.target) for s in steps] == [
        (level, label, target)
        for level in (1, 8)
        for label, target in (("through", 0), ("around", 1), ("around", 1), ("through", 0))
    ]
    assert {s.requests for s in steps if s.amount == 8} == {16}


def test_new_connections_opens_one_for_each_request() -> None:
    """One after the other."""
    (step,) = plan_steps("new-connections", RecipeOptions(count=30))
    assert (step.fresh, step.requests, step.amount) == (True, 30, 1.0)


@pytest.mark.parametrize("recipe", RECIPES)
def test_every_recipe_has_steps_and_lengths(recipe: str) -> None:
    """Without any option."""
    assert plan_steps(recipe, RecipeOptions())
    assert min(LENGTHS[recipe]) >= 1


@given(st.sampled_from(RECIPES), st.lists(st.integers(1, 500), max_size=4), st.none() | st.integers(1, 9))
def test_pairs_are_complete(recipe: str, levels: list[int], rounds: int | None) -> None:
    """Whatever the levels, each label of a recipe has as many steps as the other, and every step an end of its own."""
    steps = plan_steps(recipe, RecipeOptions(tuple(map(float, levels)), rounds=rounds))
    labels = [step.label for step in steps]
    assert len({labels.count(label) for label in labels}) == 1
    assert recipe == "step-load" or all(step.requests for step in steps)


@pytest.mark.parametrize(
    "options",
    [
        RecipeOptions((0.0,)),
        RecipeOptions((float("nan"),)),
        RecipeOptions((1.5,)),
        RecipeOptions(repeat=1),
        RecipeOptions(rounds=0),
        RecipeOptions(count=0),
        RecipeOptions(requests=0),
        RecipeOptions(seconds=0.0),
    ],
)
def test_numbers_that_are_none_are_refused(options: RecipeOptions) -> None:
    """Before anything is sent."""
    with pytest.raises(ValueError, match=r"."):
        plan_steps("step-load", options)


def test_a_recipe_that_is_not_known_is_named() -> None:
    """With those that are."""
    with pytest.raises(ValueError, match="no such recipe: bake; one of step-load"):
        plan_steps("bake", RecipeOptions())
