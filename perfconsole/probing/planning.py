"""From the options of a probe to its plan. UsageError for options that do not go together."""

from __future__ import annotations

from dataclasses import replace
from math import ceil
from typing import TYPE_CHECKING

from perfconsole.errors import UsageError
from perfconsole.model.probeplan import (
    COMPARE_VARIANTS,
    NEW_CONNECTIONS,
    RECIPES,
    REPEAT_PROMPT,
    STEP_LOAD,
    THROUGH_AND_AROUND,
    Caps,
    ProbePlan,
    Shape,
    Slo,
    Step,
)
from perfconsole.probing.options import CAPS, SLO
from perfconsole.probing.recipes import LENGTHS, RecipeOptions, plan_steps
from perfconsole.probing.variants import MEDIA, SAMPLING

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Sequence

    from perfconsole.model.probeorders import Arrival

_SECONDS_PER_TOKEN = 0.15
"""A server that is slower than that, behind the first 400 tokens, is given up as one that hangs."""
_LADDER = (STEP_LOAD, COMPARE_VARIANTS, THROUGH_AND_AROUND, NEW_CONNECTIONS)
_ONLY: dict[str, tuple[str, ...]] = {
    "concurrency": _LADDER,
    "requests_per_step": (STEP_LOAD, COMPARE_VARIANTS, THROUGH_AND_AROUND),
    **dict.fromkeys(("seconds", "rate", "burst", "replay", "speed", "scenario", "mix", "shed"), (STEP_LOAD,)),
    "vary": (COMPARE_VARIANTS,),
    "repeat": (REPEAT_PROMPT,),
    "count": (NEW_CONNECTIONS,),
}
"""Options that say something to some recipes only."""
_SHAPES = {"concurrency": Shape.CONCURRENCY, "rate": Shape.RATE, "burst": Shape.BURST, "replay": Shape.REPLAY}


def recipe_of(words: Sequence[str]) -> tuple[str, tuple[str, ...]]:
    """`[RECIPE] URL [URL2]`: the recipe and its URLs; UsageError for one that is not known, or too few or many URLs."""
    first = words[0] if words else ""
    recipe, urls = (first, tuple(words[1:])) if first in RECIPES else (STEP_LOAD, tuple(words))
    if recipe == STEP_LOAD and len(urls) == 2 and not any(mark in first for mark in ".:/["):
        raise UsageError(f"no such recipe: {first!r}; known: {', '.join(RECIPES)}")
    wanted = 2 if recipe == THROUGH_AND_AROUND else 1
    if len(urls) != wanted:
        needs = "the URL of the gateway, then that of the engine" if wanted == 2 else "one URL"
        raise UsageError(f"{recipe} needs {needs}: perfconsole probe {recipe} URL{' URL2' if wanted == 2 else ''}")
    return recipe, urls


def plan_of(recipe: str, urls: tuple[str, ...], options: Namespace, seed: int) -> ProbePlan:
    """The plan that options make; `urls` are fit to be shown. UsageError for options that do not go together."""
    shape = _shape(recipe, options)
    prompt, output = LENGTHS[recipe]
    output = options.output_tokens or output
    steps = _steps(recipe, shape, options, output)
    levels = getattr(options, _name(shape), None) if shape is not Shape.REPLAY else options.replay
    return ProbePlan(
        recipe=recipe,
        urls=urls,
        steps=steps,
        model=options.model or "",
        api=options.api,
        scenario=options.scenario or "short-chat",
        mix=options.mix or (3, 4, 3),
        prompt_tokens=options.prompt_tokens or prompt,
        output_tokens=output,
        warmup=2 if options.warmup is None else options.warmup,
        runs=options.runs or 1,
        adaptive=recipe == STEP_LOAD and not levels,
        shed_s=options.shed,
        vary=(options.vary or SAMPLING) if recipe == COMPARE_VARIANTS else "",
        slo=Slo(options.slo_ttft or SLO.ttft_p95_s, options.slo_tpot or SLO.tpot_p90_s),
        caps=_caps(steps, options, output),
        seed=seed,
        why=options.why,
    )


def with_sample(plan: ProbePlan, arrivals: Sequence[Arrival], options: Namespace) -> ProbePlan:
    """The plan of a replay once its sample is read: as many requests, of their mean length, and room for them."""
    steps = tuple(replace(step, requests=len(arrivals)) for step in plan.steps)
    lasts = arrivals[-1].at / min(step.amount for step in plan.steps) * plan.runs
    requests = options.max_requests or max(CAPS.requests, 2 * len(arrivals) * plan.runs)
    tokens = options.max_tokens or max(CAPS.output_tokens, 2 * sum(a.output_tokens for a in arrivals) * plan.runs)
    seconds = options.max_seconds or max(plan.caps.seconds, 1.5 * lasts + 60.0)
    caps = replace(plan.caps, requests=requests, output_tokens=tokens, seconds=seconds)
    prompt = ceil(sum(a.prompt_tokens for a in arrivals) / len(arrivals))
    output = ceil(sum(a.output_tokens for a in arrivals) / len(arrivals))
    return replace(plan, steps=steps, caps=caps, prompt_tokens=prompt, output_tokens=output)


def _shape(recipe: str, options: Namespace) -> Shape:
    """How the load is given, from options that fit the recipe and each other."""
    for name, recipes in _ONLY.items():
        if getattr(options, name) is not None and recipe not in recipes:
            raise UsageError(f"{_flag(name)} goes with {' and '.join(recipes)}, not with {recipe}")
    given = [name for name in _SHAPES if getattr(options, name) is not None]
    if len(given) > 1:
        raise UsageError(f"{_flag(given[0])} and {_flag(given[1])} are two kinds of load; give one of them")
    if options.speed is not None and options.replay is None:
        raise UsageError("--speed goes with --replay")
    if options.mix is not None and options.scenario != "mixed":
        raise UsageError("--mix goes with --scenario mixed")
    if options.vary == MEDIA and options.api != "chat":
        raise UsageError("--vary media goes with --api chat: completions take no pictures")
    shape = _SHAPES[given[0]] if given else Shape.CONCURRENCY
    if shape in (Shape.BURST, Shape.REPLAY):
        _refuse_sizes(shape, options)
    return shape


def _refuse_sizes(shape: Shape, options: Namespace) -> None:
    """A burst and a replay end by themselves; the lengths of a replay are in its sample."""
    sized = ("requests_per_step", "seconds")
    own = (*sized, "prompt_tokens", "output_tokens", "scenario") if shape is Shape.REPLAY else sized
    wrong = next((name for name in own if getattr(options, name) is not None), None)
    if wrong:
        raise UsageError(f"{_flag(wrong)} does not go with {_flag(_name(shape))}, which says it itself")


def _steps(recipe: str, shape: Shape, options: Namespace, output_tokens: int) -> tuple[Step, ...]:
    levels = (options.speed or 1.0,) if shape is Shape.REPLAY else getattr(options, _name(shape)) or ()
    try:
        return plan_steps(
            recipe,
            RecipeOptions(
                levels=tuple(map(float, levels)),
                shape=shape,
                requests=options.requests_per_step,
                seconds=options.seconds,
                repeat=options.repeat or 2,
                count=options.count or 50,
                vary=options.vary or SAMPLING,
                output_tokens=output_tokens,
            ),
        )
    except ValueError as error:
        raise UsageError(str(error)) from None


def _caps(steps: Sequence[Step], options: Namespace, output_tokens: int) -> Caps:
    """The limits that were given; of the others those that leave room for what was asked for by number."""
    runs, usual = options.runs or 1, CAPS
    wide = max((ceil(s.amount) for s in steps if s.shape in (Shape.CONCURRENCY, Shape.BURST)), default=1)
    if wide > usual.concurrency:
        raise UsageError(f"{wide} at a time is more than this client opens ({usual.concurrency})")
    asked = sum(s.requests or 0 for s in steps) * runs
    timed = sum(s.seconds or 0.0 for s in steps) * runs + (options.shed or 0.0)
    requests = options.max_requests or max(usual.requests, 2 * asked)
    seconds = options.max_seconds or max(usual.seconds, 1.5 * timed + 60.0)
    patience = max(usual.e2e_s, _SECONDS_PER_TOKEN * output_tokens)
    return Caps(
        requests=requests,
        output_tokens=options.max_tokens or max(usual.output_tokens, 2 * asked * output_tokens),
        seconds=seconds,
        e2e_s=options.timeout or min(patience, seconds / 3),
        ttft_s=options.max_ttft or usual.ttft_s,
    )


def _name(shape: Shape) -> str:
    return next(name for name, known in _SHAPES.items() if known is shape)


def _flag(name: str) -> str:
    return f"--{name.replace('_', '-')}"
