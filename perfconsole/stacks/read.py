"""A recording of any of the formats that are read: folded stacks, or speedscope's JSON; and one that was just taken."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from perfconsole.errors import NotPermittedError, PerfconsoleError
from perfconsole.model.stack import ThreadKey
from perfconsole.stacks.folded import read_folded
from perfconsole.stacks.speedscope import read_speedscope

if TYPE_CHECKING:
    from perfconsole.model.flameplan import FlamePlan
    from perfconsole.model.stack import Profile


def read_recording(text: str) -> Profile:
    """Its stacks; ValueError says what is wrong with a file that is none."""
    if text.lstrip()[:1] == "{":
        return read_speedscope(text)
    profile = read_folded(text)
    if not profile.stacks:
        raise ValueError(
            "no line of it is a folded stack (frames;frames NUMBER), and it is not speedscope's JSON"
            if text.strip()
            else "it is empty: there is no stack in it"
        )
    return profile


def recorded(folded: str, plan: FlamePlan, took_s: float, trouble: str | None, *, cancelled: bool) -> Profile:
    """Stacks of a recording that has ended, with how it was taken.

    NotPermittedError with the recorder's words when it gave nothing, PerfconsoleError when there was nothing to give.
    """
    profile = read_folded(folded)
    if trouble and not profile.stacks:
        raise NotPermittedError(f"py-spy could not record process {plan.pid}: {trouble}")
    if not profile.stacks:
        raise PerfconsoleError(_nothing(plan, took_s, cancelled=cancelled))
    stacks = profile.stacks
    if not plan.subprocesses:
        process = f"process {plan.pid}"
        stacks = tuple(s._replace(thread=ThreadKey(s.thread.process or process, s.thread.thread)) for s in stacks)
    seconds = min(took_s, plan.seconds)
    looks = max(1, round(plan.rate * seconds)) if plan.gil else None
    return replace(profile, stacks=stacks, idle=plan.idle and not plan.gil, seconds=seconds, looks=looks)


def _nothing(plan: FlamePlan, took_s: float, *, cancelled: bool) -> str:
    if cancelled:
        return "no sample was taken before the recording was ended"
    why = "no thread held the interpreter lock" if plan.gil else "it may have ended, or it runs no Python code"
    return f"no sample of process {plan.pid} in {took_s:.0f} s: {why}"
