"""A Python process that waits until it is told to end, and a py-spy of our own in front of the real one."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

from perfconsole.actions.run import end, start
from tests.actions.fakepyspy import fake

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from contextlib import AbstractContextManager
    from pathlib import Path

    import pytest

_WAITS = "import sys; sys.stdin.read()"


@contextmanager
def waiting(argv: Sequence[str]) -> Iterator[int]:
    """Number of a process of this program, which ends with its stdin, and with the block."""
    child = start(argv, ends_itself=True)
    try:
        yield child.pid
    finally:
        end([child], 2.0)
        child.close()


def sleeper(*words: str) -> AbstractContextManager[int]:
    """A Python process that waits, with these words in its command line."""
    return waiting([sys.executable, "-I", "-S", "-c", _WAITS, *words])


def beside(folder: Path, monkeypatch: pytest.MonkeyPatch, body: str | None) -> str:
    """Put a py-spy that does this beside the Python that runs, and none into PATH; None puts none anywhere."""
    python = folder / "bin" / "python"
    python.parent.mkdir()
    python.symlink_to(sys.executable)
    tool = "" if body is None else fake(python.parent, body)
    monkeypatch.setattr(sys, "executable", str(python))
    monkeypatch.setenv("PATH", str(folder))
    return tool
