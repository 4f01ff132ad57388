"""Compiles the exact server in C (exactserver.c), the twin of tests/load/exactserver for more tokens a second."""

from __future__ import annotations

import shutil
from pathlib import Path

from perfconsole.actions.run import start

SOURCE = Path(__file__).with_name("exactserver.c")
_WAIT_S = 60.0


def compiled(folder: Path, *options: str) -> Path:
    """The program, built into a folder; RuntimeError with the words of the compiler where it cannot be."""
    compiler = shutil.which("cc")
    if compiler is None:
        raise RuntimeError("no C compiler")
    program = folder / "exactserver"
    child = start([compiler, "-O2", "-Wall", "-Wextra", *options, "-o", str(program), str(SOURCE)], ends_itself=True)
    child.wait(_WAIT_S)
    words, code = child.last_words(), child.code()
    child.end()
    if code != 0 or words:
        raise RuntimeError(f"{SOURCE.name} does not compile: {words or code}")
    return program
