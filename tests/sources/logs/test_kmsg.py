"""Tests of records of the kernel log."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from perfconsole.model.sample import Missing
from perfconsole.sources.logs.kmsg import Kmsg, parse
from perfconsole.sources.logs.tail import Unreadable
from tests.sources.fakeroot import FakeRoot

if TYPE_CHECKING:
    from pathlib import Path


def test_a_record_has_its_time_and_its_message() -> None:
    """Without what continues it: the keys of the device."""
    assert parse(b"3,1234,5000123,-;NVRM: Xid (PCI:0000:3b:00): 79, x\n SUBSYSTEM=pci\n") == (
        5.000123,
        "NVRM: Xid (PCI:0000:3b:00): 79, x",
    )


@pytest.mark.parametrize("record", [b"", b"x", b"1,2;a", b"1,2,x,-;a", b"\xff\xfe"])
def test_what_is_no_record_gives_none(record: bytes) -> None:
    """And is no fault."""
    assert parse(record) is None


@pytest.mark.parametrize("there", [True, False])
def test_a_container_without_the_device_says_so(tmp_path: Path, *, there: bool) -> None:
    """A file in its place is not read either."""
    root = FakeRoot(tmp_path)
    if there:
        root.put("dev/kmsg", "3,1,1,-;x\n")
    found = Kmsg(root.base).read(0.0)
    assert isinstance(found, Unreadable)
    assert found.reason is Missing.UNSUPPORTED


def test_the_log_of_this_host_is_read_or_refused_at_once() -> None:
    """It never waits for the next record."""
    kmsg = Kmsg("")
    found = kmsg.read(1000.0)
    assert isinstance(found, Unreadable) or all(at <= 2000.0 for at, _ in found)
    if not isinstance(found, Unreadable):
        assert len(found) >= 0
    kmsg.close()
