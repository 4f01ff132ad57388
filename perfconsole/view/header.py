"""The first and the last row of every page: where one is, how fresh it is, who does not answer, and the keys."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timezone
from typing import TYPE_CHECKING

from perfconsole.model.snapshot import SourceState
from perfconsole.view.canvas import Hit, Page, Row, Span, cells, clip, ends, fit, row, width
from perfconsole.view.discovery import DISCOVERY, answers
from perfconsole.view.plain import plain
from perfconsole.view.readings import packed
from perfconsole.view.spelling import spelled
from perfconsole.view.units import duration

if TYPE_CHECKING:
    from collections.abc import Sequence

    from perfconsole.model.snapshot import SourceHealth
    from perfconsole.view.picture import Picture


@dataclass(frozen=True, slots=True)
class Mode:
    """How the screen runs."""

    paused: bool = False
    pace_s: float = 0.0
    """Cadence set by hand; 0 leaves it to the sources."""
    utc_offset_s: float = 0.0
    stopped: str = ""
    """Why the picture stands still although nobody paused it."""
    message: str = ""
    """A word to the person (copied, nothing to open here) that stands for some seconds."""


def frame_rows(picture: Picture) -> int:
    """Rows around a page: header and footer, and what a simulation plays."""
    return 3 if picture.banner else 2


def framed(page: Page, picture: Picture, mode: Mode, keys: Sequence[tuple[str, str]], size: tuple[int, int]) -> Page:
    """The page between its header and its footer; `size` is columns and rows of the screen."""
    columns, height = size
    last, key_hits = footer(keys, columns, height - 1)
    head = [header(picture, mode, columns), *([_banner(picture, columns)] if picture.banner else [])]
    hits = (hit._replace(y=hit.y + len(head)) for hit in page.hits)
    return page._replace(rows=(*head, *page.rows, last), hits=(*hits, *key_hits))


def _banner(picture: Picture, columns: int) -> Row:
    """What a simulation plays, in a row of its own that nothing pushes away."""
    word, blank, rest = picture.banner.partition(" ")
    return fit(row(" ", (word, "simulated"), blank, spelled(rest, picture.glyphs)), columns, picture.glyphs.more)


def header(picture: Picture, mode: Mode, columns: int) -> Row:
    """Name, host, freshness, time, sources; what is wrong with the watching itself comes before what is well."""
    sources = picture.snapshot.sources
    name, host = row(("perfconsole", "head")), row(spelled(picture.host, picture.glyphs))
    clock = row((_clock(picture, mode), "dim"))
    bad = [s for s in sources if s.state in (SourceState.DOWN, SourceState.LATE)]
    answering = sum(map(answers, sources))
    count = row(("sources ", "dim"), (f"{answering}/{len(sources)}", "warn" if bad else ""))
    right = row(("?", "key"), (" help ", "dim"))
    room = columns - width(right) - 2
    pieces = (name, _mode(picture, mode), count, _trouble(picture, bad), clock, host)
    left = _said(picture, mode, name, room) if mode.message else packed(pieces, room)
    return ends((Span(" "), *left), right, columns, picture.glyphs.more)


def _said(picture: Picture, mode: Mode, name: Row, room: int) -> Row:
    """A word to the person takes the room of the rest; one that is too long is cut, never left out."""
    mark = picture.glyphs.more
    text = clip(spelled(plain(mode.message), picture.glyphs), room - width(name) - 2, mark)
    return packed((name, row((text, "info")), _mode(picture, mode)), room)


def _mode(picture: Picture, mode: Mode) -> Row:
    """Live and how often, or paused since when the world went on."""
    if mode.stopped:
        return row(("STOPPED", "critical"), (f" {spelled(plain(mode.stopped), picture.glyphs)}", "critical"))
    if mode.paused:
        return row(("PAUSED", "warn"), " space goes on")
    read = [s for s in picture.snapshot.sources if s.answered and s.kind != DISCOVERY]
    cadence = max((s.cadence_s for s in read), default=mode.pace_s)
    often = f" every {duration(cadence)}" if cadence else ""
    if picture.simulated:
        return row(("SIMULATED", "simulated"), often)
    return row((picture.source, "ok"), often)


def _clock(picture: Picture, mode: Mode) -> str:
    zone = timezone.utc  # noqa: UP017 - datetime.UTC has no fixed offset to shift
    return datetime.fromtimestamp(picture.snapshot.wall + mode.utc_offset_s, zone).strftime("%H:%M:%S")


def _trouble(picture: Picture, bad: Sequence[SourceHealth]) -> Row:
    """The first source that does not answer, since when, and how many more."""
    if not bad:
        return ()
    first = bad[0]
    word = "late" if first.state is SourceState.LATE else "down"
    silent_s = round(first.silent_s or 0.0)  # 0 for an answer that has little more in it than why it failed
    since = f" {duration(silent_s)}" if silent_s and word == "down" else ""
    more = f" +{len(bad) - 1}" if len(bad) > 1 else ""
    return row((spelled(f"! {plain(first.name)} {word}{since}{more}", picture.glyphs), "warn"))


def footer(keys: Sequence[tuple[str, str]], columns: int, y: int) -> tuple[Row, tuple[Hit, ...]]:
    """Keys that do something here, as many as fit, each answering to the mouse."""
    spans: list[Span] = [Span(" ")]
    hits: list[Hit] = []
    for key, what in keys:
        piece = (Span(key, "key"), Span(f" {what}", "dim"))
        start = width(spans) + (2 if hits else 0)
        if start + width(piece) > columns:
            continue
        spans += [Span("  "), *piece] if hits else piece
        hits.append(Hit(y, start, start + cells(key) + cells(what) + 1, ("key", key)))
    return fit(spans, columns), tuple(hits)
