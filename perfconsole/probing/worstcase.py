"""The most that a plan can send, said before anybody confirms it. Pure."""

from __future__ import annotations

from math import ceil, sqrt
from typing import TYPE_CHECKING

from perfconsole.model.probeask import Worst
from perfconsole.model.probeplan import FILLERS, Shape
from perfconsole.probing.scenario import WARM_UP_TOKENS, calls_per_task, most_at_once, period, warm_up

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from perfconsole.model.probeorders import Arrival
    from perfconsole.model.probeplan import ProbePlan, Step

SIZED_WRONG = 5
"""Of warm-up prompts: a tokenizer of bytes makes 6.5 tokens of a word where 1.3 are guessed before the first answer."""
SIZED_NEARLY = 1.05
"""Prompts after the warm-up are this much longer than wanted, at most."""
REFUSED = 4
"""Options that a server may refuse, one after the other: each time the request is sent once more without it."""


def worst_case(plan: ProbePlan, arrivals: Sequence[Arrival] = ()) -> Worst:
    """Warm-up, all steps of all runs, the requests between steps, and the step that is repeated after shedding.

    `arrivals` is the sample of a replay. ValueError where the plan names no known scenario or a length below 1.
    """
    steps = plan.steps * plan.runs + (plan.steps[:1] if plan.shed_s is not None else ())
    sent = [_requests(step, plan, arrivals) for step in steps]
    warm = plan.warmup * len(plan.urls)
    requests = min(plan.caps.requests, warm + _again(plan) + sum(sent))
    times = sum(step.shape is Shape.REPLAY for step in steps)
    prompts, answers = _of_sample(arrivals, times, requests) if arrivals and times else _of_scenario(plan, requests)
    lasting = [_seconds(step, most, plan) for step, most in zip(steps, sent, strict=True)]
    return Worst(
        requests,
        _warm_prompts(plan) + ceil(prompts * (SIZED_NEARLY if plan.warmup else SIZED_WRONG)),
        min(plan.caps.output_tokens, answers + warm * WARM_UP_TOKENS),
        min(plan.caps.seconds, warm * plan.caps.e2e_s + sum(lasting) + (plan.shed_s or 0.0)),
    )


def _again(plan: ProbePlan) -> int:
    """Requests that are made once more: the warm-up learns by one what is refused, without it all that start first."""
    first = plan.steps[0].amount if plan.steps and plan.steps[0].shape in (Shape.CONCURRENCY, Shape.BURST) else 1.0
    together = 1 if plan.warmup else _ceil(first) * most_at_once(plan.scenario)
    return REFUSED * together * len(plan.urls)


def _requests(step: Step, plan: ProbePlan, arrivals: Sequence[Arrival]) -> int:
    """Counted ones and those that keep the load up until the next order; the cap where nothing else ends them."""
    match step.shape:
        case Shape.CONCURRENCY:
            most = _closed(step, plan)
        case Shape.RATE:
            most = _open(step)
        case Shape.BURST:
            most = _ceil(step.amount) * calls_per_task(plan.scenario)
        case Shape.REPLAY:
            most = len(arrivals) or step.requests
    return plan.caps.requests if most is None else min(most, plan.caps.requests)


def _closed(step: Step, plan: ProbePlan) -> int | None:
    """Each slot may begin some tasks more before the next order comes, and their last stage is not cut."""
    if step.requests is None:
        return None
    wide = min(_ceil(step.amount), plan.caps.concurrency)
    following = FILLERS * calls_per_task(plan.scenario) + most_at_once(plan.scenario) - 1
    return step.requests + (wide * following if step.keep else 0)


def _open(step: Step) -> int | None:
    """Those that were asked for, or what its seconds bring, and what still comes before the next order."""
    late = step.amount * FILLERS
    if step.requests is not None:
        return step.requests + _poisson_most(late)
    return None if step.seconds is None else _poisson_most(step.amount * step.seconds + late)


def _poisson_most(mean: float) -> int:
    """Four deviations above the mean: passed once in 30,000 times."""
    return _ceil(mean + 4 * sqrt(mean))


def _of_scenario(plan: ProbePlan, requests: int) -> tuple[float, int]:
    """Prompt and output tokens of so many calls.

    Of a scenario of equal tasks the mean, as no call of them is shorter than the one before; else the longest, as of a
    mix the short tasks are through before the long ones, so that no mean holds.
    """
    row = period(plan.scenario, plan.prompt_tokens, plan.output_tokens, plan.mix)
    calls = [call for task in row for stage in task for call in stage]
    prompts = [float(call.prompt_tokens) for call in calls]
    prompt = sum(prompts) / len(prompts) if len(row) == 1 else max(prompts)
    return prompt * requests, max(call.output_tokens for call in calls) * requests


def _of_sample(arrivals: Sequence[Arrival], times: int, requests: int) -> tuple[float, int]:
    """Prompt and output tokens of a sample so many times; where a cap cuts it, of its longest requests."""
    prompts, answers = zip(*((a.prompt_tokens, a.output_tokens) for a in arrivals), strict=True)
    return float(_longest(prompts, times, requests)), _longest(answers, times, requests)


def _longest(lengths: Iterable[int], times: int, requests: int) -> int:
    every = sorted(lengths, reverse=True)
    whole, rest = divmod(min(requests, times * len(every)), times)
    return times * sum(every[:whole]) + rest * (every[whole] if rest else 0)


def _warm_prompts(plan: ProbePlan) -> int:
    """What the first prompts may be longer than wanted, as long as nothing is known of the tokenizer."""
    calls = warm_up(plan.scenario, plan.prompt_tokens, plan.output_tokens, plan.warmup)
    return SIZED_WRONG * len(plan.urls) * sum(call.prompt_tokens for call in calls)


def _seconds(step: Step, requests: int, plan: ProbePlan) -> float:
    """Its own seconds and the last answers; without them as if every request took as long as one may."""
    if step.seconds is not None:
        return step.seconds + plan.caps.e2e_s
    if step.shape is not Shape.CONCURRENCY or step.requests is None:
        return plan.caps.seconds
    wide = min(_ceil(step.amount), plan.caps.concurrency) * most_at_once(plan.scenario)
    return ceil(requests / max(1, wide)) * plan.caps.e2e_s


def _ceil(value: float) -> int:
    return max(0, ceil(value))
