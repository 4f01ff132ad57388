"""The page before and during a recording: which process, what will be run, what it costs, how much time is left."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from perfconsole.view.canvas import Hit, Page, Row, cells, clip, fit, row, window
from perfconsole.view.plain import plain
from perfconsole.view.scrolling import Paper
from perfconsole.view.sparks import bar
from perfconsole.view.spelling import spelled
from perfconsole.view.suspects import HEADS, suspect_row

if TYPE_CHECKING:
    from collections.abc import Sequence

    from perfconsole.model.flameplan import FlamePlan
    from perfconsole.model.suspect import Suspect
    from perfconsole.view.canvas import Cursor
    from perfconsole.view.glyphs import Glyphs

_BAR = 40


@dataclass(frozen=True, slots=True)
class Choice:
    """What the page is drawn from."""

    suspects: tuple[Suspect, ...] | None
    """None while they are looked for."""
    plan: FlamePlan | None = None
    """For the process under the cursor; None where there is none."""
    command: str = ""
    refused: str = ""
    """Why that process cannot be recorded, and what helps."""
    asked: bool = False
    """It stops the process for each sample: a second key must confirm it."""
    why: str = ""
    """The finding that asks for it."""
    took_s: float | None = None
    """How long it has been recording; None before."""
    trouble: str = ""
    """How the last recording failed."""
    title: str = "FLAME GRAPH OF WHICH PROCESS?  enter records it"


def choice_page(choice: Choice, cursor: Cursor, size: tuple[int, int], glyphs: Glyphs) -> Page:
    """The page; items are ("suspect", pid)."""
    width, height = size
    paper = Paper.of(width, glyphs)
    below = [r for rows in _below(choice, paper) for r in rows]
    items = tuple(("suspect", str(s.pid)) for s in choice.suspects or ())
    place = cursor.place(items)
    room = max(1, height - 2 - len(below))
    first = window(place, len(items), room)
    head = row((_title(choice), "head"))
    table = [row((f"  {HEADS}", "dim"))] if items else [row((_nobody(choice), "warn"))]
    listed = list(enumerate(choice.suspects or ()))[first : first + room]
    rows = [_suspect(s, number == place, width, glyphs) for number, s in listed]
    hits = tuple(Hit(2 + y, 0, width, items[number]) for y, (number, _) in enumerate(listed) if 2 + y < height)
    lines = [head, *table, *rows, *below]
    lines += [()] * (height - len(lines))
    return Page(tuple(fit(line, width, glyphs.more) for line in lines[:height]), hits, items)


def _title(choice: Choice) -> str:
    if choice.took_s is not None and choice.plan:
        return f"RECORDING process {choice.plan.pid}  esc ends it, and shows what there is"
    return choice.title


def _nobody(choice: Choice) -> str:
    if choice.suspects is None:
        return "looking for Python processes"
    return "no Python process is to be seen here; those of other users may need sudo"


def _suspect(suspect: Suspect, here: bool, width: int, glyphs: Glyphs) -> Row:  # noqa: FBT001 - one row of a list
    text = f"{glyphs.cursor if here else ' '} {spelled(plain(suspect_row(suspect)), glyphs)}"
    text = clip(text, width, glyphs.more)
    return row((f"{text}{' ' * (width - cells(text))}", "select" if here else ""))


def _below(choice: Choice, paper: Paper) -> Sequence[tuple[Row, ...]]:
    """Why, what and at which cost; while it runs, how much is left."""
    rows: list[tuple[Row, ...]] = [((),)]
    if choice.plan and choice.took_s is not None:
        left = max(0.0, choice.plan.seconds - choice.took_s)
        part = min(1.0, choice.took_s / choice.plan.seconds)
        return [*rows, (row((bar(part, _BAR, paper.glyphs), "value"), f"  {left:.0f} s left"),)]
    if choice.trouble:
        rows.append(paper.text(choice.trouble, "warn"))
    if choice.why:
        rows.append(paper.labelled("asked by", choice.why))
    if choice.refused:
        rows.append(paper.labelled("not possible", choice.refused, "warn"))
    elif choice.plan:
        rows.append(paper.labelled("runs", choice.command, "value"))
        rows.append(paper.labelled("cost", _cost(choice.plan), "warn" if choice.plan.stops else ""))
        if choice.asked:
            rows.append(paper.text("press y to stop the process for its samples, esc not to", "warn"))
    return rows


def _cost(plan: FlamePlan) -> str:
    if plan.stops:
        return (
            f"the process is stopped {plan.rate} times a second for {plan.seconds:.0f} s; one with torch and many "
            "threads may freeze"
        )
    return f"{plan.seconds:.0f} s; the process runs on while its stacks are read, {plan.rate} times a second"
