"""From options to a plan."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING

import pytest

from perfconsole.errors import UsageError
from perfconsole.model.probeorders import Arrival
from perfconsole.model.probeplan import RECIPES, Shape
from perfconsole.probing.options import add_options
from perfconsole.probing.planning import plan_of, recipe_of, with_sample

if TYPE_CHECKING:
    from perfconsole.model.probeplan import ProbePlan

URL = "http://127.0.0.1:8000"


def _options(line: str) -> Namespace:
    parser = ArgumentParser()
    add_options(parser)
    return parser.parse_args(line.split())


def _plan(line: str = "", recipe: str = "step-load") -> ProbePlan:
    return plan_of(recipe, (URL,), _options(line), 7)


def test_nothing_given() -> None:
    """A ladder that ends by itself, with the promises and limits that are usual."""
    plan = _plan()
    assert (plan.adaptive, plan.warmup, plan.runs, plan.seed) == (True, 2, 1, 7)
    assert [step.amount for step in plan.steps][:5] == [1, 2, 4, 8, 16]
    assert (plan.prompt_tokens, plan.output_tokens) == (128, 128)
    assert (plan.caps.requests, plan.caps.seconds, plan.caps.e2e_s) == (5_000, 300.0, 60.0)


def test_the_contract_for_scripts() -> None:
    """Levels, requests and lengths as they are given; all levels are gone through."""
    plan = _plan("--concurrency 1,2,4,8 --requests-per-step 20 --output-tokens 64 --prompt-tokens 256 --model m")
    assert [(s.shape, s.amount, s.requests) for s in plan.steps] == [(Shape.CONCURRENCY, n, 20) for n in (1, 2, 4, 8)]
    assert (plan.adaptive, plan.model, plan.prompt_tokens, plan.output_tokens) == (False, "m", 256, 64)


def test_steps_is_another_name() -> None:
    """Checks of rules write it so."""
    plan = _plan("--steps 1,4 --shed 30")
    assert ([step.amount for step in plan.steps], plan.shed_s) == ([1, 4], 30.0)


@pytest.mark.parametrize(
    ("line", "shape", "amounts"),
    [
        ("--rate 0.5,2", Shape.RATE, [0.5, 2.0]),
        ("--burst 64", Shape.BURST, [64.0]),
        ("--replay sample.jsonl --speed 2", Shape.REPLAY, [2.0]),
        ("--replay sample.jsonl", Shape.REPLAY, [1.0]),
    ],
)
def test_other_kinds_of_load(line: str, shape: Shape, amounts: list[float]) -> None:
    """Each has its own option, and none of them climbs by itself."""
    plan = _plan(line)
    assert [step.shape for step in plan.steps] == [shape] * len(amounts)
    assert ([step.amount for step in plan.steps], plan.adaptive) == (amounts, False)


@pytest.mark.parametrize("recipe", RECIPES)
def test_every_recipe_has_a_plan(recipe: str) -> None:
    """Without an option, of its own lengths."""
    plan = _plan(recipe=recipe)
    assert plan.recipe == recipe
    assert plan.steps
    assert plan.vary == ("sampling" if recipe == "compare-variants" else "")


@pytest.mark.parametrize(
    ("recipe", "line"),
    [
        ("repeat-prompt", "--prompt-tokens 4000 --repeat 2"),
        ("repeat-prompt", "--repeat 2"),
        ("compare-variants", "--vary sampling --output-tokens 800"),
        ("compare-variants", "--vary media"),
        ("through-and-around", "--steps 1,8,32"),
        ("new-connections", "--count 50"),
        ("step-load", "--steps 1 --seconds 30"),
        ("step-load", "--scenario mixed --mix 1:0:1"),
    ],
)
def test_commands_of_checks(recipe: str, line: str) -> None:
    """What the rules' checks and the documents write is taken."""
    assert _plan(line, recipe).steps


@pytest.mark.parametrize(
    ("recipe", "line", "words"),
    [
        ("step-load", "--rate 1 --concurrency 1", "two kinds of load"),
        ("step-load", "--speed 2", "--speed goes with --replay"),
        ("step-load", "--mix 1:1:1", "--mix goes with --scenario mixed"),
        ("step-load", "--vary schema", "--vary goes with compare-variants, not with step-load"),
        ("repeat-prompt", "--rate 1", "--rate goes with step-load, not with repeat-prompt"),
        ("step-load", "--burst 8 --seconds 9", "--seconds does not go with --burst"),
        ("step-load", "--replay f --output-tokens 9", "--output-tokens does not go with --replay"),
        ("compare-variants", "--vary media --api completions", "completions take no pictures"),
        ("step-load", "--concurrency 2000", "2000 at a time is more than this client opens (1024)"),
    ],
)
def test_what_does_not_go_together(recipe: str, line: str, words: str) -> None:
    """One clear sentence, by the names of the options."""
    with pytest.raises(UsageError) as error:
        _plan(line, recipe)
    assert words in str(error.value)


def test_limits_that_are_given_hold() -> None:
    """Whatever is asked for beside them."""
    caps = _plan("--max-requests 10 --max-tokens 99 --max-seconds 12 --timeout 5 --requests-per-step 900").caps
    assert (caps.requests, caps.output_tokens, caps.seconds, caps.e2e_s) == (10, 99, 12.0, 5.0)


def test_limits_make_room_for_what_is_asked() -> None:
    """Who asks for ten minutes by number is not cut off after five."""
    caps = _plan("--concurrency 1,2,4 --seconds 100 --runs 2").caps
    assert caps.seconds > 600
    caps = _plan("--concurrency 64 --requests-per-step 9000 --output-tokens 400").caps
    assert (caps.requests, caps.output_tokens) == (18_000, 7_200_000)


def test_patience() -> None:
    """A request is given up in time, later where it is long, sooner where all of it is short."""
    assert _plan("--output-tokens 800").caps.e2e_s == 100.0
    assert _plan("--output-tokens 1600", "compare-variants").caps.e2e_s == 100.0
    assert _plan("--max-seconds 30").caps.e2e_s == 10.0


def test_a_sample() -> None:
    """A replay has as many requests as its sample, and as much time, in every run."""
    arrivals = tuple(Arrival(float(n), 100, 400) for n in range(9_001))
    options = _options("--replay f --speed 10 --runs 2")
    made = with_sample(plan_of("step-load", (URL,), options, 0), arrivals, options)
    assert [step.requests for step in made.steps] == [9_001]
    assert (made.prompt_tokens, made.output_tokens) == (100, 400)
    assert made.caps.requests == 4 * 9_001
    assert made.caps.output_tokens == 4 * 9_001 * 400
    assert made.caps.seconds == 1.5 * 1_800 + 60
    options = _options("--replay f --max-requests 10 --max-tokens 11 --max-seconds 12")
    caps = with_sample(plan_of("step-load", (URL,), options, 0), arrivals, options).caps
    assert (caps.requests, caps.output_tokens, caps.seconds) == (10, 11, 12.0)


def test_words() -> None:
    """A recipe and its URLs; step-load where none is named."""
    assert recipe_of([URL]) == ("step-load", (URL,))
    assert recipe_of(["localhost:8000"]) == ("step-load", ("localhost:8000",))
    assert recipe_of(["repeat-prompt", URL]) == ("repeat-prompt", (URL,))
    assert recipe_of(["through-and-around", "a:1", "b:2"]) == ("through-and-around", ("a:1", "b:2"))


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "step-load needs one URL"),
        (["repeat-prompt"], "repeat-prompt needs one URL"),
        (["through-and-around", "a:1"], "the URL of the gateway, then that of the engine"),
        (["step-laod", "a:1"], "no such recipe: 'step-laod'"),
        (["a:1", "b:2"], "step-load needs one URL"),
    ],
)
def test_wrong_words(words: list[str], said: str) -> None:
    """What is missing is named."""
    with pytest.raises(UsageError) as error:
        recipe_of(words)
    assert said in str(error.value)
