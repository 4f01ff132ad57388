"""What lines of the kernel log say of GPUs and of memory: Xids, link errors, OOM kills. Pure on one line."""

from __future__ import annotations

import re
from dataclasses import dataclass

GATES = (b"NVRM", b"PCIe Bus Error: severity=", b" process ")
_XID = re.compile(r"NVRM: Xid \(?(?:PCI:)?([0-9a-fA-F:.]+)\)?: (\d{1,4})\b")
_ADDRESS = re.compile(r"\b([0-9a-fA-F]{4,8}:[0-9a-fA-F]{2}:[0-9a-fA-F]{2})")
_LINK = re.compile(r"\b([0-9a-fA-F]{4,8}:[0-9a-fA-F]{2}:[0-9a-fA-F]{2})\.\d: (?:AER: )?PCIe Bus Error: severity=")
_KILL = re.compile(r"(?:Out of memory|Memory cgroup out of memory): Kill(?:ed)? process \d+")

LOST = 79
"""Xid of a GPU that fell off the bus; a line that says so without a number stands for it."""


@dataclass(frozen=True, slots=True)
class Said:
    """One event. `address` is `domain:bus:device` in lower case, empty where the line names none."""

    what: str
    address: str = ""
    xid: int = 0
    numbered: bool = True


def read_line(text: str) -> Said | None:
    """The event of a line, None for any other line."""
    if (match := _XID.search(text)) is not None:
        return Said("xid", address_of(match[1]), int(match[2]))
    if "NVRM" in text and "fallen off the bus" in text:
        found = _ADDRESS.search(text)
        return Said("xid", address_of(found[1]) if found else "", LOST, numbered=False)
    if (match := _LINK.search(text)) is not None:
        return Said("link", address_of(match[1]))
    return Said("kill") if _KILL.search(text) else None


def address_of(text: str) -> str:
    """`domain:bus:device` of an address in any of its spellings; the domain has four digits."""
    parts = text.lower().partition(".")[0].split(":")
    if len(parts) == 2:
        parts = ["0", *parts]
    return ":".join([parts[0].lstrip("0").rjust(4, "0"), *parts[1:3]])
