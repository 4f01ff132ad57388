"""How many of the requests ask for an answer in a grammar."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfconsole.core.formulas.common import delta
from perfconsole.model.sample import Missing

if TYPE_CHECKING:
    from perfconsole.core.frame import Frame
    from perfconsole.model.entity import Entity

SHARE = "engine.structured_share"
REQUESTS = (("part", "requests"),)


def structured_share(frame: Frame, engine: Entity) -> float | Missing:
    """Requests with a grammar / requests, both as they ended, over 5 min; missing while none ended."""
    structured = delta(frame, SHARE, engine, match=REQUESTS)
    ended = delta(frame, "engine.requests_finished", engine)
    if isinstance(structured, Missing):
        return structured
    if isinstance(ended, Missing):
        return ended
    return min(1.0, structured / ended) if ended > 0 else Missing.NEVER


FORMULAS = {SHARE: structured_share}
