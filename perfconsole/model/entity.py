"""What is measured: the things of the four layers, and the typed links between them."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple


class Kind(StrEnum):
    """Kinds of entity; also the scopes of indicators and rules."""

    GATEWAY = "gateway"
    ORCHESTRATOR = "orchestrator"
    ENGINE = "engine"
    RANK = "rank"
    PROCESS = "process"
    GPU = "gpu"
    HOST = "host"
    TARGET = "target"
    """Whatever an action (probe, profile) was started for; only indicators have this scope."""


class Entity(NamedTuple):
    """One measured thing, written `kind/name` outside the program.

    A named tuple because it is part of nearly every key: a tuple hashes in C, a dataclass in Python (4,000 times a
    tick).
    """

    kind: Kind
    name: str

    def __str__(self) -> str:
        return f"{self.kind}/{self.name}"

    @staticmethod
    def parse(text: str) -> Entity:
        """Read `kind/name`; ValueError names what is wrong."""
        kind, slash, name = text.partition("/")
        kinds = [k for k in Kind if k is not Kind.TARGET]
        if not slash or not name or kind not in kinds:
            raise ValueError(f"{text!r} is not KIND/NAME (kinds: {', '.join(kinds)})")
        return Entity(Kind(kind), name)


class Relation(StrEnum):
    """How one entity belongs to another; the narrower or later one stands second in a link."""

    ENGINE_USES_GPU = "engine-uses-gpu"
    ENGINE_HAS_PROCESS = "engine-has-process"
    ENGINE_HAS_RANK = "engine-has-rank"
    GATEWAY_HAS_PROCESS = "gateway-has-process"
    GATEWAY_TO_ENGINE = "gateway-to-engine"
    ORCHESTRATOR_HAS_PROCESS = "orchestrator-has-process"
    ORCHESTRATOR_TO_ENGINE = "orchestrator-to-engine"
    GATEWAY_TO_GATEWAY = "gateway-to-gateway"
    GATEWAY_TO_ORCHESTRATOR = "gateway-to-orchestrator"
    """One of these says that what it sends does not come to the engines as it is."""
    ORCHESTRATOR_TO_GATEWAY = "orchestrator-to-gateway"
    """Only to the gateway that is called itself: its requests are the calls. Engines are linked through all of them."""
    HOST_HAS = "host-has"


BEHIND = "behind"
"""Role of an engine that is not called itself: requests come to it through a gateway that is."""


@dataclass(frozen=True, slots=True, order=True)
class Link:
    """A typed link; `role` tells processes of one engine apart, and says what a gateway calls those that it calls."""

    relation: Relation
    parent: Entity
    child: Entity
    role: str = ""
