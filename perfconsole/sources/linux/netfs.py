"""Bytes moved by NFS mounts. Never counts one export twice because it is mounted twice."""

from __future__ import annotations

import re

_MOUNT = re.compile(r"device (\S+) mounted on .* with fstype nfs4? ")
_BYTES = re.compile(r"\s+bytes:\s+(?:\d+\s+){4}(\d+)\s+(\d+)")
"""Six byte counts: those asked by programs, cached and direct, then read from and written to the server."""


def parse_mountstats(text: str) -> dict[str, tuple[float, float]]:
    """Bytes (read, written) over the wire by exported folder, from /proc/self/mountstats."""
    found: dict[str, tuple[float, float]] = {}
    export = ""
    for line in text.splitlines():
        if line.startswith("device "):
            mount = _MOUNT.match(line + " ")
            export = mount[1] if mount else ""
        elif export and (moved := _BYTES.match(line)):
            found[export] = (float(moved[1]), float(moved[2]))
    return found
