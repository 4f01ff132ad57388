"""The page of a recording: what it says, the flame graph, the box under the cursor, functions by their own time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from perfconsole.model.stackreading import Role
from perfconsole.stacks.framekind import short_file
from perfconsole.view.canvas import Hit, Page, Row, cells, clip, ends, fit, row
from perfconsole.view.flamegraph import LEGEND, Flame, base, graph_rows, place_words
from perfconsole.view.plain import plain
from perfconsole.view.spelling import spelled
from perfconsole.view.stackreport import free_words

if TYPE_CHECKING:
    from perfconsole.model.stackreading import Blocking, StackReading
    from perfconsole.view.glyphs import Glyphs

_SIDE = 118
"""Columns from which the table stands beside the graph."""
_TABLE = 46
_VERDICTS = 2
_LITTLE = 0.05

Rows = tuple[tuple[str, str, float, float], ...]
"""Function, file, share by itself and in all."""


@dataclass(frozen=True, slots=True)
class Shown:
    """What the page is drawn from."""

    title: str
    reading: StackReading | None
    """None while it is worked out."""
    flame: Flame
    table: Rows
    inverted: bool = False


def flame_page(shown: Shown, width: int, height: int, glyphs: Glyphs) -> Page:
    """The page, exactly `height` rows."""
    said = [row((spelled(plain(f"{shown.title}{_inverted(shown)}"), glyphs), "head")), *_verdicts(shown, glyphs)]
    under = _under(shown, width, glyphs)
    beside = width >= _SIDE
    columns, rows = graph_size(width, height, len(said) + len(under))
    table = 0 if beside else height - len(said) - len(under) - rows
    drawn, hits = graph_rows(shown.flame, columns, rows, glyphs)
    side = list(_table(shown, _TABLE - 2, rows, glyphs)) if beside else []
    graph = [
        (*line, *row("  "), *(side[y] if y < len(side) else ())) if beside else line for y, line in enumerate(drawn)
    ]
    below = list(_table(shown, width, table, glyphs)) if table > 0 else []
    lines = [*said, *graph, *under, *below]
    lines += [()] * (height - len(lines))
    moved = (Hit(hit.y + len(said), hit.x0, hit.x1, hit.target) for hit in hits)
    seen = tuple(hit for hit in moved if hit.y < height)
    return Page(tuple(fit(line, width, glyphs.more) for line in lines[:height]), seen, ())


def graph_size(width: int, height: int, taken: int) -> tuple[int, int]:
    """Columns and rows of the graph itself, where so many rows around it are taken."""
    room = max(1, height - taken)
    if width >= _SIDE:
        return width - _TABLE, room
    return width, max(1, room - min(8, max(0, room // 4)))


def taken_rows(shown: Shown, width: int, glyphs: Glyphs) -> int:
    """Rows around the graph and the table."""
    return 1 + len(_verdicts(shown, glyphs)) + len(_under(shown, width, glyphs))


def _inverted(shown: Shown) -> str:
    return "  INVERTED: innermost functions on top" if shown.inverted else ""


def _verdicts(shown: Shown, glyphs: Glyphs) -> list[Row]:
    """What blocks, in at most two rows; else that nothing does, or why that cannot be said."""
    if shown.reading is None:
        return [row(("reading the stacks", "dim"))]
    told = [found for found in shown.reading.blocking if found.share >= _LITTLE][:_VERDICTS]
    if told:
        return [_verdict(found, glyphs) for found in told]
    loop = next((thread for thread in shown.reading.threads if thread.role is Role.EVENT_LOOP), None)
    if loop and "profile.blocked_loop_ratio" in shown.reading.shares:
        return [row((free_words(loop.idle), "" if loop.idle < _LITTLE else "ok"))]
    return [row((spelled(shown.reading.limits[0], glyphs), "dim"))] if shown.reading.limits else []


def _verdict(found: Blocking, glyphs: Glyphs) -> Row:
    where = (
        f"{found.user.function} {short_file(found.user.file)}:{found.user.line}"
        if found.user
        else "no line of your own code"
    )
    words = f"{found.kind}: {where}  {'waits in' if found.waits else ''} {found.call}"
    return row(
        (f"{found.share:4.0%} ", "value"), (spelled(plain(words), glyphs), "critical" if found.waits else "warn")
    )


def _under(shown: Shown, width: int, glyphs: Glyphs) -> list[Row]:
    """The box under the cursor, and the word that is searched."""
    flame = shown.flame
    node = flame.at[-1]
    whole = base(flame)
    of = "of its thread" if flame.focus[-1] is not flame.root and whole != flame.root.total else "in all"
    share = f"{node.total / whole:.1%} {of}, {node.self_weight / whole:.1%} itself"
    if flame.compared:
        share += f", before {node.before / whole:.1%}"
    name = spelled(plain(node.name), glyphs)
    place = spelled(plain(place_words(node)), glyphs)
    room = max(10, width - cells(share) - 4)
    head = ends(row((clip(f"{name}  {place}", room, glyphs.more), "value")), row((share, "")), width)
    word = f"search {flame.word!r}: {flame.share:.1%} of the samples pass through it" if flame.word else LEGEND
    return [head, row((spelled(word, glyphs), "info" if flame.word else "dim"))]


def _table(shown: Shown, width: int, height: int, glyphs: Glyphs) -> list[Row]:
    """Functions by their own time."""
    rows = [row((f"{'SELF':>6} {'ALL':>6}  FUNCTION", "head"))]
    for name, file, own, whole in shown.table[: max(0, height - 1)]:
        where = spelled(plain(f"{name}  {file.rpartition('/')[2]}"), glyphs)
        rows.append(row((f"{own:6.1%} {whole:6.1%}  {clip(where, max(1, width - 15), glyphs.more)}", "")))
    return rows[:height]
