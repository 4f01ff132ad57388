"""Where the time of a typical request goes, part by part, in means of the last minute.

Means, because parts add up to a total only as means; p50 and p95 of the total stand beside.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import isfinite
from typing import TYPE_CHECKING

from perfconsole.model.entity import Entity, Kind, Relation
from perfconsole.model.sample import Missing
from perfconsole.view.agentbill import work_of
from perfconsole.view.canvas import Row, Span, row, width
from perfconsole.view.readings import joined
from perfconsole.view.spelling import fitted
from perfconsole.view.units import MISSING_WORDS, shown

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from perfconsole.view.glyphs import Glyphs
    from perfconsole.view.picture import Picture

BAR_COLUMNS = 76
"""Below that a bar would show little and cost a row that others need."""
_LEAST_BAR = 24
NOT_SEEN = "not seen"
_BELOW = "<1 ms"
"""What a remainder below zero is shown as: the means do not cover the very same requests."""
_NAMES = {"orchestration": "agents", "outside": "outside engine"}
"""Names of parts where the kind itself would say less: *outside* alone reads like output."""
_ASIDE = ("tools", "retrieval", "building")
"""Work of a task outside the engines."""
_FRONT_END = "front-end"
"""What is outside of queue and prefill where nothing stands before the engine."""
_ONE_UNIT_S = 10.0
"""Longest part up to which a short bill is in ms."""
_TWO_DIGITS = 99.5
_FILLS = {
    "gateway": ("░", "g", "info"),
    "orchestration": ("▒", "o", "ok"),
    "aside": ("▞", "t", "ok"),
    "outside": ("·", ".", "dim"),
    "queue": ("▓", "q", "warn"),
    "prefill": ("█", "p", "key"),
    "decode": ("▄", "d", "spark"),
}
"""Character of each part in UTF-8 and in ASCII, and its style: parts differ without colour too."""


@dataclass(frozen=True, slots=True)
class Part:
    """One part of the bill: its seconds, or why they are not known."""

    kind: str
    """Which part: gateway, orchestration, aside, outside, queue, prefill or decode."""
    value: float | str
    label: str = ""
    clamped: bool = False
    """A difference that came out below zero."""

    @property
    def seconds(self) -> float:
        """Length in the bar; 0 for a part that is not known."""
        return 0.0 if isinstance(self.value, str) else self.value

    def words(self) -> str:
        """The value in words, or the reason why there is none."""
        if isinstance(self.value, str):
            return self.value
        return _BELOW if self.clamped else shown(self.value, "s")


@dataclass(frozen=True, slots=True)
class Bill:
    """The bill of one engine call, with what is known of its total."""

    engine: Entity
    parts: tuple[Part, ...]
    total: tuple[str, Entity]
    """Base name of the histogram of the whole, and whose it is."""
    calls: float | None
    """Engine calls that one task of an agent takes."""


def busiest(picture: Picture) -> Entity | None:
    """The engine that holds most requests, the first of equals."""
    return max(picture.entities(Kind.ENGINE), key=lambda e: _held(picture, e), default=None)


def _held(picture: Picture, engine: Entity) -> float:
    names = ("engine.requests_running", "engine.requests_waiting")
    return sum(picture.number(name, engine) or 0.0 for name in names)


def bill(picture: Picture) -> Bill | None:
    """The bill of the busiest engine; None where no engine is watched."""
    engine = busiest(picture)
    if engine is None:
        return None
    gateway = _before(picture, engine, Relation.GATEWAY_TO_ENGINE, Kind.GATEWAY)
    orchestrator = _before(picture, engine, Relation.ORCHESTRATOR_TO_ENGINE, Kind.ORCHESTRATOR)
    first = _gateway(picture, engine, gateway, alone=orchestrator is None)
    aside, (second, calls) = _aside(picture, orchestrator), _orchestration(picture, orchestrator)
    queue, prefill = (Part(k, _mean(picture, f"engine.{k}_time", engine)) for k in ("queue", "prefill"))
    outside = _outside(picture, engine, gateway, (first, queue, prefill))
    whole = ("engine.e2e", engine)
    if gateway and picture.number("gateway.latency.p50", gateway) is not None:
        whole = ("gateway.latency", gateway)
    parts = (first, second, *aside, outside, queue, prefill, _decode(picture, engine))
    return Bill(engine, parts, whole, calls)


def _before(picture: Picture, engine: Entity, relation: Relation, kind: Kind) -> Entity | None:
    """What stands before the engine: by a link, or the only one there is."""
    linked = [k.parent for k in picture.snapshot.links if k.relation is relation and k.child == engine]
    found = linked or picture.entities(kind)
    return found[0] if linked or len(found) == 1 else None


def _mean(picture: Picture, name: str, entity: Entity | None) -> float | str:
    """Mean of a histogram, or in words why it is missing."""
    found = picture.indicator(f"{name}.mean", entity) if entity else None
    if found is None:
        return NOT_SEEN
    return MISSING_WORDS[found.value] if isinstance(found.value, Missing) else found.value


def _gateway(picture: Picture, engine: Entity, gateway: Entity | None, *, alone: bool) -> Part:
    """Its own processing; else what its latency has over the engine's, where nothing else stands between them."""
    own = _mean(picture, "gateway.overhead", gateway)
    if isinstance(own, str) and alone:
        return _difference("gateway", _mean(picture, "gateway.latency", gateway), _mean(picture, "engine.e2e", engine))
    return Part("gateway", own)


def _orchestration(picture: Picture, orchestrator: Entity | None) -> tuple[Part, float | None]:
    """What one task takes beside its engine calls and the work that is billed apart, spread over the calls.

    Not guessed where their number is unknown.
    """
    task = _mean(picture, "orchestration.latency", orchestrator)
    call = _mean(picture, "orchestration.llm_call_latency", orchestrator)
    calls = picture.number("orchestration.llm_calls_per_task", orchestrator) if orchestrator else None
    if isinstance(task, str) or isinstance(call, str):
        return Part("orchestration", next(v for v in (task, call) if isinstance(v, str))), calls
    if not calls or calls <= 0:
        return Part("orchestration", "calls per task not known"), None
    apart = sum(part.seconds for part in _aside(picture, orchestrator))
    return _difference("orchestration", task / calls, call + apart), calls


def _aside(picture: Picture, orchestrator: Entity | None) -> tuple[Part, ...]:
    """Tools, retrieval and building of prompts of one task, spread over its engine calls; nothing where not known."""
    if orchestrator is None:
        return ()
    calls = picture.number("orchestration.llm_calls_per_task", orchestrator)
    items = work_of(picture, orchestrator)[1:]
    known = [(words, s) for words, item in zip(_ASIDE, items, strict=True) if (s := item.seconds)]
    if not calls or calls <= 0 or not known:
        return ()
    label = known[0][0] if len(known) == 1 else f"{known[0][0]} etc."
    return (Part("aside", sum(s for _, s in known) / calls, label),)


def _outside(picture: Picture, engine: Entity, gateway: Entity | None, billed: tuple[Part, Part, Part]) -> Part:
    """Time to the first token, as near to the caller as it is seen, less what is billed of it already.

    Where queue or prefill is not known it is the rest of the time to the first token and says so.
    """
    first, queue, prefill = billed
    ttft = _mean(picture, "gateway.ttft", gateway)
    before = first.seconds
    if isinstance(ttft, str):
        ttft, before = _mean(picture, "engine.ttft", engine), 0.0
    rest = any(isinstance(part.value, str) for part in (queue, prefill))
    label = "rest of TTFT" if rest else "" if gateway else _FRONT_END
    return _difference("outside", ttft, before + queue.seconds + prefill.seconds, label)


def _decode(picture: Picture, engine: Entity) -> Part:
    """First to last token; where the engine does not say it, its total less its time to the first token."""
    own = _mean(picture, "engine.decode_time", engine)
    if not isinstance(own, str):
        return Part("decode", own)
    rest = _difference("decode", _mean(picture, "engine.e2e", engine), _mean(picture, "engine.ttft", engine))
    return Part("decode", own) if isinstance(rest.value, str) else rest


def _difference(kind: str, whole: float | str, taken: float | str, label: str = "") -> Part:
    """Whole less what is taken from it, never below zero."""
    if isinstance(whole, str) or isinstance(taken, str):
        return Part(kind, whole if isinstance(whole, str) else str(taken), label)
    return Part(kind, max(whole - taken, 0.0), label, clamped=whole < taken)


def time_bill(picture: Picture, columns: int) -> list[Row]:
    """One row of labelled parts, and a second with the parts drawn to scale where there is room."""
    found = bill(picture)
    if found is None:
        return [fitted(row(("TIME BILL", "head"), ("  no engine is watched", "dim")), columns, picture.glyphs)]
    note, total = row((_note(picture, found), "dim")), _total(picture, found)
    labels, complete = _labels(found, note, total, columns)
    rows = [fitted(labels, columns, picture.glyphs)]
    if columns >= BAR_COLUMNS and any(part.seconds for part in found.parts):
        tail = () if complete else _tail(note, total, columns)
        rows.append(fitted(_second(picture, found, columns, tail), columns, picture.glyphs))
    return rows


def _labels(found: Bill, note: Row, total: Row, columns: int) -> tuple[Row, bool]:
    """The most telling of several wordings that still fits, the shortest is cut; and whether it says all there is."""
    title, parts = row(("TIME BILL", "head")), _gathered(found.parts)
    most = joined((title, note, _parts(parts), total))
    if width(most) <= columns:
        return most, True
    draft: Row = ()
    for draft in _drafts(title, parts, columns):
        if width(draft) <= columns:
            break
    return draft, False


def _drafts(title: Row, parts: Sequence[Part], columns: int) -> Iterator[Row]:
    """Ever shorter ones: with the unit once, in front, numbers are shorter and easier to compare as well."""
    if columns >= BAR_COLUMNS:  # the second row says what kind of mean this is
        yield joined((title, _parts(parts)))
    unit, factor = ("ms", 1e3) if max(p.seconds for p in parts) < _ONE_UNIT_S else ("s", 1.0)
    means = "" if columns >= BAR_COLUMNS else "mean "
    together = _together(parts)
    forms = (("TIME BILL", " | ", parts), ("BILL", " | ", parts), ("BILL", "|", parts), ("BILL", "|", together))
    for name, gap, told in forms:
        pieces = [row((f"{_brief(p)} ", "dim"), _figure(p, factor)) for p in told]
        yield (*row((f"{name} ", "head"), (f"{means}{unit}  ", "dim")), *joined(pieces, Span(gap, "dim")))


def _together(parts: Sequence[Part]) -> list[Part]:
    """Tools and the like with the agents that use them: one part where two have no room."""
    own = next((p for p in parts if p.kind == "orchestration"), None)
    aside = next((p for p in parts if p.kind == "aside"), None)
    if own is None or aside is None:
        return list(parts)
    both = replace(own, value=own.seconds + aside.seconds, clamped=False)
    return [both if p is own else p for p in parts if p is not aside]


def _brief(part: Part) -> str:
    return "outside" if part.label == _NAMES["outside"] else part.label


def _figure(part: Part, factor: float) -> Span:
    """Two digits are enough to see what is large."""
    if isinstance(part.value, str):
        return Span(part.value, "dim")
    value = part.value * factor
    return Span(
        "<1" if part.clamped and factor > 1 else f"{value:.0f}" if value >= _TWO_DIGITS else f"{value:.2g}", "value"
    )


def _note(picture: Picture, found: Bill) -> str:
    several = len(picture.entities(Kind.ENGINE)) > 1
    return f"mean of the last minute{f' of {found.engine.name}' if several else ''}"


def _gathered(parts: Sequence[Part]) -> list[Part]:
    """Parts under their names; those that are missing for one reason share it, at the end."""
    named = [replace(p, label=p.label or _NAMES.get(p.kind, p.kind)) for p in parts]
    reasons: dict[str, list[str]] = {}
    for part in named:
        if isinstance(part.value, str):
            reasons.setdefault(part.value, []).append(_brief(part))
    known = [p for p in named if not isinstance(p.value, str)]
    return [*known, *(Part("", reason, ", ".join(names)) for reason, names in reasons.items())]


def _parts(parts: Sequence[Part]) -> Row:
    """`gateway 0.1 s | queue 2.1 s`."""
    return joined((_piece(p) for p in parts), Span(" | ", "dim"))


def _piece(part: Part) -> Row:
    missing = isinstance(part.value, str)
    return row((f"{part.label} ", "dim"), (part.words(), "dim" if missing else "value"))


def _total(picture: Picture, found: Bill) -> Row:
    """`total p50 2.3 s p95 4.5 s at the engine`, and how many calls make a task."""
    name, entity = found.total
    words = [f"{q} {_quantile(picture, f'{name}.{q}', entity)}" for q in ("p50", "p95")]
    calls = "" if found.calls is None else f"; one task = {shown(found.calls, 'count')} engine calls"
    return row(("total ", "dim"), (" ".join(words), "value"), (f" at the {entity.kind}{calls}", "dim"))


def _quantile(picture: Picture, name: str, entity: Entity) -> str:
    found = picture.indicator(name, entity)
    return NOT_SEEN if found is None else shown(found.value, found.unit)


def _tail(note: Row, total: Row, columns: int) -> Row:
    """What kind of mean this is and the total, as much of it as leaves room for the bar."""
    brief = row(("1-min means", "dim"))
    tails = (joined((note, total)), joined((brief, total)), joined((brief, total[:2])), brief)
    return next((t for t in tails if columns - width(t) > _LEAST_BAR), brief)


def _second(picture: Picture, found: Bill, columns: int, tail: Row) -> Row:
    """The bar to scale, and beside it what the first row does not say."""
    space = columns - width(tail) - 2 if tail else columns
    return joined((_bar(found.parts, space, picture.glyphs), tail))


def _bar(parts: Sequence[Part], columns: int, glyphs: Glyphs) -> Row:
    """Parts side by side, each as long as its share; every known part that takes time has at least one column."""
    known = [p for p in parts if p.seconds > 0]
    sizes = _sizes([p.seconds for p in known], columns)
    return tuple(_segment(part, size, glyphs) for part, size in zip(known, sizes, strict=True) if size)


def _sizes(seconds: Sequence[float], columns: int) -> list[int]:
    """Whole columns that sum up to what there is; the longest part takes what rounding leaves."""
    total = sum(seconds)
    if not total or not isfinite(total) or columns < len(seconds):
        return [0] * len(seconds)
    sizes = [max(1, round(s / total * columns)) for s in seconds]
    sizes[sizes.index(max(sizes))] += columns - sum(sizes)
    return sizes


def _segment(part: Part, size: int, glyphs: Glyphs) -> Span:
    """A stretch of the part's character with its name in it where that fits."""
    utf8, plain, style = _FILLS[part.kind]
    fill = plain if glyphs.bars.isascii() else utf8
    name = f" {part.label or _NAMES.get(part.kind, part.kind)} "
    if size < len(name) + 2:
        return Span(fill * size, style)
    left = (size - len(name)) // 2
    return Span(fill * left + name + fill * (size - left - len(name)), style)
