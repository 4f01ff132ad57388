"""Tests of the rows about GPUs."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perfconsole.model.entity import Entity, Kind
from perfconsole.model.sample import Missing
from perfconsole.model.snapshot import Indicator, SourceState
from perfconsole.view.canvas import plain_text, width
from perfconsole.view.gpurows import gpus_and_all, source_rows
from perfconsole.view.plain import plain
from tests.view.pictures import indicator, source
from tests.view.searching import HELPER, HELPER_DOWN, NO_DRIVER, NO_GPUS
from tests.view.serving import serving

if TYPE_CHECKING:
    from perfconsole.model.snapshot import SourceHealth
    from perfconsole.view.canvas import Row
    from perfconsole.view.picture import Picture


def _gpu(number: int, name: str, value: float | Missing) -> Indicator:
    return indicator(name, value, Entity(Kind.GPU, str(number)))


def _rows(picture: Picture, columns: int, room: int) -> list[Row]:
    rows = gpus_and_all(picture, columns)
    return [r.spans for r in rows.each] if len(rows.each) <= room else rows.few[:room]


def _text(*more: Indicator, gpus: int = 4, room: int = 1, columns: int = 120, notes: tuple[str, ...] = ()) -> str:
    picture = serving(gpus=gpus, more=more)
    sources = (source("gpus", kind="gpu", notes=notes),)
    return plain_text(_rows(replace(picture, snapshot=replace(picture.snapshot, sources=sources)), columns, room))


def test_a_gpu_has_its_name_and_values_in_a_row() -> None:
    """A missing one with its reason."""
    assert _text(gpus=1) == "GPU 0  util 60%  mem 91%  power 410 W  temp 62 °C  bw unsupported"


def test_gpus_stand_in_the_order_of_their_numbers() -> None:
    """10 behind 9."""
    lines = _text(gpus=12, room=12).splitlines()
    assert [line.split()[1] for line in lines] == [str(n) for n in range(12)]


def test_without_room_they_fold_into_ranges() -> None:
    """One value where all agree, both ends where they do not."""
    text = _text(_gpu(2, "gpu.utilization", 0.03))
    assert text.startswith("GPU 0-3  util 3%..60%  bw unsupported  mem 91%")


def test_a_range_says_how_many_it_covers() -> None:
    """Where some give no value."""
    assert "util 60% (3 of 4)" in _text(_gpu(1, "gpu.utilization", Missing.STALE))


def test_a_range_has_the_worst_mark() -> None:
    """One hot card is not averaged away."""
    hot = Indicator("gpu.temperature", Entity(Kind.GPU, "1"), 95.0, "°C", mark="critical")
    warm = Indicator("gpu.temperature", Entity(Kind.GPU, "2"), 85.0, "°C", mark="warn")
    assert "temp 62 °C..95 °C !!" in _text(hot, warm, gpus=3)


@pytest.mark.parametrize(("room", "words"), [(4, "GPU 2  LOST"), (1, "GPU 0-3  LOST GPU 2")])
def test_a_lost_gpu_is_named(room: int, words: str) -> None:
    """Before any value, in a row of its own and in the folded one."""
    assert words in _text(_gpu(2, "gpu.up", 0.0), room=room)


def test_why_clocks_are_held_down_is_said_in_words() -> None:
    """And on which."""
    throttled = [_gpu(n, "gpu.throttle_thermal_hw", 1.0) for n in (0, 1)]
    assert "held by heat (hardware) on GPU 0-1" in _text(*throttled)


def test_a_card_that_is_held_down_shows_how_hot_it_is() -> None:
    """Temperature and clock come before all else, or a short row would cut them."""
    hot = [_gpu(0, "gpu.throttle_thermal_hw", 1.0), _gpu(0, "gpu.sm_clock", 1.2e9)]
    assert _text(*hot, gpus=1).startswith("GPU 0  held by heat (hardware)  temp 62 °C  clock 1200 MHz  util 60%")


def test_a_missing_throttle_reason_is_none() -> None:
    """Nobody is blamed for lack of data."""
    assert "held by" not in _text(_gpu(0, "gpu.throttle_thermal_hw", Missing.UNSUPPORTED))


def test_no_gpu_no_row() -> None:
    """Not even an empty one."""
    assert gpus_and_all(serving(gpus=0), 80) == ([], [], [])


def test_the_power_limit_stands_behind_the_values() -> None:
    """Being held by it is how a busy GPU works."""
    assert _text(_gpu(0, "gpu.throttle_power_cap", 0.4), gpus=1).endswith("bw unsupported  held by power cap")
    assert _text(_gpu(0, "gpu.throttle_power_cap", 0.4)).endswith("held by power cap on GPU 0")


HANGS = "GPU 3: nvmlDeviceGetPowerUsage has not returned for 4 s"
XID = "GPU 1: Xid 79: GPU has fallen off the bus"


def test_a_call_that_hangs_is_said_in_the_row_of_its_gpu() -> None:
    """Before its values, which others than that call still give."""
    line = _text(room=4, notes=(HANGS,)).splitlines()[3]
    assert line.startswith("GPU 3  HUNG nvmlDeviceGetPowerUsage for 4 s  util 60%")


def test_an_xid_is_said_with_its_number_and_meaning() -> None:
    """In the row of its own GPU alone."""
    lines = _text(room=4, notes=(XID,)).splitlines()
    assert ["Xid 79: GPU has fallen off the bus" in line for line in lines] == [False, True, False, False]


def test_those_in_trouble_are_named_in_the_folded_row() -> None:
    """Lost ones first, then hung ones, then Xids."""
    text = _text(_gpu(2, "gpu.up", 0.0), gpus=16, notes=(XID, HANGS))
    assert text.startswith("GPU 0-15  LOST GPU 2  HUNG GPU 3  Xid 79 on GPU 1  util 60%")


def test_room_below_the_folded_row_goes_to_those_in_trouble() -> None:
    """In whole rows of their own; held clocks come behind what is broken."""
    hot = _gpu(0, "gpu.throttle_thermal_sw", 0.2)
    lines = _text(hot, gpus=16, room=4, notes=(XID, HANGS)).splitlines()
    assert [line.split("  ")[0] for line in lines] == ["GPU 0-15", "GPU 1", "GPU 3", "GPU 0"]


def test_ranges_that_troubles_push_away_get_a_row_of_their_own() -> None:
    """Nobody reads from a row of troubles how busy the rest is."""
    lines = _text(_gpu(2, "gpu.up", 0.0), gpus=16, room=2, columns=57, notes=(XID, HANGS)).splitlines()
    assert lines[0] == "GPU 0-15  LOST GPU 2  HUNG GPU 3  Xid 79 on GPU 1"
    assert lines[1] == "          util 60%  bw unsupported  mem 91%  power 410 W"


def test_a_note_never_pushes_all_values_out_of_a_row() -> None:
    """It is whole beside one value, else cut to half of the row, and to its word where that is too little."""
    lines = {n: _text(room=4, columns=n, notes=(HANGS,)).splitlines()[3] for n in (57, 54, 40)}
    assert lines[57].startswith("GPU 3  HUNG nvmlDeviceGetPowerUsage for 4 s  util 60%")
    assert lines[54].startswith("GPU 3  HUNG nvmlDeviceGetPowerUsage for 4 s  util 60%")
    assert lines[40].startswith("GPU 3  HUNG  util 60%")
    long = "GPU 3: Xid 63: memory row remapped, or to be remapped at the next reset"
    row = _text(room=4, columns=79, notes=(long,)).splitlines()[3]
    assert row.startswith("GPU 3  Xid 63: memory row remapped, or to b…  util 60%")


GONE = ("utilization", "dram_active", "mem_ratio", "power", "temperature")


def test_a_gpu_without_any_value_says_why_once() -> None:
    """And never 0."""
    gone = [_gpu(0, f"gpu.{name}", Missing.SOURCE_DOWN) for name in GONE]
    assert _text(*gone, gpus=1) == "GPU 0  no values: source down"


def test_all_gpus_without_any_value_say_why_once() -> None:
    """In the folded row as well."""
    gone = [_gpu(n, f"gpu.{name}", Missing.STALE) for name in GONE for n in range(4)]
    assert _text(*gone) == "GPU 0-3  no values: stale"


def _why(*sources: SourceHealth, gpus: int = 0, columns: int = 100, remarks: bool = False) -> list[str]:
    picture = serving(gpus=gpus)
    shown = replace(picture, snapshot=replace(picture.snapshot, sources=sources))
    return [line.rstrip() for line in plain_text(source_rows(shown, columns, remarks=remarks)).splitlines()]


def test_a_source_that_found_no_driver_says_what_it_looked_for() -> None:
    """In as many rows as it takes, three at most."""
    assert _why(NO_GPUS) == [f"GPUs  {NO_DRIVER}"]
    assert len(_why(NO_GPUS, columns=40)) == 3


@pytest.mark.parametrize("gpus", [0, 2])
def test_a_helper_that_does_not_answer_is_said_beside_the_gpus(gpus: int) -> None:
    """With since when, whether or not they were seen before."""
    assert _why(HELPER_DOWN, gpus=gpus, columns=120) == [f"GPUs  not read for 12 s: {HELPER}"]
    just_now = replace(HELPER_DOWN, silent_s=0.3)
    assert _why(just_now, gpus=gpus, columns=120) == [f"GPUs  not read: {HELPER}"]


def test_a_poll_that_is_away_is_called_late() -> None:
    """Its values are still those of a moment ago, or stale."""
    late = source("gpus", kind="gpu", state=SourceState.LATE, reason="no answer for 4 s", silent_s=4.0)
    assert _why(late, gpus=1) == ["GPUs  late, no answer for 4 s"]


def test_a_source_that_answers_needs_no_row() -> None:
    """Its remarks stand where a page has room for them."""
    well = source("gpus", kind="gpu", notes=("profiling counters need root", HANGS))
    assert _why(well, gpus=4) == []
    assert _why(well, gpus=4, remarks=True) == ["GPUs  profiling counters need root"]


@pytest.mark.parametrize("note", ["NVML: nvmlDeviceGetCount has not returned for 9 s", HANGS])
def test_a_call_that_hangs_for_no_gpu_of_the_picture_has_a_row(note: str) -> None:
    """The third GPU was not opened yet, so it has no row of its own."""
    well = source("gpus", kind="gpu", notes=("profiling counters need root", note))
    assert _why(well, gpus=2) == [f"GPUs  {note}"]


def test_a_gpu_source_that_has_not_answered_is_waited_for() -> None:
    """It is not known yet whether there are GPUs."""
    assert _why(source("gpus", kind="gpu", answered=False, silent_s=None)) == ["GPUs  not read yet"]


@pytest.mark.parametrize(("gpus", "count"), [(0, 1), (1, 0)])
def test_the_page_of_an_exporter_is_missed_only_where_no_gpu_is_seen(gpus: int, count: int) -> None:
    """It stands in for the driver."""
    page = source("dcgm", kind="gpu page", state=SourceState.DOWN, reason="connection refused", silent_s=9.0)
    assert len(_why(page, gpus=gpus)) == count


words = st.text(max_size=40)


@given(st.integers(0, 20), st.lists(st.tuples(st.integers(0, 20), words), max_size=6), st.integers(20, 200))
def test_rows_with_notes_keep_to_columns(gpus: int, notes: list[tuple[int, str]], columns: int) -> None:
    """Whatever the helper says, and harmless."""
    said = tuple(f"GPU {number}: {text}" for number, text in notes)
    picture = serving(gpus=gpus)
    shown = replace(picture, snapshot=replace(picture.snapshot, sources=(source("gpus", kind="gpu", notes=said),)))
    rows = gpus_and_all(shown, columns)
    every = [*(r.spans for r in rows.each), *rows.few, *source_rows(shown, columns, remarks=True)]
    assert all(width(r) <= columns for r in every)
    assert all(plain(span.text) == span.text for r in every for span in r)


@given(st.integers(0, 20), st.integers(1, 25), st.integers(20, 200))
def test_rows_keep_to_room_and_columns(gpus: int, room: int, columns: int) -> None:
    """However many cards there are."""
    rows = _rows(serving(gpus=gpus), columns, room)
    assert len(rows) <= max(room, 1)
    assert all(width(r) <= columns for r in rows)
