"""GPUs on the main page: one row each, or all in one row with the range of each value where room is short."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from perfconsole.model.entity import Kind
from perfconsole.model.sample import Missing
from perfconsole.model.snapshot import SourceState
from perfconsole.view.canvas import Row, Span, cells, clip, fit, row, width, wrap
from perfconsole.view.gputroubles import (
    at_power_cap,
    common_notes,
    crowd_words,
    gpus_of,
    hangs,
    held_by,
    holds_of,
    is_held,
    notes_by_gpu,
    troubles_of,
)
from perfconsole.view.layers import GPU_PAGE, GPU_SOURCE, GPU_SOURCES, MARKS
from perfconsole.view.plain import plain
from perfconsole.view.readings import packed, readings
from perfconsole.view.spelling import spelled
from perfconsole.view.units import MISSING_WORDS, duration, shown

if TYPE_CHECKING:
    from collections.abc import Sequence

    from perfconsole.model.entity import Entity
    from perfconsole.model.snapshot import Indicator, SourceHealth
    from perfconsole.view.gputroubles import Trouble
    from perfconsole.view.picture import Picture

_CELLS = (
    ("util", "gpu.utilization"),
    ("bw", "gpu.dram_active"),
    ("mem", "gpu.mem_ratio"),
    ("power", "gpu.power"),
    ("temp", "gpu.temperature"),
    ("clock", "gpu.sm_clock"),
)
"""By importance: the last ones go first when a row is short. Utilisation alone says little, so bandwidth is next."""
_HOT = (*_CELLS[-2:], *_CELLS[:-2])
"""Temperature and clock come first while the clock is held down."""
_WORTH = 2
"""Ranges that the row with the troubles must hold; with fewer they get a row of their own."""
_REASON = 27
"""Columns of `  no values: not exported` and what may stand for it."""
_VALUE = 11
"""Columns of `  util 100%`."""
_LABEL, _SOURCE_ROWS = "GPUs  ", 3
"""In front of why GPUs are not seen, and the rows that may take."""
_LEAST_NOTE = 24
"""Columns below which a note about a GPU is not worth its beginning."""


class GpuRow(NamedTuple):
    """One row, and the GPU that it opens."""

    gpu: Entity
    spans: Row


class GpuRows(NamedTuple):
    """All that is said of the GPUs of a picture."""

    each: list[GpuRow]
    """One row a GPU."""
    common: list[Row]
    """All GPUs in one row or two; empty where there is only one."""
    ill: list[GpuRow]
    """Rows of those in trouble, the worst first, to stand below the common ones."""

    @property
    def few(self) -> list[Row]:
        """What stands for all of them where there is no room for each."""
        return [*self.common, *(r.spans for r in self.ill)] if self.common else [r.spans for r in self.each]


def gpus_and_all(picture: Picture, columns: int) -> GpuRows:
    """A row for each GPU, and the few rows that stand for all of them."""
    gpus, notes = gpus_of(picture), notes_by_gpu(picture)
    troubles = {gpu: troubles_of(picture, gpu, notes) for gpu in gpus}
    holds = {gpu: holds_of(picture, gpu) for gpu in gpus}
    each = [GpuRow(gpu, _gpu(picture, gpu, troubles[gpu], holds[gpu], columns)) for gpu in gpus]
    lead = (*crowd_words(troubles, len(gpus)), held_by(holds))
    common = _folded(picture, gpus, lead, at_power_cap(holds), columns) if len(gpus) > 1 else []
    ill = [r for r in each if troubles[r.gpu] or is_held(holds[r.gpu])]
    return GpuRows(each, common, sorted(ill, key=lambda r: not troubles[r.gpu]))


def source_rows(picture: Picture, columns: int, *, remarks: bool = False) -> list[Row]:
    """Why GPUs are not seen, or not any more: a source that does not answer, or has nothing to read on this host.

    So is a call that hangs before it is known of which GPU; with `remarks` also what else is said of all GPUs.
    """
    seen = bool(picture.entities(Kind.GPU))
    sources = [s for s in picture.snapshot.sources if s.kind in GPU_SOURCES]
    said = [(_source_words(s, seen=seen), "warn" if fails(s) else "dim") for s in sources]
    notes = common_notes(picture)[:1] if seen else []
    said += [(note, "warn" if hangs(note) else "dim") for note in notes if remarks or hangs(note)]
    rows: list[Row] = []
    for words, style in said:
        text = spelled(plain(words), picture.glyphs)
        lines = wrap(text, max(columns - len(_LABEL), 1))[:_SOURCE_ROWS] if text else []
        for place, line in enumerate(lines):
            label = " " * len(_LABEL) if place else _LABEL
            rows.append(fit(row((label, "head"), (line, style)), columns, picture.glyphs.more))
    return rows


def fails(source: SourceHealth) -> bool:
    """It should answer and does not."""
    return source.state in (SourceState.DOWN, SourceState.LATE)


def _source_words(source: SourceHealth, *, seen: bool) -> str:
    """Empty while it answers; the page of an exporter is a stand-in, and missed only where nothing else sees GPUs."""
    if seen and source.kind == GPU_PAGE:
        return ""
    if source.state is SourceState.LATE:
        return f"late, {source.reason}"
    if fails(source):
        silent_s = round(source.silent_s or 0.0)  # 0 for an answer that has little more in it than why it failed
        since = f" for {duration(silent_s)}" if silent_s else ""
        return f"not read{since}: {source.reason or source.state}"
    if seen:
        return ""
    if not source.answered:
        return "not read yet" if source.kind == GPU_SOURCE else ""
    return source.notes[0] if source.notes else source.reason or ""


def _gpu(picture: Picture, gpu: Entity, troubles: Sequence[Trouble], holds: frozenset[str], columns: int) -> Row:
    """What is known comes first: a reason has less to tell than a value, and its own pages have it."""
    name = row((f"GPU {gpu.name}", "head"))
    model = row((picture.facts(gpu).get("gpu.name", ""), "dim"))
    wanted = sorted(_HOT if is_held(holds) else _CELLS, key=lambda cell: picture.number(cell[1], gpu) is None)
    known = picture.number(wanted[0][1], gpu) is not None
    values = [readings(picture, gpu, (cell,)) for cell in wanted] if known else [_nothing(picture, [gpu])]
    words = _trouble_words(picture, troubles, columns - width(name), known=known) if troubles else ()
    held = {gpu: holds}
    return packed((name, *words, held_by(held), *values, at_power_cap(held), model), columns)


def _trouble_words(picture: Picture, troubles: Sequence[Trouble], columns: int, *, known: bool) -> list[Row]:
    """Word and note of each. Where values are known, a note may leave room for one; one that is longer leaves half."""
    rows: list[Row] = []
    most = columns - (_VALUE if known else _REASON)
    for trouble in troubles:
        whole = cells(trouble.lead) + 1 + cells(trouble.text)
        room = most if not known or whole <= most else min(most, columns // 2)
        rows.append(row((_trouble(picture, trouble, room), trouble.style)))
        most -= width(rows[-1]) + 2
    return rows


def _trouble(picture: Picture, trouble: Trouble, room: int) -> str:
    """`HUNG nvmlDeviceGetPowerUsage for 4 s`; the word alone where the note would be a stump."""
    text = spelled(plain(trouble.text), picture.glyphs)
    left = room - cells(trouble.lead) - 1
    note = clip(text, left, picture.glyphs.more) if left >= min(_LEAST_NOTE, cells(text)) else ""
    return f"{trouble.lead} {note}" if note else trouble.word


def _nothing(picture: Picture, gpus: Sequence[Entity]) -> Row:
    """`no values: source down`, once for all of them."""
    found = [i for g in gpus for _, name in _CELLS if (i := picture.indicator(name, g))]
    reasons = dict.fromkeys(MISSING_WORDS[i.value] for i in found if isinstance(i.value, Missing))
    return row((f"no values: {', '.join(reasons)}", "dim")) if reasons else ()


def _folded(picture: Picture, gpus: Sequence[Entity], troubles: Sequence[Row], capped: Row, columns: int) -> list[Row]:
    """`GPU 0-15  LOST GPU 2  util 3..97%`: which are lost, hung or throttled, and the range of each value."""
    name = row((f"GPU {gpus[0].name}-{gpus[-1].name}", "head"))
    found = [(label, [i for g in gpus if (i := picture.indicator(n, g))]) for label, n in _CELLS]
    if not any(not isinstance(i.value, Missing) for _, indicators in found for i in indicators):
        ranges = [_nothing(picture, gpus)]
    else:
        ranges = [_range(label, indicators) for label, indicators in found]
    lead = packed((name, *troubles), columns)
    if sum(width(r) + 2 for r in ranges[:_WORTH] if r) > columns - width(lead):
        blank = row(" " * width(name))
        return [lead, packed((blank, *ranges, capped), columns)]
    return [packed((lead, *ranges, capped), columns)]


def _range(label: str, found: list[Indicator]) -> Row:
    known = [i for i in found if not isinstance(i.value, Missing)]
    if not known:
        return row((f"{label} ", "dim"), (shown(found[0].value, found[0].unit), "dim")) if found else ()
    low, high = (pick(known, key=_number) for pick in (min, max))
    worst = next((i.mark for i in known if i.mark == "critical"), next((i.mark for i in known if i.mark), None))
    text = shown(high.value, high.unit)
    if _number(low) != _number(high):
        text = f"{shown(low.value, low.unit)}..{text}"
    gaps = f" ({len(known)} of {len(found)})" if len(known) < len(found) else ""
    return row((f"{label} ", "dim"), Span(f"{text}{MARKS[worst]}{gaps}", worst or "value"))


def _number(indicator: Indicator) -> float:
    return 0.0 if isinstance(indicator.value, Missing) else indicator.value
