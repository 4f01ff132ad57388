"""Speculative decoding: the share of drafted tokens that is accepted, how many a step gives, how deep it reaches."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfconsole.core.formulas.common import delta, least, quotient
from perfconsole.model.sample import Missing

if TYPE_CHECKING:
    from perfconsole.core.frame import Frame
    from perfconsole.model.entity import Entity

SPEC = "engine.spec_accept_ratio"
DEEP = "engine.spec_deep_accept_ratio"
ACCEPTED = (("part", "accepted"),)
DRAFT = (("part", "draft"),)
DRAFTS = (("part", "drafts"),)
POSITION = "position"
"""Label of the accepted tokens of one place in the draft, 0 for the first."""
WINDOW_S = 60.0
_DEEPEST = 2
MIN_DRAFTS = 100.0
"""Below this many drafts nobody can tell an acceptance of 1 % from none."""


def spec_accept_ratio(frame: Frame, engine: Entity) -> float | Missing:
    """Accepted / draft tokens over 1 min."""
    return quotient(delta(frame, SPEC, engine, WINDOW_S, ACCEPTED), delta(frame, SPEC, engine, WINDOW_S, DRAFT))


def spec_accept_length(frame: Frame, engine: Entity) -> float | Missing:
    """Tokens a step, bonus token included, over 1 min: 1 + accepted / drafts."""
    extra = quotient(delta(frame, SPEC, engine, WINDOW_S, ACCEPTED), delta(frame, SPEC, engine, WINDOW_S, DRAFTS))
    return extra if isinstance(extra, Missing) else 1.0 + extra


def spec_deep_accept_ratio(frame: Frame, engine: Entity) -> float | Missing:
    """Accepted at the two deepest positions / (2 x drafts) over 1 min; of a draft of one token, at that one."""
    current = frame.store.current(DEEP, engine, frame.t)
    if isinstance(current, Missing):
        return current
    places = {dict(labels).get(POSITION, "") for labels in current}
    deepest = sorted((p for p in places if p.isdecimal()), key=int)[-_DEEPEST:]
    if not deepest:
        return Missing.NOT_EXPORTED
    accepted = 0.0
    for place in deepest:
        at = delta(frame, DEEP, engine, WINDOW_S, ((POSITION, place),))
        if isinstance(at, Missing):
            return at
        accepted += at
    drafts = least(delta(frame, SPEC, engine, WINDOW_S, DRAFTS), MIN_DRAFTS)
    return drafts if isinstance(drafts, Missing) else accepted / (len(deepest) * drafts)


FORMULAS = {
    SPEC: spec_accept_ratio,
    "engine.spec_accept_length": spec_accept_length,
    DEEP: spec_deep_accept_ratio,
}
