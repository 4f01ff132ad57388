"""What is wrong with each GPU in words: lost, a driver call that hangs, Xids, clocks held down.

The driver's helper says in notes what has no number (`GPU 3: nvmlDeviceGetPowerUsage has not returned for 4 s`).
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from perfconsole.model.entity import Kind
from perfconsole.view.canvas import Row, Span, row
from perfconsole.view.layers import GPU_SOURCES
from perfconsole.view.readings import joined

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from perfconsole.model.entity import Entity
    from perfconsole.view.picture import Picture

LOST, HUNG = "LOST", "HUNG"
Notes = dict[str, tuple[str, ...]]
"""Notes by the number of the GPU that they are about."""

_ABOUT = re.compile(r"GPU ([\w.-]+/\d+|\d+)(?:: | )(.+)")
_HANGS = "has not returned"
_IS_LOST = re.compile(r"^(?:is )?lost[:, ]*")
"""What the word in front says already."""
_XID_NUMBER = re.compile(r"Xid (\d+)")
_XIDS = {
    "gpu.xid_lost": "card lost",
    "gpu.xid_memory": "memory error",
    "gpu.xid_link": "link error",
    "gpu.xid_application": "program fault",
}
"""Classes of Xids, the worst first; where a note has the number, that is said."""
_FAULTS = ("gpu.xid_lost", "gpu.xid_memory", "gpu.xid_link")
"""Classes that are the card's own fault."""
_THROTTLES = {
    "gpu.throttle_thermal_hw": "heat (hardware)",
    "gpu.throttle_thermal_sw": "heat",
    "gpu.throttle_slowdown": "slowdown",
    "gpu.throttle_power_brake": "power brake",
    "gpu.throttle_power_cap": "power cap",
}
NORMAL = "gpu.throttle_power_cap"
"""Being held by the power limit is how a busy GPU works, not a trouble."""
_MOST_NAMES = 3
"""Runs of numbers beyond which GPUs are counted, not named."""


class Trouble(NamedTuple):
    """One thing that is wrong with one GPU."""

    word: str
    """In one word, for a row about many GPUs: LOST, HUNG, `Xid 79`."""
    style: str
    text: str = ""
    """What its note says behind that word, where there is one."""

    @property
    def lead(self) -> str:
        """The word as it stands in front of its text."""
        return f"{self.word}:" if self.word.startswith("Xid") else self.word


def notes_by_gpu(picture: Picture) -> Notes:
    """Notes of the GPU sources that are about one GPU, by its number."""
    found: Notes = {}
    for source in picture.snapshot.sources:
        for note in source.notes if source.kind in GPU_SOURCES else ():
            match = _ABOUT.fullmatch(note)
            if match:
                found[match[1]] = (*found.get(match[1], ()), match[2])
    return found


def common_notes(picture: Picture) -> list[str]:
    """Notes of the GPU sources that are about no GPU of the picture, calls that hang before the rest."""
    sources = (s for s in picture.snapshot.sources if s.kind in GPU_SOURCES)
    names = {gpu.name for gpu in picture.entities(Kind.GPU)}
    notes = dict.fromkeys(n for s in sources for n in s.notes)
    about = {note: match[1] for note in notes if (match := _ABOUT.fullmatch(note))}
    return sorted((n for n in notes if about.get(n) not in names), key=lambda n: not hangs(n))


def hangs(note: str) -> bool:
    """It tells of a call into the driver that does not come back."""
    return _HANGS in note


def troubles_of(picture: Picture, gpu: Entity, notes: Notes) -> list[Trouble]:
    """What is wrong with one GPU, the worst first; held clocks are told by `held_by`."""
    said = notes.get(gpu.name, ())
    lost = picture.number("gpu.up", gpu) == 0
    why = _IS_LOST.sub("", "; ".join(remarks(gpu, notes)))
    found = [Trouble(LOST, "critical", why)] if lost else []
    found += [Trouble(HUNG, "critical", note.replace(f" {_HANGS}", "")) for note in said if hangs(note)]
    return [*found, *_xids(picture, gpu, [n for n in said if _XID_NUMBER.search(n)])]


def remarks(gpu: Entity, notes: Notes) -> list[str]:
    """Notes about a GPU beside hanging calls and Xids: why it is lost, or what it cannot tell."""
    return [n for n in notes.get(gpu.name, ()) if not hangs(n) and not _XID_NUMBER.search(n)]


def _xids(picture: Picture, gpu: Entity, notes: Sequence[str]) -> list[Trouble]:
    """By their notes; without one by the class that the count belongs to."""
    quiet = not notes and picture.number("gpu.xid", gpu) == 0
    seen = [] if quiet else [name for name in _XIDS if (picture.number(name, gpu) or 0.0) > 0]
    if picture.number("gpu.up", gpu) == 0 and not picture.number("gpu.xid", gpu):
        seen = [name for name in seen if name != "gpu.xid_lost"]  # a lost card counts there also without an Xid
    style = "critical" if any(name in _FAULTS for name in seen) else "warn"
    matches = [m for n in notes if (m := _XID_NUMBER.search(n))]
    if matches:
        return [Trouble(m[0], style, m.string[m.end() :].lstrip(":, ")) for m in matches]
    return [Trouble("Xid", style, _XIDS[seen[0]])] if seen else []


def holds_of(picture: Picture, gpu: Entity) -> frozenset[str]:
    """The indicators of all that holds its clocks down now."""
    return frozenset([name for name in _THROTTLES if (picture.number(name, gpu) or 0.0) > 0])


def held_by(holds: Mapping[Entity, frozenset[str]]) -> Row:
    """Why clocks are held down, in words, and on which GPUs where there are several."""
    words = [held for name in _THROTTLES if name != NORMAL and (held := _held(holds, name, "warn"))]
    return (Span("held by ", "dim"), *joined(words, Span(", "))) if words else ()


def at_power_cap(holds: Mapping[Entity, frozenset[str]]) -> Row:
    """Which are held by their power limit; that is how a busy GPU works."""
    held = _held(holds, NORMAL, "dim")
    return (Span("held by ", "dim"), *held) if held else ()


def _held(holds: Mapping[Entity, frozenset[str]], name: str, style: str) -> Row:
    held = [gpu for gpu, names in holds.items() if name in names]
    where = f" on {named(held, len(holds))}" if len(holds) > 1 else ""
    return row((f"{_THROTTLES[name]}{where}", style)) if held else ()


def is_held(holds: frozenset[str]) -> bool:
    """By more than the power limit."""
    return bool(holds - {NORMAL})


def named(gpus: Sequence[Entity], of: int) -> str:
    """`GPU 3`, `GPU 0-3, 7`, `all`, or `9 of 16` where the names would take too much room.

    A number alone would be taken for how many there are.
    """
    if len(gpus) == of:
        return "all"
    runs = list(_runs([g.name for g in gpus]))
    if len(runs) > _MOST_NAMES:
        return f"{len(gpus)} of {of}"
    lead = "GPU " if gpus and runs[0][:1].isdecimal() else ""
    return f"{lead}{', '.join(runs)}"


def _runs(names: Sequence[str]) -> Iterable[str]:
    """`0-3` for numbers in a row; a name that is no number stands alone."""
    start = 0
    for place, (a, b) in enumerate(pairwise([*names, ""]), 1):
        if not (a.isdecimal() and b.isdecimal() and int(b) == int(a) + 1):
            first, last = names[start], a
            yield first if first == last else f"{first}-{last}"
            start = place


def crowd_words(troubles: Mapping[Entity, Sequence[Trouble]], of: int) -> list[Row]:
    """`LOST GPU 2`, `HUNG GPU 3`, `Xid 79 on GPU 4`: what is wrong with which of many, the worst first."""
    groups: dict[str, list[tuple[Entity, str]]] = {}
    for gpu, found in troubles.items():
        for trouble in found:
            groups.setdefault(trouble.word, []).append((gpu, trouble.style))
    order = sorted(groups, key=lambda word: (word.startswith("Xid"), word != LOST))
    return [row((_crowd(word, groups[word], of), _worst(groups[word]))) for word in order]


def _crowd(word: str, members: Sequence[tuple[Entity, str]], of: int) -> str:
    gpus = list(dict.fromkeys(g for g, _ in members))
    return f"{word} {'on ' if word.startswith('Xid') else ''}{named(gpus, of)}"


def _worst(members: Iterable[tuple[Entity, str]]) -> str:
    return "critical" if any(style == "critical" for _, style in members) else "warn"


def gpus_of(picture: Picture) -> list[Entity]:
    """All GPUs in the order of their numbers."""
    return sorted(picture.entities(Kind.GPU), key=lambda e: (len(e.name), e.name))
