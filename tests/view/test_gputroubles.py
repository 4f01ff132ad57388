"""Tests of what is wrong with a GPU, in words."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from perfconsole.model.entity import Entity, Kind
from perfconsole.model.sample import Missing
from perfconsole.view.gputroubles import (
    Trouble,
    common_notes,
    holds_of,
    is_held,
    named,
    notes_by_gpu,
    remarks,
    troubles_of,
)
from tests.view.pictures import indicator, source
from tests.view.serving import Values, serving

if TYPE_CHECKING:
    from perfconsole.view.picture import Picture

GPU = Entity(Kind.GPU, "3")
LOST = "GPU 3 is lost: it has fallen off the bus or stopped answering"


def _picture(values: Values, *notes: str) -> Picture:
    picture = serving(gpus=0, more=[indicator(name, value, GPU) for name, value in values.items()])
    sources = (source("gpus", kind="gpu", notes=notes), source("x", notes=("GPU 3: of another kind of source",)))
    return replace(picture, snapshot=replace(picture.snapshot, sources=sources))


def _troubles(values: Values, *notes: str) -> list[Trouble]:
    picture = _picture(values, *notes)
    return troubles_of(picture, GPU, notes_by_gpu(picture))


def test_notes_are_told_apart_by_the_gpu_that_they_name() -> None:
    """With a colon or without; those about none, or about one that is not there, are common."""
    picture = _picture({"gpu.up": 0.0}, LOST, "GPU 12: a", "GPU 3: b", "NVML: c")
    assert notes_by_gpu(picture) == {"3": (LOST.removeprefix("GPU 3 "), "b"), "12": ("a",)}
    assert common_notes(picture) == ["GPU 12: a", "NVML: c"]


def test_a_lost_gpu_says_why() -> None:
    """Without saying twice that it is lost."""
    (trouble,) = _troubles({"gpu.up": 0.0}, LOST)
    assert trouble == Trouble("LOST", "critical", "it has fallen off the bus or stopped answering")


@pytest.mark.parametrize("up", [1.0, Missing.STALE, Missing.NEVER])
def test_a_gpu_that_is_not_known_to_be_lost_is_not_called_so(up: float | Missing) -> None:
    """A missing value is no loss."""
    assert _troubles({"gpu.up": up}) == []


def test_every_call_that_hangs_is_a_trouble() -> None:
    """By the helper's words."""
    found = _troubles({"gpu.up": 1.0}, "GPU 3: nvmlA has not returned for 4 s", "GPU 3: nvmlB has not returned for 9 s")
    assert found == [
        Trouble("HUNG", "critical", "nvmlA for 4 s"),
        Trouble("HUNG", "critical", "nvmlB for 9 s"),
    ]


@pytest.mark.parametrize(
    ("name", "style"), [("gpu.xid_lost", "critical"), ("gpu.xid_memory", "critical"), ("gpu.xid_application", "warn")]
)
def test_an_xid_is_as_bad_as_its_class(name: str, style: str) -> None:
    """A fault of a program is not one of the card."""
    assert _troubles({"gpu.xid": 1.0, name: 1.0}, "GPU 3: Xid 13: words") == [Trouble("Xid 13", style, "words")]


def test_an_xid_without_a_note_is_told_by_its_class() -> None:
    """From a source that counts and does not name."""
    assert _troubles({"gpu.xid_link": 2.0}) == [Trouble("Xid", "critical", "link error")]
    assert _troubles({"gpu.xid": 0.0, "gpu.xid_link": 0.0}) == []


def test_a_lost_card_without_an_xid_is_not_said_to_have_one() -> None:
    """It counts among the lost ones all the same; where an Xid came with it, that is said."""
    assert [t.word for t in _troubles({"gpu.up": 0.0, "gpu.xid_lost": 1.0, "gpu.xid": Missing.SOURCE_DOWN})] == ["LOST"]
    assert [t.word for t in _troubles({"gpu.up": 0.0, "gpu.xid_lost": 1.0, "gpu.xid": 1.0})] == ["LOST", "Xid"]


def test_what_is_only_a_remark_is_no_trouble() -> None:
    """It stands on the card of the GPU."""
    picture = _picture({"gpu.up": 1.0}, "GPU 3: GPM is not supported", "GPU 3: Xid 13: words")
    assert remarks(GPU, notes_by_gpu(picture)) == ["GPM is not supported"]
    assert [t.word for t in troubles_of(picture, GPU, notes_by_gpu(picture))] == ["Xid 13"]


def test_the_power_limit_alone_holds_no_clock_down() -> None:
    """Nor does a share that is missing or 0."""
    capped = holds_of(_picture({"gpu.throttle_power_cap": 0.5, "gpu.throttle_thermal_sw": Missing.STALE}), GPU)
    assert not is_held(capped)
    assert not is_held(holds_of(_picture({"gpu.throttle_thermal_hw": 0.0}), GPU))
    assert is_held(holds_of(_picture({"gpu.throttle_thermal_hw": 0.01}), GPU))


@pytest.mark.parametrize(
    ("numbers", "words"),
    [
        ((4,), "GPU 4"),
        ((0, 1, 2, 3, 7), "GPU 0-3, 7"),
        ((9, 10, 11), "GPU 9-11"),
        ((0, 2, 4), "GPU 0, 2, 4"),
        ((0, 2, 4, 6), "4 of 16"),
        (tuple(range(16)), "all"),
    ],
)
def test_gpus_are_named_as_long_as_that_is_short(numbers: tuple[int, ...], words: str) -> None:
    """Runs of numbers, then a count."""
    assert named([Entity(Kind.GPU, str(n)) for n in numbers], 16) == words


def test_a_gpu_that_has_no_number_keeps_its_name() -> None:
    """Exporters may call it by its UUID."""
    assert named([Entity(Kind.GPU, "GPU-ab"), Entity(Kind.GPU, "GPU-cd")], 16) == "GPU-ab, GPU-cd"
