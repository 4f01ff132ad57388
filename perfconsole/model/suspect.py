"""A Python process whose stacks can be asked for."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Suspect:
    """One process, as far as it can be seen without touching it."""

    pid: int
    layer: str
    """gateway, orchestration, engine; empty for any other."""
    role: str
    """frontend, core, worker of an engine; empty for any other."""
    kind: str
    """Adapter that knows it (vllm, litellm); empty where none does."""
    title: str
    """Command line or title, without what may be secret in it."""
    cpu: float | None
    """Cores that it used just now; None where that was not measured."""
    threads: int
    python: str
    """Version of its Python; empty where it cannot be seen."""
