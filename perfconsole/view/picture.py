"""What a page is drawn from: a snapshot with its values at hand, histories on request, and how to draw."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from perfconsole.model.entity import Entity, Kind
from perfconsole.model.sample import Missing
from perfconsole.view.glyphs import UNICODE, Glyphs

if TYPE_CHECKING:
    from perfconsole.model.dictionary import Dictionary
    from perfconsole.model.rule import Rule
    from perfconsole.model.snapshot import Indicator, Snapshot

LAYERS = ("gateway", "orchestration", "engine", "hardware")
"""In the order in which a request travels; the keys 1 to 4 open them."""
KINDS = {
    "gateway": (Kind.GATEWAY,),
    "orchestration": (Kind.ORCHESTRATOR,),
    "engine": (Kind.ENGINE, Kind.RANK),
    "hardware": (Kind.HOST, Kind.GPU, Kind.PROCESS),
}


class Trails(Protocol):
    """Histories of indicators."""

    def __call__(self, name: str, entity: Entity, step_s: float, columns: int) -> tuple[float | None, ...]:
        """Means over `columns` stretches of `step_s` seconds up to now, oldest first; None where nothing was known.

        Stretches begin at multiples of `step_s`, so that a chart shifts once a stretch and not at every tick.
        """


def no_trails(name: str, entity: Entity, step_s: float, columns: int) -> tuple[float | None, ...]:  # noqa: ARG001 - the form of Trails
    """Histories of a moment that has none."""
    return (None,) * columns


@dataclass(frozen=True, slots=True)
class Picture:
    """One moment, ready to be drawn. Made once a snapshot."""

    snapshot: Snapshot
    dictionary: Dictionary
    trails: Trails = no_trails
    glyphs: Glyphs = UNICODE
    source: str = "live"
    """Where it comes from, for the header: live or replay."""
    simulated: bool = False
    banner: str = ""
    """What a simulation plays just now, its first word saying that it is one."""
    host: str = ""
    started: float = 0.0
    """Monotonic second at which watching began."""
    rules: tuple[Rule, ...] = ()
    """What is judged by, in the order of the table; empty in the first moment, before they are loaded."""
    values: dict[tuple[str, Entity], Indicator] = field(init=False, repr=False, compare=False)
    """Every indicator by name and entity."""
    _facts: dict[Entity, dict[str, str]] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "values", {(i.name, i.entity): i for i in self.snapshot.indicators})
        facts: dict[Entity, dict[str, str]] = {}
        for fact in self.snapshot.facts:
            facts.setdefault(fact.entity, {})[fact.name] = fact.value
        object.__setattr__(self, "_facts", facts)

    @property
    def watched_s(self) -> float:
        """Seconds since watching began."""
        return self.snapshot.t - self.started

    def indicator(self, name: str, entity: Entity) -> Indicator | None:
        """One indicator of one entity; None when no source speaks of it."""
        return self.values.get((name, entity))

    def value(self, name: str, entity: Entity) -> float | Missing:
        """Its value, or why it is missing; *never* when no source speaks of it."""
        found = self.values.get((name, entity))
        return Missing.NEVER if found is None else found.value

    def number(self, name: str, entity: Entity) -> float | None:
        """Its value, None when it is missing for whatever reason."""
        value = self.value(name, entity)
        return None if isinstance(value, Missing) else value

    def entities(self, *kinds: Kind) -> list[Entity]:
        """Entities of these kinds, in the order of the snapshot."""
        return [e for e in self.snapshot.entities if e.kind in kinds]

    def rule(self, rule_id: str) -> Rule | None:
        """One of the rules; None when it is not among them."""
        return next((rule for rule in self.rules if rule.id == rule_id), None)

    def facts(self, entity: Entity) -> dict[str, str]:
        """What is known of an entity in words (version, model)."""
        return self._facts.get(entity, {})
