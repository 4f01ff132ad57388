"""Lengths of chunks."""

from __future__ import annotations

from perfconsole.load.chunklengths import LENGTHS


def test_lengths_are_read_once() -> None:
    """What is none is never the length of anything."""
    assert (LENGTHS[b"1F"], LENGTHS[b"xyz"], LENGTHS[b"-5"], LENGTHS[b"1_0"], LENGTHS[b"1F"]) == (31, -1, -1, -1, 31)
