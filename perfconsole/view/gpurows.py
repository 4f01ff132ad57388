"""GPUs on the main page: one row each, or all in one row with the range of each value where room is short."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfconsole.model.entity import Kind
from perfconsole.model.sample import Missing
from perfconsole.view.canvas import Row, Span, row
from perfconsole.view.layers import MARKS
from perfconsole.view.readings import joined, packed, readings
from perfconsole.view.units import shown

if TYPE_CHECKING:
    from perfconsole.model.entity import Entity
    from perfconsole.model.snapshot import Indicator
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
_THROTTLES = {
    "gpu.throttle_thermal_hw": "heat (hardware)",
    "gpu.throttle_thermal_sw": "heat",
    "gpu.throttle_slowdown": "slowdown",
    "gpu.throttle_power_brake": "power brake",
    "gpu.throttle_power_cap": "power cap",
}
_NORMAL = "gpu.throttle_power_cap"
"""Being held by the power limit is how a busy GPU works, not a trouble."""


def gpu_rows(picture: Picture, columns: int, room: int) -> list[Row]:
    """Rows about all GPUs, at most `room` of them."""
    gpus, folded = gpus_and_all(picture, columns)
    return gpus if len(gpus) <= room else [folded]


def gpus_and_all(picture: Picture, columns: int) -> tuple[list[Row], Row]:
    """A row for each GPU, and one for all of them."""
    gpus = sorted(picture.entities(Kind.GPU), key=lambda e: (len(e.name), e.name))
    folded = _folded(picture, gpus, columns) if len(gpus) > 1 else ()
    return [_gpu(picture, gpu, columns) for gpu in gpus], folded


def _gpu(picture: Picture, gpu: Entity, columns: int) -> Row:
    """What is known comes first: a reason has less to tell than a value, and its own pages have it."""
    model = picture.facts(gpu).get("gpu.name", "")
    name = row((f"GPU {gpu.name}", "head"))
    lost = row(("LOST", "critical")) if picture.number("gpu.up", gpu) == 0 else ()
    held = _throttled(picture, [gpu])
    wanted = sorted(_HOT if held else _CELLS, key=lambda cell: picture.number(cell[1], gpu) is None)
    cells = [readings(picture, gpu, (cell,)) for cell in wanted]
    return packed((name, lost, held, *cells, row((model, "dim"))), columns)


def _folded(picture: Picture, gpus: list[Entity], columns: int) -> Row:
    """`GPU 0-15  util 3..97%`: the range of each value, and how many are throttled or lost."""
    name = row((f"GPU {gpus[0].name}-{gpus[-1].name}", "head"))
    lost = [g for g in gpus if picture.number("gpu.up", g) == 0]
    word = row((f"LOST {', '.join(g.name for g in lost)}", "critical")) if lost else ()
    ranges = [_range(label, [i for g in gpus if (i := picture.indicator(n, g))]) for label, n in _CELLS]
    return packed((name, word, _throttled(picture, gpus), *ranges), columns)


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


def _throttled(picture: Picture, gpus: list[Entity]) -> Row:
    """Why clocks are held down, in words, and on how many GPUs where there are several."""
    words = []
    for name, word in _THROTTLES.items():
        count = sum((picture.number(name, g) or 0.0) > 0 for g in gpus)
        if count:
            many = f" on {count}" if len(gpus) > 1 else ""
            words.append(row((f"{word}{many}", "dim" if name == _NORMAL else "warn")))
    return (Span("held by ", "dim"), *joined(words, Span(", "))) if words else ()
