"""Tests of NVML's codes in words, and of which of them is a fault."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from perfconsole.model.sample import Missing
from perfconsole.sources.nvml.words import code_words, held_by, reason_of, start_failure

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        (3, Missing.UNSUPPORTED),
        (13, Missing.UNSUPPORTED),
        (25, Missing.UNSUPPORTED),
        (4, Missing.NO_PERMISSION),
        (6, Missing.NEVER),
        (999, Missing.SOURCE_DOWN),
        (15, Missing.SOURCE_DOWN),
    ],
)
def test_a_code_has_its_reason(code: int, reason: Missing) -> None:
    """Only what the card or the driver does not have is unsupported."""
    assert reason_of(code) is reason


def test_a_code_is_said_in_words_and_as_a_number() -> None:
    """Also one that is newer than perfconsole."""
    assert code_words(999) == "unknown error inside the driver (NVML code 999)"
    assert "(NVML code 77)" in code_words(77)


@pytest.mark.parametrize(
    ("bits", "words"),
    [
        (0, "nothing"),
        (0x1, "nothing"),
        (0x4, "power cap"),
        (0x40 | 0x80, "heat (hardware), power brake"),
        (0x8 | 0x20 | 0x2, "heat (software), slowdown (hardware), application clocks"),
    ],
)
def test_what_holds_the_clocks_is_said(bits: int, words: str) -> None:
    """All of it; an idle card is held by nothing."""
    assert held_by(bits) == words


@pytest.mark.parametrize(
    ("code", "part", "fault"),
    [
        (12, "libnvidia-ml.so.1 is not found", False),
        (9, "driver is not loaded", False),
        (4, "no permission to use the NVIDIA driver", True),
        (18, "reload its modules or reboot", True),
        (13, "too old", True),
        (999, "NVML does not start: unknown error inside the driver (NVML code 999)", True),
    ],
)
def test_a_failed_start_is_one_line(code: int, part: str, tmp_path: Path, *, fault: bool) -> None:
    """A host without driver or cards has no fault."""
    failure = start_failure(code, tmp_path)
    assert part in failure.text
    assert "\n" not in failure.text
    assert failure.fault is fault


def test_a_driver_that_is_not_loaded_is_a_fault_where_there_are_cards(tmp_path: Path) -> None:
    """The kernel lists them without a driver; sound devices and other makers do not count."""
    for place, vendor, sort in (("a", "0x10de", "0x030200"), ("b", "0x10de", "0x040300"), ("c", "0x1a03", "0x030000")):
        folder = tmp_path / "sys/bus/pci/devices" / place
        folder.mkdir(parents=True)
        (folder / "vendor").write_text(vendor + "\n", encoding="ascii")
        (folder / "class").write_text(sort + "\n", encoding="ascii")
    failure = start_failure(9, tmp_path)
    assert failure.fault
    assert "this host has an NVIDIA GPU" in failure.text
