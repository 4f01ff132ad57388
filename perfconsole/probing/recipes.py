"""The steps of each recipe. Pure: the same options give the same steps."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import ceil, isfinite
from typing import TYPE_CHECKING, TypeVar

from perfconsole.model.probeplan import (
    COMPARE_VARIANTS,
    NEW_CONNECTIONS,
    REPEAT_PROMPT,
    STEP_LOAD,
    THROUGH_AND_AROUND,
    Shape,
    Step,
)
from perfconsole.probing.variants import SAMPLING, variants

if TYPE_CHECKING:
    from collections.abc import Callable

_Item = TypeVar("_Item")

LADDER = (1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0, 256.0)
LENGTHS: dict[str, tuple[int, int]] = {
    STEP_LOAD: (128, 128),
    REPEAT_PROMPT: (1_024, 16),
    COMPARE_VARIANTS: (128, 256),
    THROUGH_AND_AROUND: (128, 64),
    NEW_CONNECTIONS: (16, 4),
}
"""Prompt and output tokens that each recipe asks for by itself: a repeat is about the prompt, a comparison of
variants about the answer, a new connection about neither."""
_ROUNDS = {REPEAT_PROMPT: 5, COMPARE_VARIANTS: 5, THROUGH_AND_AROUND: 3}
"""How often a pair is repeated: for a median, and so that a slow drift of the server hits both halves alike."""


@dataclass(frozen=True, slots=True)
class RecipeOptions:
    """What was asked for; a recipe passes over what does not concern it."""

    levels: tuple[float, ...] = ()
    """Concurrencies, rates, sizes of bursts, or the speed of a replay; empty for those of the recipe."""
    shape: Shape = Shape.CONCURRENCY
    """Of step-load."""
    requests: int | None = None
    """Counted in each step."""
    seconds: float | None = None
    """Of each step of step-load; with neither, the conductor decides when it has seen enough."""
    repeat: int = 2
    """How often one prompt is sent."""
    rounds: int | None = None
    """How often a pair of steps is repeated."""
    count: int = 50
    """Connections of new-connections."""
    vary: str = SAMPLING
    output_tokens: int = 128


def plan_steps(recipe: str, options: RecipeOptions) -> tuple[Step, ...]:
    """The steps, in their order; ValueError for a recipe that is not known or a number that is none."""
    if recipe not in _MAKERS:
        raise ValueError(f"no such recipe: {recipe}; one of {', '.join(_MAKERS)}")
    _check(options)
    steps = _MAKERS[recipe](options)
    if recipe == STEP_LOAD:
        return steps
    # What is not counted would teach the server's caches a text, or run beside the other half of a pair.
    return tuple(replace(step, keep=False) for step in steps)


def _check(options: RecipeOptions) -> None:
    if not all(isfinite(level) and level > 0 for level in options.levels):
        raise ValueError("the level of a step is above 0")
    closed = options.shape in (Shape.CONCURRENCY, Shape.BURST)
    if closed and not all(level.is_integer() for level in map(float, options.levels)):
        raise ValueError("so many at a time is a whole number")
    if options.repeat < 2:
        raise ValueError("a prompt is sent at least twice")
    if min(options.count, options.requests or 1, 1 if options.rounds is None else options.rounds) < 1:
        raise ValueError("requests, rounds and connections are at least 1")
    if options.requests == 0 or (options.seconds is not None and not 0 < options.seconds < float("inf")):
        raise ValueError("a step has a request and some time")


def _step_load(options: RecipeOptions) -> tuple[Step, ...]:
    if options.shape is Shape.BURST:
        return tuple(Step(Shape.BURST, level, int(level)) for level in options.levels or LADDER)
    levels = options.levels or ((1.0,) if options.shape is Shape.REPLAY else LADDER)
    return tuple(Step(options.shape, level, options.requests, options.seconds) for level in levels)


def _repeat_prompt(options: RecipeOptions) -> tuple[Step, ...]:
    """Each round has a text of its own, that no server has seen: the name of a text and the run make it."""
    return tuple(
        Step(Shape.CONCURRENCY, 1.0, many, prompt=f"fixed {turn}", label=label)
        for turn in range(_rounds(REPEAT_PROMPT, options))
        for label, many in (("first", 1), ("repeat", options.repeat - 1))
    )


def _compare_variants(options: RecipeOptions) -> tuple[Step, ...]:
    both = variants(options.vary, options.output_tokens)
    return tuple(
        Step(Shape.CONCURRENCY, level, _several(level, 2, options), extra=extra, label=label)
        for level in options.levels or (1.0,)
        for turn in range(_rounds(COMPARE_VARIANTS, options))
        for label, extra in _turned(both, turn)
    )


def _through_and_around(options: RecipeOptions) -> tuple[Step, ...]:
    both = (("through", 0), ("around", 1))
    return tuple(
        Step(Shape.CONCURRENCY, level, _several(level, 4, options), target=target, label=label)
        for level in options.levels or (1.0,)
        for turn in range(_rounds(THROUGH_AND_AROUND, options))
        for label, target in _turned(both, turn)
    )


def _new_connections(options: RecipeOptions) -> tuple[Step, ...]:
    levels = options.levels or (1.0,)
    return tuple(Step(Shape.CONCURRENCY, level, options.count, fresh=True, label="fresh") for level in levels)


_MAKERS: dict[str, Callable[[RecipeOptions], tuple[Step, ...]]] = {
    STEP_LOAD: _step_load,
    REPEAT_PROMPT: _repeat_prompt,
    COMPARE_VARIANTS: _compare_variants,
    THROUGH_AND_AROUND: _through_and_around,
    NEW_CONNECTIONS: _new_connections,
}


def _rounds(recipe: str, options: RecipeOptions) -> int:
    return _ROUNDS[recipe] if options.rounds is None else options.rounds


def _several(level: float, least: int, options: RecipeOptions) -> int:
    """Twice as many as run at a time, so that not all of them began in the burst."""
    return max(least, 2 * ceil(level)) if options.requests is None else options.requests


def _turned(both: tuple[_Item, _Item], turn: int) -> tuple[_Item, _Item]:
    """Every other time the second first."""
    return both if turn % 2 == 0 else (both[1], both[0])
