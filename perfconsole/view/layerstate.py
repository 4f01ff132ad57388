"""How a layer is doing, in one word and one mark: from its findings first, then from what is seen of it at all."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from perfconsole.model.entity import Kind
from perfconsole.model.finding import State
from perfconsole.model.rule import Severity
from perfconsole.model.snapshot import SourceState
from perfconsole.view.discovery import NOUNS, search_of
from perfconsole.view.layers import GPU_PAGE, HOST_SOURCE, SOURCE_KINDS, UNKNOWN, activity, health_of
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
HOST_ONLY = LayerState("", "host ok, GPUs not seen", "ok")
GPUS_ONLY = LayerState("", "GPUs ok, host not seen", "ok")
UNWATCHED = LayerState("?", "not watched", "dim")
UNSEEN = LayerState("?", "no answer", "warn")
OPEN = LayerState("?", "state unknown", "dim")
LOOKING = LayerState("?", "looking", "dim")
NONE_FOUND = LayerState("?", "none found", "dim")

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
        return _sought(picture, layer)
    if any(s.state is SourceState.DOWN or not s.answered for s in sources if s.kind != GPU_PAGE):
        return UNSEEN  # the page of an exporter only stands in for the driver: the layer is seen without it
    if not picture.snapshot.judged:
        return OPEN  # no rule has looked at it yet
    if layer == "hardware":
        return _hardware(picture, sources)
    return OK if _all_up(picture, layer) and not (layer == "engine" and _silent(picture)) else OPEN


def _sought(picture: Picture, layer: str) -> LayerState:
    """A layer without anything in it: nobody looks for it, or how far the search is."""
    search = search_of(picture.snapshot)
    if search is None or layer not in NOUNS:
        return UNWATCHED
    return UNSEEN if search.failed else NONE_FOUND if search.answered else LOOKING


def _hardware(picture: Picture, sources: list[SourceHealth]) -> LayerState:
    """Whether the host answers, and its GPUs where there are any; what of the two is not seen is said."""
    gpus = picture.entities(Kind.GPU)
    seen = all(picture.number("gpu.up", gpu) == 1 for gpu in gpus)
    hosts = [s for s in sources if s.kind == HOST_SOURCE]
    if not hosts:
        return GPUS_ONLY if gpus and seen else OPEN
    if not seen or any(s.state is not SourceState.OK for s in hosts):
        return OPEN
    return OK if gpus else HOST_ONLY


def _all_up(picture: Picture, layer: str) -> bool:
    """Everything that the layer consists of is known to be up, and no health route of it complains."""
    routes = (health_of(picture.snapshot, s) for s in sources_of(picture, layer))
    ill = any(route and (route.state is SourceState.DOWN or route.notes) for route in routes)
    entities = picture.entities(*KINDS[layer][:1])
    return bool(entities) and all(picture.number(_UP[layer], e) == 1 for e in entities) and not ill


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
