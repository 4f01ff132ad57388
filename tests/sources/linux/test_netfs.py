"""Bytes moved by NFS mounts."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from perfconsole.sources.linux.netfs import parse_mountstats

MOUNTSTATS = """device proc mounted on /proc with fstype proc
device store:/models mounted on /mnt/models with fstype nfs4 statvers=1.1
\topts:\trw,vers=4.2
\tage:\t100
\tbytes:\t1 2 3 4 5000 600 7 8
device store:/models mounted on /srv/models with fstype nfs4 statvers=1.1
\tbytes:\t1 2 3 4 5000 600 7 8
device /dev/vda mounted on / with fstype ext4
\tbytes:\t9 9 9 9 9 9 9 9
"""


def test_bytes_over_the_wire_by_export() -> None:
    """An export mounted twice counts once, other file systems not at all."""
    assert parse_mountstats(MOUNTSTATS) == {"store:/models": (5000.0, 600.0)}


def test_a_host_without_nfs_has_none() -> None:
    """No mount, no entry."""
    assert parse_mountstats("device proc mounted on /proc with fstype proc\n") == {}


@given(st.text())
def test_no_text_makes_it_raise(text: str) -> None:
    """Any text gives a table."""
    parse_mountstats(text)
