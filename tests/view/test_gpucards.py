"""Tests of the card of one GPU."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perfconsole.model.entity import Entity, Kind
from perfconsole.model.sample import Fact, Missing
from perfconsole.view.canvas import plain_text, width
from perfconsole.view.gpucards import CARD, card_height, card_rows, draw, names_in
from tests.view.pictures import source
from tests.view.serving import Values, indicators, serving

if TYPE_CHECKING:
    from perfconsole.view.picture import Picture

GPU = Entity(Kind.GPU, "0")
ALL: Values = {
    "gpu.up": 1.0,
    "gpu.dram_active": 0.42,
    "gpu.utilization": 0.9,
    "gpu.sm_active": 0.61,
    "gpu.mem_ratio": 0.91,
    "gpu.mem_used": 73.0 * 2**30,
    "gpu.mem_total": 80.0 * 2**30,
    "gpu.power": 410.0,
    "gpu.power_limit": 700.0,
    "gpu.temperature": 62.0,
    "gpu.temp_margin": 25.0,
    "gpu.mem_temperature": 70.0,
    "gpu.sm_clock": 1.755e9,
    "gpu.clock_ratio": 0.89,
    "gpu.throttle_power_cap": 0.12,
    "gpu.throttle_thermal_sw": 0.3,
    "gpu.throttle_thermal_hw": 0.0,
    "gpu.throttle_slowdown": 0.0,
    "gpu.throttle_power_brake": 0.0,
    "gpu.throttle_app_clocks": 0.0,
    "gpu.pcie_width": 8.0,
    "gpu.pcie_width_best": 16.0,
    "gpu.pcie_gen": 4.0,
    "gpu.pcie_gen_best": 5.0,
    "gpu.pcie_rx": 2.0**30,
    "gpu.pcie_tx": 2.0**29,
    "gpu.nvlink_active": 17.0,
    "gpu.nvlink_expected": 18.0,
    "gpu.xid": 0.0,
    "gpu.ecc_uncorrected": 0.0,
    "gpu.remapped_rows": 2.0,
    "gpu.remap_pending": 1.0,
    "gpu.process_count": 2.0,
    "gpu.foreign_processes": 1.0,
    "gpu.process_memory": 60.0 * 2**30,
}
HELD = [name for name in ALL if name.startswith("gpu.throttle_")]


def _picture(values: Values | None = None, *, notes: tuple[str, ...] = (), facts: tuple[Fact, ...] = ()) -> Picture:
    picture = serving(gpus=0, more=indicators({**ALL, **(values or {})}, GPU))
    sources = (source("gpus", kind="gpu", notes=notes),)
    return replace(picture, snapshot=replace(picture.snapshot, sources=sources, facts=facts))


def _lines(picture: Picture, columns: int = 118) -> dict[str, str]:
    rows = {card.word: plain_text([draw(picture, GPU, card, columns)]) for card in card_rows(picture, GPU)}
    return {word: text[8:] for word, text in rows.items()}


def test_a_card_tells_a_gpu_in_five_rows() -> None:
    """Bandwidth before utilisation, each value against what it could be."""
    assert _lines(_picture()) == {
        "load": "bandwidth 42%  util 90% (some kernel ran)  SMs 61%  memory 91%, 73 GiB of 80 GiB",
        "power": "410 W of 700 W  temp 62 °C, 25 °C to slowdown  memory temp 70 °C",
        "clock": "1755 MHz, 89% of maximum  held by heat 30%  power cap 12%",
        "links": "PCIe x8 of best 16  gen 4 of 5  NVLink 17 of 18  in 1 GiB/s out 512 MiB/s",
        "faults": (
            "remap waits for a reset  Xids 0  ECC 0  rows remapped 2  processes 2 !  foreign 1 !  largest holds 60 GiB"
        ),
    }


def test_bandwidth_that_nobody_gives_is_said() -> None:
    """Else utilisation would be taken for the load."""
    assert _lines(_picture({"gpu.dram_active": Missing.UNSUPPORTED}))["load"].startswith(
        "bandwidth unsupported  util 90%"
    )


def test_what_is_missing_is_never_0() -> None:
    """A value goes with what it is compared to; what has none at all is left out."""
    lines = _lines(_picture({"gpu.power_limit": Missing.STALE, "gpu.nvlink_active": Missing.UNSUPPORTED}))
    assert lines["power"].startswith("410 W  temp 62 °C")
    assert "NVLink" not in lines["links"]


def test_a_row_without_any_value_says_why() -> None:
    """Once."""
    gone: Values = dict.fromkeys(ALL, Missing.SOURCE_DOWN)
    lines = _lines(_picture(gone))
    assert lines["power"] == "source down"
    assert lines["load"] == "bandwidth source down"


def test_clocks_that_nothing_holds_are_said_to_be_free() -> None:
    """Where every share is known."""
    assert _lines(_picture(dict.fromkeys(HELD, 0.0)))["clock"].endswith("not held in the last minute")
    unknown = _picture({**dict.fromkeys(HELD, 0.0), HELD[0]: Missing.WARMING_UP})
    assert _lines(unknown)["clock"] == "1755 MHz, 89% of maximum"


def test_what_holds_the_clocks_now_stands_in_for_the_shares() -> None:
    """In the helper's words, until there is a minute to speak of."""
    facts = (Fact("gpu.held_by", GPU, "heat (software), power cap"),)
    young = _picture(dict.fromkeys(HELD, Missing.WARMING_UP), facts=facts)
    assert _lines(young)["clock"].endswith("held now by heat (software), power cap")


def test_notes_about_the_gpu_stand_on_top() -> None:
    """Troubles before remarks; of other GPUs none."""
    notes = ("GPU 0: GPM is not supported", "GPU 0: Xid 13: exception in a kernel", "GPU 1: Xid 79: gone")
    picture = _picture(notes=notes)
    assert _lines(picture)["notes"] == "Xid 13: exception in a kernel; GPM is not supported"
    assert card_height(picture, GPU) == len(card_rows(picture, GPU)) == len(CARD) + 1


def test_why_a_gpu_is_lost_is_said_once() -> None:
    """It is no remark beside that."""
    notes = ("GPU 0 is lost: it has fallen off the bus",)
    assert _lines(_picture({"gpu.up": 0.0}, notes=notes))["notes"] == "LOST it has fallen off the bus"


def test_a_filter_finds_a_row_by_any_value_in_it() -> None:
    """Also by those that have no room."""
    by_word = {card.word: names_in(card) for card in CARD}
    assert "gpu.power_limit" in by_word["power"]
    assert "gpu.throttle_slowdown" in by_word["clock"]


@pytest.mark.parametrize("columns", [56, 76])
def test_a_narrow_card_keeps_what_comes_first(columns: int) -> None:
    """Whole values, never halves of them."""
    whole = {word: text.split("  ") for word, text in _lines(_picture()).items()}
    for word, text in _lines(_picture(), columns).items():
        pieces = text.split("  ")
        assert pieces[0] == whole[word][0]
        assert set(pieces) <= set(whole[word])


values = st.floats(allow_nan=False) | st.sampled_from(Missing)


@given(st.dictionaries(st.sampled_from(sorted(ALL)), values), st.lists(st.text(max_size=30), max_size=3))
def test_rows_of_values_keep_to_columns(changed: Values, said: list[str]) -> None:
    """Whatever is known; a row of notes is cut by the page."""
    picture = _picture(changed, notes=tuple(f"GPU 0: {text}" for text in said))
    for card in CARD:
        assert width(draw(picture, GPU, card, 60)) <= 60
