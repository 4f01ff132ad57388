"""One GPU in five rows of its layer's page: load, power and heat, clocks, links, memory faults and processes."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from perfconsole.model.sample import Missing
from perfconsole.view.canvas import Row, Span, row
from perfconsole.view.gputroubles import LOST, notes_by_gpu, remarks, troubles_of
from perfconsole.view.layers import MARKS
from perfconsole.view.readings import joined, packed
from perfconsole.view.units import MISSING_WORDS, shown, told

if TYPE_CHECKING:
    from perfconsole.model.entity import Entity
    from perfconsole.view.picture import Picture

_NO_SOURCE = "no source gives it"


class Part(NamedTuple):
    """A value in a sentence: `power 410 W`, ` of 700 W`."""

    label: str
    name: str
    behind: str = ""


Piece = tuple[Part, ...]
"""Values that belong together; those behind the first are left out where they are missing."""


class CardRow(NamedTuple):
    """A row of a card: the indicator that it opens, a word for it, and what it shows."""

    name: str
    word: str
    pieces: tuple[Piece, ...]


CARD = (
    CardRow(
        "gpu.dram_active",
        "load",
        (
            (Part("bandwidth ", "gpu.dram_active"),),
            (Part("util ", "gpu.utilization", " (some kernel ran)"),),
            (Part("SMs ", "gpu.sm_active"),),
            (Part("memory ", "gpu.mem_ratio"), Part(", ", "gpu.mem_used"), Part(" of ", "gpu.mem_total")),
        ),
    ),
    CardRow(
        "gpu.power",
        "power",
        (
            (Part("", "gpu.power"), Part(" of ", "gpu.power_limit")),
            (Part("temp ", "gpu.temperature"), Part(", ", "gpu.temp_margin", " to slowdown")),
            (Part("memory temp ", "gpu.mem_temperature"),),
        ),
    ),
    CardRow(
        "gpu.clock_ratio",
        "clock",
        ((Part("", "gpu.sm_clock"), Part(", ", "gpu.clock_ratio", " of maximum")),),
    ),
    CardRow(
        "gpu.pcie_width",
        "links",
        (
            (Part("PCIe x", "gpu.pcie_width"), Part(" of best ", "gpu.pcie_width_best")),
            (Part("gen ", "gpu.pcie_gen"), Part(" of ", "gpu.pcie_gen_best")),
            (Part("NVLink ", "gpu.nvlink_active"), Part(" of ", "gpu.nvlink_expected")),
            (Part("in ", "gpu.pcie_rx"), Part(" out ", "gpu.pcie_tx")),
        ),
    ),
    CardRow(
        "gpu.ecc_uncorrected",
        "faults",
        (
            (Part("Xids ", "gpu.xid"),),
            (Part("ECC ", "gpu.ecc_uncorrected"),),
            (Part("rows remapped ", "gpu.remapped_rows"),),
            (Part("processes ", "gpu.process_count"),),
            (Part("foreign ", "gpu.foreign_processes"),),
            (Part("largest holds ", "gpu.process_memory"),),
        ),
    ),
)
"""Bandwidth stands before utilisation, which says only that some kernel ran."""
TROUBLE = "gpu.xid"
"""What the row of troubles opens."""
_SHARES = {
    "gpu.throttle_thermal_hw": "heat (hardware)",
    "gpu.throttle_slowdown": "slowdown",
    "gpu.throttle_power_brake": "power brake",
    "gpu.throttle_thermal_sw": "heat",
    "gpu.throttle_power_cap": "power cap",
    "gpu.throttle_app_clocks": "application clocks",
}
"""Why clocks are held down, the worst first."""
_NORMAL = ("power cap", "application clocks")
"""How a busy GPU works, or as somebody has set it."""
_REMAPS = (("gpu.remap_pending", "remap waits for a reset"), ("gpu.remap_failed", "remap failed"))
_WORD = 8
"""Columns of the word in front of a row."""


def card_height(picture: Picture, gpu: Entity) -> int:
    """Rows of a card: one more where something is wrong or worth a remark."""
    return len(CARD) + bool(_wrong(picture, gpu))


def card_rows(picture: Picture, gpu: Entity) -> list[CardRow]:
    """The rows of one card by what they open, in order."""
    wrong = [CardRow(TROUBLE, "notes", ())] if _wrong(picture, gpu) else []
    return [*wrong, *CARD]


def draw(picture: Picture, gpu: Entity, card: CardRow, columns: int) -> Row:
    """One row of a card in so many columns."""
    lead = Span(f"{card.word:{_WORD}}", "dim")
    if card.name == TROUBLE:
        return (lead, *joined(_wrong(picture, gpu), Span("; ", "dim")))
    pieces = [_piece(picture, gpu, piece) for piece in card.pieces]
    if card.word == "clock":
        pieces += _held(picture, gpu)
    if card.word == "faults":
        pieces = [*_remaps(picture, gpu), *pieces]
    room = columns - _WORD
    return (lead, *(packed(pieces, room) or packed(_reasons(picture, gpu, card), room)))


def names_in(card: CardRow) -> str:
    """Every indicator of a row, for the filter of a page."""
    own = " ".join(part.name for piece in card.pieces for part in piece)
    more = " ".join(_SHARES) if card.word == "clock" else ""
    return f"{own} {more} {card.word}"


def _wrong(picture: Picture, gpu: Entity) -> list[Row]:
    """Troubles, then remarks; those on a lost GPU say why it is lost, and stand with that."""
    notes = notes_by_gpu(picture)
    found = troubles_of(picture, gpu, notes)
    words = [row((f"{t.lead} {t.text}" if t.text else t.word, t.style)) for t in found]
    lost = any(t.word == LOST for t in found)
    return words if lost else [*words, *(row((note, "dim")) for note in remarks(gpu, notes))]


def _piece(picture: Picture, gpu: Entity, piece: Piece) -> Row:
    """Empty where its first value is missing: the reason stands in the list below."""
    spans: list[Span] = []
    for part in piece:
        found = picture.indicator(part.name, gpu)
        if found is None or isinstance(found.value, Missing):
            if not spans:
                return _gap(picture, gpu, part)
            continue
        text = f"{told(found)}{part.behind}{MARKS[found.mark]}"
        spans += [Span(part.label, "dim"), Span(text, found.mark or "value")]
    return tuple(s for s in spans if s.text)


def _gap(picture: Picture, gpu: Entity, part: Part) -> Row:
    """Bandwidth that nobody gives is said, since utilisation would be taken for it."""
    if part.name != "gpu.dram_active":
        return ()
    return row((f"bandwidth {_why(picture, gpu, part.name)}", "dim"))


def _held(picture: Picture, gpu: Entity) -> list[Row]:
    """`held by heat 30%`, `power cap 12%`: shares of the last minute; before there are any, what holds them now."""
    shares = [(word, picture.value(name, gpu)) for name, word in _SHARES.items()]
    held = [(word, share) for word, share in shares if not isinstance(share, Missing) and share > 0]
    if held:
        words = [(f"{word} {shown(share, 'ratio')}", "value" if word in _NORMAL else "warn") for word, share in held]
        return [row(("" if place else "held by ", "dim"), both) for place, both in enumerate(words)]
    if not any(isinstance(share, Missing) for _, share in shares):
        return [row(("not held in the last minute", "dim"))]
    now = picture.facts(gpu).get("gpu.held_by", "")
    return [row(("held now by ", "dim"), now)] if now else []


def _remaps(picture: Picture, gpu: Entity) -> list[Row]:
    return [row((text, "warn")) for name, text in _REMAPS if picture.number(name, gpu)]


def _reasons(picture: Picture, gpu: Entity, card: CardRow) -> list[Row]:
    """Why a row has no value at all."""
    words = dict.fromkeys(_why(picture, gpu, piece[0].name) for piece in card.pieces)
    return [row((word, "dim")) for word in words]


def _why(picture: Picture, gpu: Entity, name: str) -> str:
    found = picture.indicator(name, gpu)
    if found is None:
        return _NO_SOURCE
    return MISSING_WORDS[found.value] if isinstance(found.value, Missing) else told(found)
