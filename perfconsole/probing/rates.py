"""Rates of a step: tokens, requests, and requests that kept the promise, a second."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from perfconsole.model.probeplan import Shape
from perfconsole.probing.answers import kept_slo, ratio_of

if TYPE_CHECKING:
    from perfconsole.model.probeplan import Slo, Step
    from perfconsole.probing.answers import Answers
    from perfconsole.probing.window import Flow, Window


class Rates(NamedTuple):
    """Each a second, None where it cannot be said."""

    output_tokens: float | None
    total_tokens: float | None
    requests: float | None
    """That ended well."""
    goodput: float | None
    goodput_ratio: float | None
    """Requests within the SLO of all; failed ones are not within. Those of the burst only where there are no others."""


def rates(step: Step, parted: Answers, seen: Flow, window: Window, slo: Slo) -> Rates:
    """Rates in the steady window."""
    requests = _requests_per_s(step, parted, seen, window)
    kept = sum(kept_slo(slo, r) for r in parted.steady)
    judged = len(parted.steady) + parted.steady_errors
    return Rates(
        output_tokens=seen.tokens_per_s,
        total_tokens=_total(parted, seen),
        requests=requests,
        goodput=None if requests is None else requests * kept / len(parted.steady) if parted.steady else 0.0,
        goodput_ratio=kept / judged if judged else None,
    )


def _requests_per_s(step: Step, parted: Answers, seen: Flow, window: Window) -> float | None:
    """From the tokens: those of the window by the tokens it took for each request that ended well.

    To count the ends would miss what the slots were busy with meanwhile: the requests of the step before, and those
    that keep the load up behind the last counted one. Where each request of the window is a counted one they are.
    """
    if not parted.counted or window.seconds <= 0:
        return None
    tokens = sum(r.tokens or 0 for r in parted.counted)
    if step.shape in (Shape.BURST, Shape.REPLAY) or not tokens or seen.tokens_per_s is None:
        return sum(window.start <= r.ended <= window.end for r in parted.good) / window.seconds
    return seen.tokens_per_s * len(parted.good) / tokens


def _total(parted: Answers, seen: Flow) -> float | None:
    """Prompt tokens come by the request, so they are reckoned from their share in the answers' tokens."""
    prompts = ratio_of((r.prompt_tokens, r.tokens) for r in parted.good)
    return None if prompts is None or seen.tokens_per_s is None else seen.tokens_per_s * (1 + prompts)
