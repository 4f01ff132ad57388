"""The page of what cannot be seen: rules that lack data, layers that nobody watches, sources that do not answer."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from perfconsole.model.entity import Kind
from perfconsole.model.snapshot import SourceState
from perfconsole.view.canvas import row
from perfconsole.view.discovery import DISCOVERY, NOUNS, answers, search_of, still_looking
from perfconsole.view.layers import GPU_SOURCES, HOST_SOURCE, SOURCE_KINDS
from perfconsole.view.picture import KINDS, LAYERS
from perfconsole.view.scrolling import Block, Paper, scrolled
from perfconsole.view.units import MISSING_WORDS, duration
from perfconsole.view.wording import SEVERITY_MARK

if TYPE_CHECKING:
    from collections.abc import Iterator

    from perfconsole.model.finding import MissingOperand, Undecided
    from perfconsole.model.snapshot import Snapshot, SourceHealth
    from perfconsole.view.canvas import Cursor, Page, Row
    from perfconsole.view.discovery import Search
    from perfconsole.view.picture import Picture

MOST_WORDS = 5
"""Phrases on the main screen; the page has the rest."""
_MOST_REASONS = 2
_NO_SOURCE = "no source known"
_NOBODY = {
    "gateway": (
        "no gateway named",
        "what happens before a request reaches the engine stays unseen; give --gateway URL",
    ),
    "orchestration": ("no orchestrator named", "time in agents and tools stays unseen; give --orchestrator URL or PID"),
    "engine": ("no engine named", "nothing can be said about serving; give --engine URL"),
    "hardware": ("host not watched", "CPU, memory and processes stay unseen"),
}
_NO_GPU = ("no GPU source", "clocks, power, memory bandwidth and errors of the GPUs stay unseen")


class Unwatched(NamedTuple):
    """A layer, or a part of one, that no source fills."""

    layer: str
    short: str
    detail: str


def unseen_words(picture: Picture) -> list[str]:
    """What cannot be seen in a few short phrases: sources that fail, rules that lack data, layers without a source."""
    snapshot = picture.snapshot
    silent = [f"{s.name} {_state(s)}" for s in snapshot.sources if not answers(s) and not _begins(s)]
    phrases = [*silent, *_undecided_words(snapshot.undecided), *(u.short for u in unwatched(snapshot))]
    unlike = list(dict.fromkeys(phrases))
    if len(unlike) <= MOST_WORDS:
        return unlike
    return [*unlike[: MOST_WORDS - 1], f"{len(unlike) - MOST_WORDS + 1} more"]


def _undecided_words(undecided: tuple[Undecided, ...]) -> list[str]:
    """`2 rules undecided: no baseline`, with the commonest reasons."""
    if not undecided:
        return []
    reasons = Counter(MISSING_WORDS[m.reason] for u in undecided for m in u.missing)
    why = ", ".join(reason for reason, _ in reasons.most_common(_MOST_REASONS))
    return [f"{_rules(undecided)} undecided{': ' if why else ''}{why}"]


def _rules(undecided: tuple[Undecided, ...] | list[Undecided]) -> str:
    """How many rules; one rule may be undecided about several entities."""
    count = len({u.rule for u in undecided})
    return f"{count} rule{'s' * (count != 1)}"


def unwatched(snapshot: Snapshot) -> list[Unwatched]:
    """Layers without a source, in the order in which a request travels; the GPUs have a source of their own."""
    kinds = {e.kind for e in snapshot.entities}
    search = search_of(snapshot)
    found = [_unwatched(layer, search) for layer in LAYERS if not _has(layer, kinds, snapshot)]
    gpus = Kind.GPU in kinds or any(s.kind in GPU_SOURCES for s in snapshot.sources)
    return [*found, *([] if gpus else [Unwatched("hardware", *_NO_GPU)])]


def _unwatched(layer: str, search: Search | None) -> Unwatched:
    """By what was looked for, or by what nobody named."""
    short, detail = _NOBODY[layer]
    if search is None or layer not in NOUNS:
        return Unwatched(layer, short, detail)
    return Unwatched(layer, f"no {NOUNS[layer]} found{'' if search.answered else ' yet'}", detail)


def _has(layer: str, kinds: set[Kind], snapshot: Snapshot) -> bool:
    """Some entity of it, or a source that has not answered yet; a GPU or a process alone does not make a host."""
    hardware = layer == "hardware"
    wanted, sources = ((Kind.HOST,), (HOST_SOURCE,)) if hardware else (KINDS[layer], SOURCE_KINDS[layer])
    return not kinds.isdisjoint(wanted) or any(s.kind in sources for s in snapshot.sources)


def undecided_page(picture: Picture, cursor: Cursor, width: int, height: int) -> Page:
    """Everything that is not seen, and what would show it. It scrolls as scrolling.py says."""
    paper = Paper.of(width, picture.glyphs)
    blocks = [
        *_undecided_blocks(picture.snapshot, paper),
        *_layer_blocks(picture.snapshot, paper),
        *_search_blocks(picture.snapshot, paper),
        *_source_blocks(picture.snapshot, paper),
    ]
    blocks[0] = blocks[0]._replace(rows=blocks[0].rows[1:])  # the title needs no blank row below it
    title = row(("WHAT I CANNOT SEE", "head"), ("  missing data is not fine, it is unknown", "dim"))
    return scrolled(title, blocks, cursor, (width, height), picture.glyphs)


def _section(name: str, remark: str, paper: Paper) -> Block:
    return Block(("part", name), ((), *paper.text(f"{name}  {remark}", "head")))


def _undecided_blocks(snapshot: Snapshot, paper: Paper) -> Iterator[Block]:
    remark = "by the source that would decide them" if snapshot.undecided else "none"
    yield _section("UNDECIDED RULES", remark, paper)
    for source, members in _by_source(snapshot.undecided).items():
        name, _, how = source.partition(": ")
        heading = paper.text(f"{name}: {_rules([u for u, _ in members])}", "value", 2)
        yield Block(("source", source), (*heading, *(paper.text(how, "dim", 4) if how else ())))
        for undecided, lacks in members:
            target = ("undecided", undecided.rule, str(undecided.entity), source)
            yield Block(target, tuple(_undecided_rows(undecided, lacks, paper)))


def _by_source(undecided: tuple[Undecided, ...]) -> dict[str, list[tuple[Undecided, list[MissingOperand]]]]:
    """Each source with the rules that lack something of it; a rule that lacks several stands under each."""
    groups: dict[str, list[tuple[Undecided, list[MissingOperand]]]] = {}
    for item in undecided:
        own: dict[str, list[MissingOperand]] = {} if item.missing else {_NO_SOURCE: []}
        for lack in item.missing:
            own.setdefault(lack.source or _NO_SOURCE, []).append(lack)
        for source, lacks in own.items():
            groups.setdefault(source, []).append((item, lacks))
    return dict(sorted(groups.items(), key=lambda group: -len({u.rule for u, _ in group[1]})))


def _undecided_rows(undecided: Undecided, lacks: list[MissingOperand], paper: Paper) -> Iterator[Row]:
    mark = SEVERITY_MARK[undecided.severity]
    head = f"{mark} {undecided.title} [{undecided.rule}]  {undecided.entity}"
    yield from paper.text(head, str(undecided.severity), 4)
    for lack in lacks:
        yield from paper.text(f"{lack.name}: {MISSING_WORDS[lack.reason]}", "dim", 6)


def _layer_blocks(snapshot: Snapshot, paper: Paper) -> Iterator[Block]:
    found = unwatched(snapshot)
    yield _section("NOT WATCHED", "layers without a source" if found else "every layer has a source", paper)
    for item in found:
        text = f"{item.layer.upper()}: {item.short}; {item.detail}"
        yield Block(("unwatched", item.short), paper.text(text, "warn", 2))


def _search_blocks(snapshot: Snapshot, paper: Paper) -> Iterator[Block]:
    """What the search of this host looked at, and what of it was not taken, with the reason."""
    search = search_of(snapshot)
    if search is None:
        return
    remark = search.failed or (search.looked if search.answered else "the search has not answered yet")
    yield _section("DISCOVERY", f"{remark}{still_looking(search)}", paper)
    for place, note in enumerate(search.untaken):
        yield Block(("untaken", str(place)), paper.text(note, "dim", 2))


def _source_blocks(snapshot: Snapshot, paper: Paper) -> Iterator[Block]:
    """Sources that fail come before those that answer and have a remark; those of the search stand above."""
    failing = [s for s in snapshot.sources if not answers(s)]
    noted = [s for s in snapshot.sources if s not in failing and s.notes and s.kind != DISCOVERY]
    yield _section("SOURCES", _sources_words(snapshot, len(failing)), paper)
    for source in (*failing, *noted):
        yield Block(("health", source.name), tuple(_source_rows(source, paper)))


def _sources_words(snapshot: Snapshot, failing: int) -> str:
    count = len(snapshot.sources)
    return f"{count - failing} of {count} answer" if count else "there is none"


def _source_rows(source: SourceHealth, paper: Paper) -> Iterator[Row]:
    well = answers(source)
    words = "answers" if well else f"{_state(source)}{_since(source)}"
    yield from paper.text(f"{source.name} ({source.kind}): {words}", "" if well else "warn", 2)
    for note in dict.fromkeys(n for n in (source.reason, *source.notes) if n):
        yield from paper.text(note, "dim", 4)


def _begins(source: SourceHealth) -> bool:
    """The search has not looked yet, which the layers say."""
    return source.kind == DISCOVERY and source.state is SourceState.OK


def _state(source: SourceHealth) -> str:
    """Its state in a word; one that is well but never answered is waited for."""
    return "has not answered yet" if source.state is SourceState.OK else str(source.state)


def _since(source: SourceHealth) -> str:
    if source.silent_s is None:
        return "" if source.state is SourceState.OK else ", never answered"
    return f", last answer {duration(source.silent_s)} ago"
