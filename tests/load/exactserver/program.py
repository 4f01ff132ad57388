"""Starts the exact server as a process of its own, where a test is to share no interpreter with it."""

from __future__ import annotations

import json
import sys
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from perfconsole.actions.run import start

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_WAIT_S = 20.0


@dataclass(frozen=True, slots=True)
class Program:
    """A server that runs."""

    url: str
    port: int
    pid: int


@contextmanager
def program(*words: str, argv: Sequence[str] = (sys.executable, "-m", "tests.load.exactserver")) -> Iterator[Program]:
    """Serve until the end of the block, from the root of the checkout: `program("slots=16", "itl_ms=5")`."""
    child = start([*argv, "--bound", *words], ends_itself=True)
    try:
        line = child.line(_WAIT_S)
        assert line is not None, f"no server: {child.last_words()}"
        said = json.loads(line)
        yield Program(said["url"], said["port"], child.pid)
    finally:
        child.end()
