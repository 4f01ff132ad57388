"""What limits serving now: the resources that can run full, fullest first, and those that nobody could see.

GPU utilisation is left out: it says that a kernel ran, not that the card was used. So is GPU memory, which engines fill
at their start, and power, which a busy card is meant to draw.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple

from perfconsole.model.dictionary.labels import label
from perfconsole.model.entity import Entity, Kind, Relation
from perfconsole.model.sample import Missing
from perfconsole.view.canvas import Row, Span, row
from perfconsole.view.layers import MARKS
from perfconsole.view.readings import joined
from perfconsole.view.units import MISSING_WORDS, shown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from perfconsole.view.picture import Picture

WARN, FULL = 0.80, 0.95
_SPINS = 0.80
"""Cores: a scheduler that polls the GPU keeps its thread this busy without being short of anything."""
_POLLING = ("core", "worker")
"""Roles of processes that poll the GPU or each other."""
_WORDS = {"warn": "nearly full", "critical": "bottleneck"}


@dataclass(frozen=True, slots=True)
class Resource:
    """One resource of one entity with the share of it that is in use."""

    word: str
    name: str
    """Indicator that it is read from."""
    entity: Entity
    value: float
    level: str | None = None
    """"warn" or "critical"."""

    @property
    def full(self) -> bool:
        """Nothing of it is left to speak of."""
        return self.level == "critical"


class Unseen(NamedTuple):
    """A resource without a value, and why, in words."""

    word: str
    reason: str


_RESOURCES = (
    ("engine.kv_cache_usage", Kind.ENGINE),
    ("engine.batch_fill", Kind.ENGINE),
    ("gpu.dram_active", Kind.GPU),
    ("host.cpu_utilization", Kind.HOST),
    ("host.cpu_busiest_core", Kind.HOST),
    ("host.mem_available_ratio", Kind.HOST),
    ("net.link_ratio", Kind.HOST),
    ("host.process_fd_ratio", Kind.PROCESS),
)
NOBODY = {
    Kind.GATEWAY: "no gateway is watched",
    Kind.ORCHESTRATOR: "no orchestrator is watched",
    Kind.RANK: "no rank is seen",
    Kind.ENGINE: "no engine is watched",
    Kind.GPU: "no GPU source",
    Kind.HOST: "no host source",
    Kind.PROCESS: "no process is watched",
}
"""Why nothing is known of a kind of entity of which there is none."""


def resources(picture: Picture) -> list[Resource]:
    """Every resource that has a value, fullest first; of equal ones the one nearer to the request."""
    found = [_resource(*piece) for piece in _readings(picture) if not isinstance(piece[3], str)]
    return sorted((r for r in found if r is not None), key=lambda r: -r.value)


def full_resources(picture: Picture) -> list[Resource]:
    """Those that are full or nearly so, fullest first."""
    return [r for r in resources(picture) if r.level]


def first_full(picture: Picture) -> Resource | None:
    """The fullest one, None while every resource that is seen has room."""
    return next(iter(full_resources(picture)), None)


def not_seen(picture: Picture) -> list[Unseen]:
    """Resources that some entity has no value for: without them nobody can say that nothing is full."""
    unseen: list[Unseen] = []
    for word, group in groupby(_readings(picture), key=lambda piece: piece[0]):
        readings = list(group)
        reasons = [value for *_, value in readings if isinstance(value, str)]
        if reasons:
            some = "" if len(reasons) == len(readings) else f" on {len(reasons)} of {len(readings)}"
            unseen.append(Unseen(word + some, ", ".join(dict.fromkeys(reasons))))
    return unseen


def _readings(picture: Picture) -> Iterator[tuple[str, str, Entity, float | str]]:
    """Word, indicator, entity, and the share in use or why it is not known; one piece where no entity is there."""
    for name, kind in _RESOURCES:
        word = label(name)
        entities = picture.entities(kind)
        if not entities:
            yield word, name, Entity(kind, ""), NOBODY[kind]
        for entity in entities:
            yield word, name, entity, _used(picture, name, entity)


def _used(picture: Picture, name: str, entity: Entity) -> float | str:
    found = picture.indicator(name, entity)
    if found is None:
        return "no source gives it"
    if isinstance(found.value, Missing):
        return MISSING_WORDS[found.value]
    if entity.kind is Kind.ENGINE and picture.number("engine.up", entity) == 0:
        return "the engine is down"  # what it held last is still known for some seconds, and limits nobody any more
    if name == "host.mem_available_ratio":
        return 1 - found.value
    return _free_core(picture, found.value, found.parts, entity) if name == "host.cpu_busiest_core" else found.value


def _free_core(picture: Picture, busiest: float, cores: tuple[tuple[str, float], ...], host: Entity) -> float | str:
    """The busiest core beside those that threads keep busy by polling; a spinning thread proves no shortage."""
    spinning = _spinning(picture, host)
    if not spinning:
        return busiest
    beside = sorted((value for _, value in cores), reverse=True)[spinning:]
    return beside[0] if beside else "a polling engine thread may spin on it"


def _spinning(picture: Picture, host: Entity) -> int:
    """Threads on this host that poll at nearly a whole core: one for each such process, or for each engine core."""
    links = picture.snapshot.links
    elsewhere = {k.child for k in links if k.relation is Relation.HOST_HAS and k.parent != host}
    here = [k for k in links if k.relation is Relation.ENGINE_HAS_PROCESS and k.parent not in elsewhere]
    polling = {k.child for k in here if k.role in _POLLING}
    processes = sum((picture.number("host.process_cpu", p) or 0.0) >= _SPINS for p in polling)
    engines = [e for e in picture.entities(Kind.ENGINE) if e not in elsewhere]
    return max(processes, sum((picture.number("engine.core_cpu", e) or 0.0) >= _SPINS for e in engines))


def _resource(word: str, name: str, entity: Entity, value: float | str) -> Resource | None:
    if isinstance(value, str):
        return None
    level = "critical" if value >= FULL else "warn" if value >= WARN else None
    return Resource(word, name, entity, value, level)


def resource_text(resource: Resource) -> str:
    """`KV cache 97% (bottleneck)`."""
    state = f" ({_WORDS[resource.level]})" if resource.level else ""
    return f"{resource.word} {shown(resource.value, 'ratio')}{state}"


def first_full_row(picture: Picture) -> Row:
    """`first full: KV cache 97% (bottleneck)`, with its entity where several could be meant; what else is full."""
    found = resources(picture)
    label = Span("first full: ", "dim")
    if not found:
        return (label, Span("not known, no resource is seen", "dim"))
    first = found[0]
    if not first.level:
        return (label, Span("none", "ok"), Span(f", fullest is {_placed(picture, first)}", "dim"))
    others = [r for r in found[1:] if r.full]
    then = f", also {', '.join(_placed(picture, r) for r in others[:2])}" if others else ""
    sign = MARKS[first.level]
    return row(label, (f"{_placed(picture, first)}{sign}", first.level), (then, "dim"))


def _placed(picture: Picture, resource: Resource) -> str:
    """With the entity where the picture has several of its kind."""
    several = len(picture.entities(resource.entity.kind)) > 1
    return f"{resource_text(resource)}{f' at {resource.entity}' if several else ''}"


def not_seen_row(picture: Picture) -> Row:
    """`not seen: GPU bandwidth (unsupported), network link (no host source)`; empty when all are seen."""
    unseen = not_seen(picture)
    if not unseen:
        return ()
    words = joined((row((f"{u.word} ({u.reason})", "dim")) for u in unseen), Span(", ", "dim"))
    return (Span("not seen: ", "dim"), *words)
