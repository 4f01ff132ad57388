"""A saved profile: what one engine, gateway, orchestrator, host or GPU was like while it was well."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from perfconsole.model.entity import Kind

Setting = tuple[str, float | str]
"""Name of a part of the configuration, and its value in base units or in words."""


@dataclass(frozen=True, slots=True)
class Identity:
    """Whose figures they are. What nobody stated is empty, and then says nothing about being equal."""

    kind: Kind
    adapter: str
    """Program: `vllm`, `litellm`; empty for hosts and GPUs."""
    model: str
    """Served model of an engine, product name of a GPU."""
    build: str
    config: tuple[Setting, ...]
    """The effective configuration that matters, by name."""
    entity: str
    """Name of the entity; of an engine it only decides between profiles that fit equally well."""


@dataclass(frozen=True, slots=True)
class HealthyValue:
    """One figure of a profile in base units."""

    name: str
    """Indicator, of a histogram with its suffix."""
    value: float
    unit: str
    whole: bool
    """Quantile or mean over the whole healthy stretch; otherwise the median of its minutes."""
    client: bool = False
    """Measured by the client of a probe, and not by the engine itself."""


@dataclass(frozen=True, slots=True)
class Profile:
    """Healthy figures of one entity, and how much they rest on."""

    name: str
    """Given by the person; several entities saved in one run share it."""
    identity: Identity
    values: tuple[HealthyValue, ...]
    healthy_s: float
    """Seconds of the run in which nothing was wrong with the entity."""
    requests: float | None
    """Requests that ended in these seconds; None where the entity does not count requests."""
    wall: float
    """Epoch seconds at the end of the run."""
    host: str
    """Where the console ran."""
    tool: str
    """Version that saved it."""
    despite: tuple[str, ...] = ()
    """Rules whose findings stood when it was saved all the same."""
    probe: str = ""
    """What the requests of a probe were, one at a time, where the figures come from one; empty for watched traffic."""
