"""Tests of the rows about GPUs."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perfconsole.model.entity import Entity, Kind
from perfconsole.model.sample import Missing
from perfconsole.model.snapshot import Indicator
from perfconsole.view.canvas import plain_text, width
from perfconsole.view.gpurows import gpu_rows, gpus_and_all
from tests.view.pictures import indicator
from tests.view.serving import serving


def _gpu(number: int, name: str, value: float | Missing) -> Indicator:
    return indicator(name, value, Entity(Kind.GPU, str(number)))


def _text(*more: Indicator, gpus: int = 4, room: int = 1, columns: int = 120) -> str:
    return plain_text(gpu_rows(serving(gpus=gpus, more=more), columns, room))


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


@pytest.mark.parametrize(("room", "words"), [(4, "GPU 2  LOST"), (1, "GPU 0-3  LOST 2")])
def test_a_lost_gpu_is_named(room: int, words: str) -> None:
    """Before any value, in a row of its own and in the folded one."""
    assert words in _text(_gpu(2, "gpu.up", 0.0), room=room)


def test_why_clocks_are_held_down_is_said_in_words() -> None:
    """And on how many."""
    throttled = [_gpu(n, "gpu.throttle_thermal_hw", 1.0) for n in (0, 1)]
    assert "held by heat (hardware) on 2" in _text(*throttled)


def test_a_card_that_is_held_down_shows_how_hot_it_is() -> None:
    """Temperature and clock come before all else, or a short row would cut them."""
    hot = [_gpu(0, "gpu.throttle_thermal_hw", 1.0), _gpu(0, "gpu.sm_clock", 1.2e9)]
    assert _text(*hot, gpus=1).startswith("GPU 0  held by heat (hardware)  temp 62 °C  clock 1200 MHz  util 60%")


def test_a_missing_throttle_reason_is_none() -> None:
    """Nobody is blamed for lack of data."""
    assert "held by" not in _text(_gpu(0, "gpu.throttle_thermal_hw", Missing.UNSUPPORTED))


def test_no_gpu_no_row() -> None:
    """Not even an empty one."""
    assert gpus_and_all(serving(gpus=0), 80) == ([], ())


@given(st.integers(0, 20), st.integers(1, 25), st.integers(20, 200))
def test_rows_keep_to_room_and_columns(gpus: int, room: int, columns: int) -> None:
    """However many cards there are."""
    rows = gpu_rows(serving(gpus=gpus), columns, room)
    assert len(rows) <= max(room, 1)
    assert all(width(r) <= columns for r in rows)
