"""A py-spy by hand: a program that does what a test says with the place where stacks are to be written."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

STACKS = "thread (4): MainThread;f (a.py:1) 3\n"


def fake(folder: Path, body: str) -> str:
    """Path of a program of which `output` is the value behind --output and `words` are all of its arguments."""
    path = folder / "py-spy"
    path.write_text(
        f"#!{sys.executable}\n"
        "import os, signal, sys, time\n"
        "words = sys.argv[1:]\n"
        "output = words[words.index('--output') + 1] if '--output' in words else ''\n"
        f"{body}\n",
        encoding="utf-8",
    )
    path.chmod(0o700)
    return str(path)


WRITES = f"open(output, 'w').write({STACKS!r})"
