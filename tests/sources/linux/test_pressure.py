"""Pressure stall information."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

from perfconsole.model.sample import Missing
from perfconsole.sources.linux.pressure import parse_pressure, read_pressure
from tests.sources.fakeroot import FakeRoot, captured

if TYPE_CHECKING:
    from pathlib import Path

TEXT = "some avg10=12.50 avg60=1.00 avg300=0.10 total=1\nfull avg10=2.00 avg60=0.00 avg300=0.00 total=0\n"


def test_percent_becomes_a_ratio() -> None:
    """12.5 % of the last 10 s are 0.125."""
    assert parse_pressure(TEXT, "some") == 0.125
    assert parse_pressure(TEXT, "full") == 0.02


def test_a_captured_page_has_a_value() -> None:
    """A real file parses."""
    assert parse_pressure(captured("pressure_cpu"), "some") is not Missing.UNSUPPORTED


def test_a_page_without_the_line_is_unsupported() -> None:
    """Older kernels have no `full` line for the CPU."""
    assert parse_pressure(TEXT.partition("\n")[0], "full") is Missing.UNSUPPORTED


def test_a_kernel_without_pressure_is_unsupported(tmp_path: Path) -> None:
    """No /proc/pressure is not pressure 0."""
    assert set(read_pressure(str(tmp_path)).values()) == {Missing.UNSUPPORTED}


def test_memory_is_read_from_its_full_line(tmp_path: Path) -> None:
    """CPU and I/O count `some`, memory `full`."""
    root = FakeRoot(tmp_path)
    for name in ("cpu", "memory", "io"):
        root.put(f"proc/pressure/{name}", TEXT)
    assert read_pressure(root.base) == {"host.psi_cpu": 0.125, "host.psi_memory": 0.02, "host.psi_io": 0.125}


@given(st.text())
def test_no_text_makes_it_raise(text: str) -> None:
    """Any text gives a ratio or a reason."""
    parse_pressure(text, "some")
