"""Order of release numbers: enough of it to know which names an engine of some version should have."""

from __future__ import annotations

import re


def version_key(text: str) -> tuple[int, ...]:
    """`0.32.0+cpu`, `v0.9.2.dev1` -> (0, 32, 0), (0, 9, 2); empty when there is no number in front."""
    match = re.match(r"v?(\d+(?:\.\d+)*)", text.strip())
    return tuple(int(part) for part in match[1].split(".")) if match else ()


def within(version: str, since: str, until: str) -> bool:
    """since <= version < until; an empty bound is open, an unknown version is never within a closed one."""
    key = version_key(version)
    if not key:
        return not since and not until
    return (not since or key >= version_key(since)) and (not until or key < version_key(until))
