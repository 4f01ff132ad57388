"""What the console's own polls could tell of an engine, and what they cannot."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfconsole.model.sample import Missing

if TYPE_CHECKING:
    from perfconsole.core.frame import Frame
    from perfconsole.model.entity import Entity


def scrape_stall_ratio(_frame: Frame, _engine: Entity) -> float | Missing:
    """UNSUPPORTED: the console asks for the page first and for the health route when that has come, never both at once.

    So none of its health times is one of an open scrape, by construction, and a second connection that would ask during
    a slow one would add to what is being measured. A value from outside stands.
    """
    return Missing.UNSUPPORTED


FORMULAS = {"engine.scrape_stall_ratio": scrape_stall_ratio}
