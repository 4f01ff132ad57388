"""The step of a probe with one request at a time, as a saved profile: healthy figures of a quiet engine.

A figure under load never stands among them: neither of another step, nor of this one where others used the engine too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfconsole.model.probeplan import STEP_LOAD, Shape
from perfconsole.model.profile import HealthyValue, Profile
from perfconsole.probing.environment import identity_from
from perfconsole.probing.scenario import most_at_once

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from perfconsole.model.proberesult import ProbeResult, Spread, StepResult

P90_FROM = 10
"""Samples below which a p90 is the slowest of them; p95 and p99 are withheld in the result already."""
_OTHERS = 0.25
"""Mean of running and waiting requests above the one of the probe from which others were there. An engine that still
counts a request when the next one comes adds less: it takes every fourth poll to hit that moment."""
_SUFFIXES = ("mean", "p50", "p90", "p95", "p99")


def quiet_profile(result: ProbeResult, name: str, tool: str, unit: Callable[[str], str]) -> Profile:
    """The profile that the result gives, `unit` being that of an indicator; ValueError says what is wrong with it."""
    who = identity_from(result.environment)
    if who is None:
        raise ValueError("the engine was not watched during the probe: nobody knows whose figures they are")
    step = quiet_step(result)
    return Profile(
        name=name,
        identity=who,
        values=tuple(_values(step, unit)),
        healthy_s=step.window_s,
        requests=step.requests,
        wall=result.began + result.took_s,
        host=result.environment.get("host.name", ""),
        tool=tool,
        probe=_asked(result),
    )


def quiet_step(result: ProbeResult) -> StepResult:
    """The first step with one request at a time; ValueError says why there is none, or none that says anything."""
    plan = result.plan
    if plan.recipe != STEP_LOAD:
        raise ValueError(f"its requests are those of {plan.recipe}; a baseline is of {STEP_LOAD}")
    if most_at_once(plan.scenario) > 1:
        raise ValueError(f"{plan.scenario} sends several requests at a time; probe with --scenario short-chat")
    step = next((s for s in result.steps if s.step.shape is Shape.CONCURRENCY and s.step.amount == 1), None)
    if step is None:
        raise ValueError("it has no step with one request at a time; probe with --concurrency 1,4,16")
    wrong = _wrong(step)
    if wrong:
        raise ValueError(f"its step with one request at a time {wrong}")
    return step


def _wrong(step: StepResult) -> str:
    """Why it is no yardstick; empty where it is one."""
    if not step.valid:
        return f"is not valid: {step.why}"
    if step.errors:
        return f"is not healthy: {step.errors} of {step.requests} requests failed"
    server = step.server
    held = None if server is None or server.running is None else server.running + (server.waiting or 0.0)
    if held is not None and held > 1 + _OTHERS:
        return f"was not alone: the engine had {held:.3g} requests at a time; probe while no one else uses it"
    if not step.itl.n and not step.ttft.n:
        return "has too few requests to say anything; probe with --requests-per-step 20"
    return ""


def _values(step: StepResult, unit: Callable[[str], str]) -> Iterator[HealthyValue]:
    """Of the engine where it has the distribution, because it is the engine that is compared with them later."""
    server = step.server
    own = {"ttft": server.ttft, "itl": server.itl} if server is not None else {}
    for noun in ("ttft", "itl", "tpot", "e2e"):
        by_engine = noun in own and own[noun].n > 0
        spread: Spread = own[noun] if by_engine else getattr(step, noun)
        for suffix in _SUFFIXES:
            value: float | None = getattr(spread, suffix)
            if value is not None and (suffix != "p90" or spread.n >= P90_FROM):
                indicator = f"engine.{noun}.{suffix}"
                yield HealthyValue(indicator, value, unit(indicator), whole=True, client=not by_engine)


def _asked(result: ProbeResult) -> str:
    plan = result.plan
    return f"{plan.scenario}, {plan.prompt_tokens} tokens in and {plan.output_tokens} out"
