"""What can be probed of what is watched: URLs, and whose they are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from perfconsole.errors import UsageError
from perfconsole.model.entity import Kind
from perfconsole.sources.discovery.weblink import place_of
from perfconsole.sources.probetarget import is_unix

if TYPE_CHECKING:
    from perfconsole.model.entity import Entity
    from perfconsole.model.snapshot import Snapshot

_URLS = ("engine.url", "gateway.url")


@dataclass(frozen=True, slots=True)
class Place:
    """Something that can be probed."""

    url: str
    """Fit to be shown."""
    entity: Entity


def places(snapshot: Snapshot | None) -> tuple[Place, ...]:
    """Everything that can be probed: engines first, then what stands before them."""
    facts = [fact for fact in (snapshot.facts if snapshot else ()) if fact.name in _URLS]
    return tuple(Place(fact.value, fact.entity) for fact in sorted(facts, key=lambda f: _URLS.index(f.name)))


def entity_at(url: str, known: tuple[Place, ...]) -> Entity | None:
    """Whose the URL is, by whatever name of its host; None for a place that nobody watches."""
    return next((place.entity for place in known if spot(place.url) == spot(url)), None)


def engine_behind(url: str, known: tuple[Place, ...]) -> Entity | None:
    """The engine that a load on the URL comes to: the one there; behind a gateway or a socket the only one watched.

    None for another place: the numbers of some engine would be taken for those of what is loaded.
    """
    there = entity_at(url, known)
    if there is not None and there.kind is Kind.ENGINE:
        return there
    engines = [place.entity for place in known if place.entity.kind is Kind.ENGINE]
    return engines[0] if len(engines) == 1 and (there is not None or is_unix(url)) else None


def spot(url: str) -> tuple[str, int] | str:
    """Where a URL leads, the same for every name of this host; of a socket, or of what is no URL, its own text."""
    try:
        return place_of(url)
    except UsageError:
        return url
