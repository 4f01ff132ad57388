"""Memory, swap, faults and OOM kills."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

from perfconsole.model.sample import Missing
from perfconsole.sources.linux import memory
from perfconsole.sources.linux.memory import MemoryReader, parse_meminfo, parse_vmstat
from tests.sources.fakeroot import FakeRoot, captured

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

MEMINFO = "MemTotal: 1000 kB\nMemAvailable: 250 kB\nSwapTotal: 100 kB\nSwapFree: 40 kB\nHugePages_Total: 7\n"


def test_kib_become_bytes_and_counts_are_left_out() -> None:
    """A field without a unit is no amount of memory."""
    assert parse_meminfo(MEMINFO) == {
        "MemTotal": 1_024_000.0,
        "MemAvailable": 256_000.0,
        "SwapTotal": 102_400.0,
        "SwapFree": 40_960.0,
    }


def test_captured_pages_have_what_is_read() -> None:
    """Real files parse."""
    assert parse_meminfo(captured("meminfo"))["MemTotal"] == 24684096 * 1024
    assert parse_vmstat(captured("vmstat"))["pgmajfault"] == 993


def test_amounts_are_there_at_the_first_poll(tmp_path: Path) -> None:
    """Gauges need no second reading."""
    root = FakeRoot(tmp_path)
    root.put("proc/meminfo", MEMINFO)
    values = MemoryReader(root.base).read(0.0)
    assert values["host.mem_available_ratio"] == 0.25
    assert values["host.swap_used"] == 60 * 1024


def test_swapped_pages_become_bytes_a_second(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ten pages of 4096 bytes in two seconds."""
    monkeypatch.setattr(memory, "_PAGE", 4096)
    root = FakeRoot(tmp_path)
    reader = MemoryReader(root.base)
    root.put("proc/vmstat", "pswpout 0\npgmajfault 5\noom_kill 1\n")
    assert reader.read(0.0)["host.swap_out"] is Missing.WARMING_UP
    root.put("proc/vmstat", "pswpout 10\npgmajfault 9\noom_kill 3\n")
    values = reader.read(2.0)
    assert (values["host.swap_out"], values["host.major_faults"], values["host.oom_kills"]) == (20480.0, 2.0, 2.0)


def test_a_kernel_without_the_kill_counter_says_so(tmp_path: Path) -> None:
    """Before Linux 4.13 there is no oom_kill: that is not 0 kills."""
    root = FakeRoot(tmp_path)
    root.put("proc/vmstat", "pswpout 0\n")
    assert MemoryReader(root.base).read(0.0)["host.oom_kills"] is Missing.UNSUPPORTED


def test_without_the_files_all_is_unsupported(tmp_path: Path) -> None:
    """Nothing is 0 where nothing can be read."""
    assert set(MemoryReader(str(tmp_path)).read(0.0).values()) == {Missing.UNSUPPORTED}


@given(st.text())
def test_no_text_makes_them_raise(text: str) -> None:
    """Any text gives a reading."""
    parse_meminfo(text)
    parse_vmstat(text)
