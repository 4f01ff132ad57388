"""Order of release numbers: enough of it to know which names an engine of some version should have."""

from __future__ import annotations

import re


def version_key(text: str) -> tuple[int, ...]:
    """`0.32.0+cpu`, `v0.9.2.dev1` -> (0, 32, 0), (0, 9, 2); empty when there is no number in front.

    `0.1.dev4+g1a2b3c` is what setuptools_scm calls a build without tags: it says nothing of the release.
    """
    match = re.match(r"v?(?!0\.[01]\.dev)(\d+(?:\.\d+)*)", text.strip())
    return tuple(int(part) for part in match[1].split(".")) if match else ()


def within(version: str, since: str, until: str) -> bool:
    """since <= version < until; an empty bound is open, an unknown version is never within a closed one."""
    key = _comparable(version)
    if not key:
        return not since and not until
    return (not since or key >= _comparable(since)) and (not until or key < _comparable(until))


def _comparable(text: str) -> tuple[int, ...]:
    """Key in which 0.12 and 0.12.0 are the same release."""
    key = version_key(text)
    return (*key, *(0 for _ in range(4 - len(key)))) if key else ()
