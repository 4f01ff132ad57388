"""How many of the requests bring images, audio or video."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfconsole.core.formulas.common import delta
from perfconsole.model.sample import Missing

if TYPE_CHECKING:
    from perfconsole.core.frame import Frame
    from perfconsole.model.entity import Entity

SHARE = "engine.multimodal_share"
ITEMS = (("part", "items"),)


def multimodal_share(frame: Frame, engine: Entity) -> float | Missing:
    """Media items looked up / requests ended over 5 min, 1 at the most; missing while neither moved.

    Items are not requests: above 0 it proves that there are some, and its size is a guess where a request brings many.
    """
    items = delta(frame, SHARE, engine, match=ITEMS)
    ended = delta(frame, "engine.requests_finished", engine)
    if isinstance(items, Missing):
        return items
    if isinstance(ended, Missing):
        return ended
    if items <= 0:
        return 0.0 if ended > 0 else Missing.NEVER
    return min(1.0, items / max(1.0, ended))


FORMULAS = {SHARE: multimodal_share}
