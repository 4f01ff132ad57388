"""A dictionary of a few names, for tests of lint."""

from __future__ import annotations

from perfconsole.model.dictionary.entry import Entry, Sort
from perfconsole.model.entity import Kind


class FewNames:
    """A dictionary of one gauge a scope, a counter, a histogram, an event and a text."""

    def __init__(self, own: str = "requests") -> None:
        sorts = {"engine.total": Sort.COUNTER, "engine.seen": Sort.EVENT, "engine.version": Sort.TEXT}
        scopes = {
            "gateway.own": Kind.GATEWAY,
            "orchestration.own": Kind.ORCHESTRATOR,
            "engine.own": Kind.ENGINE,
            "engine.rank": Kind.RANK,
            "host.process": Kind.PROCESS,
            "gpu.own": Kind.GPU,
            "host.own": Kind.HOST,
            "probe.own": Kind.TARGET,
            **dict.fromkeys(sorts, Kind.ENGINE),
        }
        self.entries = {
            name: Entry(name, sorts.get(name, Sort.GAUGE), own, scope, "") for name, scope in scopes.items()
        }
        self.entries["engine.total"] = Entry("engine.total", Sort.COUNTER, "requests", Kind.ENGINE, "")

    def find(self, name: str) -> Entry | None:
        """Entry of a name."""
        return self.entries.get(name)

    def readable(self, name: str) -> str | None:
        """Why a name cannot be read."""
        entry = self.entries.get(name)
        if entry is None:
            return f"unknown indicator {name!r}; nearest: engine.own"
        return f"{name} is text" if entry.sort is Sort.TEXT else None
