"""One stretch of a run in which a rule spoke about an entity."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from perfconsole.model.entity import Entity
    from perfconsole.model.finding import Verdict
    from perfconsole.model.rule import Severity


@dataclass(frozen=True, slots=True)
class Episode:
    """One stretch of one finding."""

    rule: str
    title: str
    entity: Entity
    start: float
    end: float
    fired: bool
    """A hold completed; otherwise it was only pending."""
    verdict: Verdict
    """The surest verdict while firing, or the one it would have got."""
    severity: Severity
    first: bool
    """It stood first at some tick."""
    explained_by: str | None
    """The cause it stood under at its last tick."""
