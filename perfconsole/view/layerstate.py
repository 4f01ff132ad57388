"""How a layer is doing, in one word and one mark: from its findings first, then from what is seen of it at all."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from perfconsole.model.finding import State
from perfconsole.model.rule import Severity
from perfconsole.model.snapshot import SourceState
from perfconsole.view.layers import ENGINE_SOURCES, UNKNOWN, activity
from perfconsole.view.picture import KINDS

if TYPE_CHECKING:
    from perfconsole.model.finding import Finding
    from perfconsole.model.snapshot import SourceHealth
    from perfconsole.view.picture import Picture


class LayerState(NamedTuple):
    """A mark, the word for it and its style; the mark alone tells it without colour."""

    mark: str
    word: str
    style: str


_BY_SEVERITY = {
    Severity.CRITICAL: LayerState("x", "CRITICAL", "critical"),
    Severity.WARN: LayerState("!", "warning", "warn"),
    Severity.INFO: LayerState("i", "note", "info"),
}
DOWN = LayerState("x", "down", "critical")
OK = LayerState("", "ok", "ok")
UNWATCHED = LayerState("?", "not watched", "dim")
UNSEEN = LayerState("?", "no answer", "warn")
OPEN = LayerState("?", "state unknown", "dim")
SOURCE_KINDS = {
    "gateway": ("gateway", "gateway page"),
    "orchestration": ("orchestrator", "orchestrator page"),
    "engine": ENGINE_SOURCES,
    "hardware": ("host", "gpu", "nvml"),
}
"""Kinds of the sources that a layer cannot be seen without."""

_UP = {"gateway": "gateway.up", "orchestration": "orchestration.up", "engine": "engine.up", "hardware": "gpu.up"}


def layer_state(picture: Picture, layer: str) -> LayerState:
    """The worst of a layer's findings; without one, *ok* only where all is up and every source of the layer answers."""
    found = findings_of(picture, layer)
    if found:
        return _BY_SEVERITY[max((f.severity for f in found), key=lambda s: s.rank)]
    if any(picture.number(_UP[layer], e) == 0 for e in picture.entities(*KINDS[layer])):
        return DOWN
    sources = sources_of(picture, layer)
    if not sources and not picture.entities(*KINDS[layer]):
        return UNWATCHED
    if any(s.state is SourceState.DOWN or not s.answered for s in sources):
        return UNSEEN
    return OPEN if layer == "engine" and _silent(picture) else OK


def _silent(picture: Picture) -> bool:
    """Some engine answers with a page that does not say what it does."""
    engines = picture.entities(*KINDS["engine"][:1])
    return any(activity(e, picture.values) == UNKNOWN for e in engines)


def findings_of(picture: Picture, layer: str) -> list[Finding]:
    """Findings about the entities of a layer that speak now."""
    speaking = (State.PENDING, State.FIRING, State.UNDECIDED)
    return [f for f in picture.snapshot.findings if f.entity.kind in KINDS[layer] and f.state in speaking]


def sources_of(picture: Picture, layer: str) -> list[SourceHealth]:
    """The sources that a layer is read from."""
    return [s for s in picture.snapshot.sources if s.kind in SOURCE_KINDS[layer]]
