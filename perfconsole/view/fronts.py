"""What stands in front of the engines: whom it calls, and how its processes are."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfconsole.model.entity import BEHIND, Relation
from perfconsole.model.sample import Missing
from perfconsole.view.canvas import row
from perfconsole.view.readings import reading

if TYPE_CHECKING:
    from perfconsole.model.entity import Entity
    from perfconsole.view.canvas import Row
    from perfconsole.view.picture import Picture

_CALLS = (
    Relation.GATEWAY_TO_ENGINE,
    Relation.GATEWAY_TO_GATEWAY,
    Relation.ORCHESTRATOR_TO_ENGINE,
    Relation.ORCHESTRATOR_TO_GATEWAY,
)
_OWNS = (Relation.GATEWAY_HAS_PROCESS, Relation.ORCHESTRATOR_HAS_PROCESS)
_MOST_NAMES = 3
"""Names beyond which what it calls is counted."""
_STATE, _FDS = "process.state", "host.process_fd_ratio"


def calls(picture: Picture, entity: Entity) -> str:
    """`calls vllm:8000, vllm:8001`, `calls 8: ... and 5 more`; empty where nothing is known of it."""
    links = picture.snapshot.links
    called = (k for k in links if k.parent == entity and k.relation in _CALLS and k.role != BEHIND)
    names = list(dict.fromkeys(k.child.name for k in called))
    if not names:
        return ""
    if len(names) <= _MOST_NAMES:
        return f"calls {', '.join(names)}"
    return f"calls {len(names)}: {', '.join(names[:_MOST_NAMES])} and {len(names) - _MOST_NAMES} more"


def process_cells(picture: Picture, entity: Entity) -> list[Row]:
    """Processes that do not run as they should, then the share of descriptors of the one that has most in use."""
    links = picture.snapshot.links
    processes = {k.child for k in links if k.parent == entity and k.relation in _OWNS}
    if not processes:
        return []
    found = [i for p in processes if (i := picture.indicator(_FDS, p)) and not isinstance(i.value, Missing)]
    states = [f for f in picture.snapshot.facts if f.name == _STATE and f.value and f.entity in processes]
    words = [row((f"process {f.entity.name} {f.value}", "warn")) for f in states]
    return [*words, *([reading("fds", max(found, key=lambda i: i.value))] if found else [])]
