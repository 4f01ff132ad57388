"""What differs between the layers whose pages are read: kind of entity, prefix of its indicators, words for a person.

A table and nothing else. How a page is read is the same for all of them.
"""

from __future__ import annotations

from dataclasses import dataclass

from perfconsole.model.entity import Kind, Relation


@dataclass(frozen=True, slots=True)
class Layer:
    """One layer of targets that are polled over HTTP."""

    noun: str
    """What a target of it is called in a sentence."""
    kind: Kind
    prefix: str
    """First word of its indicators."""
    page_kind: str
    """Kind of the source that reads the page, as health lines show it."""
    moves: str
    """Counter whose jumps give several programs behind one address away."""
    has_process: Relation
    to_engine: Relation | None = None
    """How it is linked to the engines behind it."""
    health_routes: tuple[str, ...] = ()
    """Cheap routes to try in this order while the adapter names none; any answer but "no such page" settles it."""
    page_is_optional: bool = False
    """Many programs of the layer have no metrics page, and that is no fault."""
    named_by_adapter: bool = True
    """The adapter proves what the program is, so that it may give the target its name."""

    counts_connections: bool = False
    """Connections to its port stand for requests where its page does not say."""

    @property
    def stranger(self) -> str:
        """What to say of a page that no adapter takes."""
        return f"no {self.noun} that is known here has such a page"

    def name(self, noun: str) -> str:
        """Indicator of this layer."""
        return f"{self.prefix}.{noun}"


ENGINE = Layer(
    "engine",
    Kind.ENGINE,
    "engine",
    page_kind="metrics page",
    moves="engine.generation_tokens",
    has_process=Relation.ENGINE_HAS_PROCESS,
)
GATEWAY = Layer(
    "gateway",
    Kind.GATEWAY,
    "gateway",
    page_kind="gateway page",
    moves="gateway.requests",
    has_process=Relation.GATEWAY_HAS_PROCESS,
    to_engine=Relation.GATEWAY_TO_ENGINE,
    health_routes=("/health/liveliness", "/healthz", "/metrics"),
)
ORCHESTRATOR = Layer(
    "orchestrator",
    Kind.ORCHESTRATOR,
    "orchestration",
    page_kind="orchestrator page",
    moves="orchestration.requests",
    has_process=Relation.ORCHESTRATOR_HAS_PROCESS,
    to_engine=Relation.ORCHESTRATOR_TO_ENGINE,
    health_routes=("/health", "/healthz", "/metrics"),
    page_is_optional=True,
    named_by_adapter=False,  # any Python service may carry these names
    counts_connections=True,
)
