"""A situation: the figures of an incident or of a healthy host, held steady, and what they should be called."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from perfconsole.model.entity import Kind, Link

Figures = tuple[float | None, ...]
"""A value in base units for each entity of the indicator's scope, None where unknown; one alone holds for all."""
Course = tuple[tuple[float, float], ...]
"""(seconds, value) of an indicator that moved."""


@dataclass(frozen=True, slots=True)
class Expected:
    """What a situation must be called; the source of a score."""

    first: tuple[str, ...] = ()
    """Rules acceptable as the headline; empty: nothing of warn or above may stand."""
    present: tuple[str, ...] = ()
    """Rules that must hold as well, perhaps explained."""
    absent: tuple[str, ...] = ()
    """Rules that must not stand as a main cause of warn or above."""
    allowed: tuple[str, ...] = ()
    """Rules that may stand though nothing is expected."""


@dataclass(frozen=True, slots=True)
class Situation:
    """Figures of one moment, with where they come from."""

    id: str
    title: str = ""
    stated: Mapping[str, Figures] = field(default_factory=dict)
    """What was measured or reported, configuration included."""
    implied: Mapping[str, Figures] = field(default_factory=dict)
    """What follows from it, the number being a placeholder; replaces a stated figure of the same name."""
    base: Mapping[str, Figures] = field(default_factory=dict)
    """Healthy values."""
    base_implied: frozenset[str] = frozenset()
    """Names of `base` that were not reported."""
    texts: Mapping[str, tuple[str | None, ...]] = field(default_factory=dict)
    """Facts in words, as figures are given: one alone holds for all entities."""
    names: Mapping[Kind, tuple[str, ...]] = field(default_factory=dict)
    """How the entities are called, where that is known."""
    links: tuple[Link, ...] = ()
    """Which of them belong together; empty where all do."""
    courses: Mapping[str, Course] = field(default_factory=dict)
    held_s: float | None = None
    """How long the figures stood; None when for as long as anybody asks. A course may reach back further."""
    expected: Expected | None = None
    """None where nobody said: it cannot be scored."""
