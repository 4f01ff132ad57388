"""The search for targets on this host in plain words: what was looked at, what was not taken, and that it goes on."""

from __future__ import annotations

import re
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from perfconsole.model.snapshot import SourceState
from perfconsole.view.units import duration

if TYPE_CHECKING:
    from collections.abc import Mapping

    from perfconsole.model.snapshot import Snapshot, SourceHealth

DISCOVERY = "discovery"
"""Kind of the source that looks for targets; a snapshot without one has targets that were named, or none."""
SOUGHT = "engines, gateways and orchestrators of this host"
LOOKING = f"looking for {SOUGHT}"
NOUNS = {"gateway": "gateway", "orchestration": "orchestrator", "engine": "engine"}
"""What is looked for, by layer; the hardware is always there."""
FLAGS = {"gateway": "--gateway URL", "orchestration": "--orchestrator URL or PID", "engine": "--engine URL"}
"""How each is named by hand."""
_KINDS = re.compile(r"(engine|gateway|orchestrator)s \(([^()]*)\)")
"""How the search says which programs of a layer it knows."""
_SILENT = (SourceState.DOWN, SourceState.LATE)


class Search(NamedTuple):
    """What the search said last."""

    answered: bool
    """It looked at least once."""
    failed: str
    """Why it does not answer now; empty while it does."""
    looked: str
    """`looked at 23 listening ports and 214 processes of this host`; empty when it says nothing."""
    untaken: tuple[str, ...]
    """What was not taken, and why: a line each."""
    every: str
    """How often it looks: `2 s`."""
    kinds: Mapping[str, str] = MappingProxyType({})
    """Programs that it knows, by noun: `LiteLLM, nginx`."""


def search_of(snapshot: Snapshot) -> Search | None:
    """The search of this host; None where nobody looks."""
    source = next((s for s in snapshot.sources if s.kind == DISCOVERY), None)
    if source is None:
        return None
    failed = (source.reason or str(source.state)) if source.state in _SILENT else ""
    first = source.notes[0] if source.notes else ""
    looked = first.partition(" for engines")[0]
    kinds = dict(_KINDS.findall(first))
    return Search(source.answered, failed, looked, source.notes[1:], duration(source.cadence_s), kinds)


def none_found(search: Search, layer: str) -> str:
    """`no engine found: looked at 23 listening ports ...`, as far as the search got."""
    noun = NOUNS[layer]
    if search.failed:
        return f"no {noun} is known, and the search does not answer: {search.failed}"
    if not search.answered:
        return LOOKING
    kinds = f" ({search.kinds[noun]})" if noun in search.kinds else ""
    return f"no {noun}{kinds} found{': ' if search.looked else ''}{search.looked}"


def still_looking(search: Search) -> str:
    """How the search goes on, behind what it found; empty before it found anything out."""
    return f"; looking again every {search.every}" if search.answered and not search.failed else ""


def answers(source: SourceHealth) -> bool:
    """It has answered and is well."""
    return source.answered and source.state is SourceState.OK
