"""What a gateway sends to one of those that it calls, by its own page."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from perfconsole.model.entity import Entity
    from perfconsole.model.sample import Missing


@dataclass(frozen=True, slots=True)
class Upstream:
    """One upstream of one gateway at one tick."""

    gateway: Entity
    name: str
    """As the gateway names it: `host:port` of a URL, or a name of its configuration."""
    target: Entity | None
    """The engine or gateway that is watched under that name; None where nobody knows."""
    place: str
    """Host and port of it, where the configuration of the gateway tells what the name means; empty otherwise."""
    rate: float | Missing
    """Requests a second over the last minute."""
    share: float | Missing
    """Of all that the gateway sent upstream in that minute, 0..1; missing while it sent nothing."""
    healthy: float | Missing
    """1 where the gateway takes it for healthy, 0 where not."""
    inflight: float | Missing
    """Requests that it holds now."""
