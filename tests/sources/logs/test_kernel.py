"""Tests of lines of the kernel log."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perfconsole.sources.logs.kernel import Said, address_of, read_line
from tests.sources.logs.logbooks import captured


def test_the_events_of_a_captured_log() -> None:
    """Each once; what only explains them is none."""
    found = [said for line in captured("kernel.txt").decode().splitlines() if (said := read_line(line))]
    assert found == [
        Said("xid", "0000:3b:00", 31),
        Said("link", "0000:3b:00"),
        Said("link", "0000:3a:00"),
        Said("link", "0000:01:00"),
        Said("xid", "0000:86:00", 79),
        Said("xid", "0000:86:00", 79, numbered=False),
        Said("kill"),
        Said("kill"),
    ]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("NVRM: Xid (0000:03:00): 14, Channel 00000001", Said("xid", "0000:03:00", 14)),
        ("NVRM: Xid (PCI:0002:00:00): 119, pid=1, Timeout after 6s", Said("xid", "0002:00:00", 119)),
        ("NVRM: GPU has fallen off the bus.", Said("xid", "", 79, numbered=False)),
        ("Memory cgroup out of memory: Kill process 7 (x) score 1000", Said("kill")),
        ("oom_reaper: reaped process 4312 (python3), now anon-rss:0kB", None),
        ("NVRM: loading NVIDIA UNIX x86_64 Kernel Module", None),
    ],
)
def test_other_wordings(line: str, said: Said | None) -> None:
    """Of older drivers and kernels."""
    assert read_line(line) == said


@pytest.mark.parametrize("text", ["0000:3b:00", "0000:3B:00.0", "00000000:3b:00.0", "3b:00.0", "3b:00"])
def test_an_address_has_one_spelling(text: str) -> None:
    """Whoever writes it."""
    assert address_of(text) == "0000:3b:00"


@given(st.text(max_size=200))
def test_any_line_is_borne(line: str) -> None:
    """Any program may write there."""
    read_line(line)
    read_line(f"NVRM: Xid (PCI:{line}): 79")
