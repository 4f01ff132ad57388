"""What a single frame is: a wait and for what, part of an event loop or of a pool, which theme of work, whose code.

The names stand in frametable.py. Never looks at a whole stack: a wait in the loop's own selector and the same
wait below a callback are told apart elsewhere.
"""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from typing import TYPE_CHECKING

from perfconsole.stacks.frametable import (
    ASYNC,
    ASYNC_FUNCTIONS,
    CLIENT_WAITS,
    CLIENTS,
    FRAMEWORKS,
    LOOPS,
    POOLS,
    THEMES,
    WAITS,
    WORKS,
    every,
    first,
)

if TYPE_CHECKING:
    from perfconsole.model.stack import Frame


class Wait(StrEnum):
    """What a thread waits for when this frame is its innermost."""

    SELECTOR = "selector"
    """Any of several descriptors."""
    NOTICE = "notice"
    """Work or a result from another thread: a queue, an event, a condition, a future."""
    PEER = "peer"
    """Another process of the engine, in a loop that spins."""
    SOCKET = "socket"
    SSL = "ssl"
    DNS = "dns"
    FILE = "file"
    LOCK = "lock"
    SLEEP = "sleep"
    SUBPROCESS = "subprocess"


class Work(StrEnum):
    """What keeps a core busy and a loop from going on."""

    JSON = "json"
    TOKENIZER = "tokenizer"
    GC = "gc"
    IMPORT = "import"


class Origin(StrEnum):
    """Whose code it is, from the outermost to the one that may be mended first."""

    MACHINERY = "machinery"
    """Python itself, native code, event loops, web frameworks and clients of other services."""
    PACKAGE = "package"
    """Installed, but neither of those: an engine, a gateway, a library of the user's company."""
    USER = "user"


FOR_WORK = frozenset((Wait.SELECTOR, Wait.NOTICE, Wait.PEER))
"""Waits that are idleness where nothing but the loop or the pool stands around them."""


class Sign:
    """Bits that say what is somewhere in a stack: `or` of all its frames, one pass over 50,000 stacks."""

    LOOP, POOL, IMPORT, PEER, GIL, WORK, BUSY, ASYNC = (1 << n for n in range(8))
    """BUSY: anything but a wait for work and Python's own code around one."""
    RUNS = LOOP | POOL
    """It runs callbacks or jobs, and is none."""


THEMES_OF = {
    name: 1 << (16 + n)
    for n, name in enumerate(
        (
            "tokenise",
            "relay",
            "serialise",
            "media",
            "metrics",
            "grammar",
            "sampling",
            "compile",
            "gpu_wait",
            "collective",
            "gc",
        )
    )
}
"""Bit of each theme of work."""


@dataclass(frozen=True, slots=True)
class Traits:
    """Everything known of a frame by its names."""

    wait: Wait | None
    work: Work | None
    origin: Origin
    signs: int
    """Bits of Sign and of THEMES_OF."""


_THEME_OF_WORK = {Work.TOKENIZER: "tokenise", Work.GC: "gc"}
_GIL = frozenset(("take_gil", "PyEval_AcquireThread", "PyEval_RestoreThread", "drop_gil"))
_STDLIB = frozenset(sys.stdlib_module_names)
_INSTALLED = re.compile(r"/(?:site|dist)-packages/(.*)")
_PACKAGES = re.compile(r"^.*/(?:(?:site|dist)-packages|lib/python3\.\d+)/")
_SCRIPT = re.compile(r"/s?bin/[^/.]+$")
"""What an installed package starts with."""
_LIBRARY = re.compile(
    r"/(?:python|pypy)3?[.\d]*/(?!site-packages|dist-packages)|/lib/python3[.\d]*/(?!site-packages|dist-packages)"
)
_NATIVE = re.compile(r"\.(?:c|cc|cpp|cxx|h|hpp|pyx|pxd|rs|so[.\d]*)$|^$|\.so\b|kernel")


_KNOWN: dict[Frame, Traits] = {}
_MOST_KNOWN = 200_000


def kinds(frames: tuple[Frame, ...]) -> list[Traits]:
    """Traits of the frames of a stack."""
    known = _KNOWN
    try:
        return [known[frame] for frame in frames]
    except KeyError:
        return [traits(frame) for frame in frames]


def traits(frame: Frame) -> Traits:
    """What a frame is by its names; the answer is kept, since a few thousand frames make up every file."""
    found = _KNOWN.get(frame)
    if found is None:
        if len(_KNOWN) >= _MOST_KNOWN:
            _KNOWN.clear()
        found = _KNOWN[frame] = _traits(frame)
    return found


def _traits(frame: Frame) -> Traits:
    file, name = "/" + frame.file.replace("\\", "/").lstrip("/"), frame.function.rpartition(".")[2]
    found = first(WAITS, file, name)
    if found is None and re.match(CLIENTS, _inner(frame.file)) and re.fullmatch(CLIENT_WAITS, name):
        found = Wait.SOCKET
    wait = Wait(found) if found else None
    work = Work(worked) if (worked := first(WORKS, file, name)) else None
    whose = origin(frame.file)
    themes = {*every(THEMES, file, name), *([_THEME_OF_WORK[work]] if work in _THEME_OF_WORK else [])}
    signs = (
        (Sign.LOOP, first(LOOPS, file, name) is not None),
        (Sign.POOL, first(POOLS, file, name) is not None and (name != "run" or "Worker" in frame.function)),
        (Sign.IMPORT, work is Work.IMPORT),
        (Sign.PEER, wait is Wait.PEER),
        (Sign.GIL, frame.function in _GIL),
        (Sign.WORK, work is not None),
        (Sign.ASYNC, re.search(ASYNC, file) is not None or re.search(ASYNC_FUNCTIONS, frame.function) is not None),
        (Sign.BUSY, wait not in FOR_WORK and (whose is not Origin.MACHINERY or wait is not None or work is not None)),
        *((THEMES_OF[theme], True) for theme in themes),
    )
    return Traits(wait, work, whose, sum(bit for bit, there in signs if there))


@lru_cache(maxsize=8192)
def origin(file: str) -> Origin:
    """Whose code a file is, from its path; a path without folders of packages is told by its first part."""
    path = file.replace("\\", "/")
    installed = _INSTALLED.search("/" + path)
    if installed is None:
        if is_native(path) or path.startswith("<") or _SCRIPT.search(path) or _LIBRARY.search("/" + path):
            return Origin.MACHINERY
        if not path.startswith("/") and path.partition("/")[0].removesuffix(".py") in _STDLIB:
            return Origin.MACHINERY
    inner = _inner(file)
    if re.match(CLIENTS, inner) or re.match(FRAMEWORKS, inner):
        return Origin.MACHINERY
    return Origin.PACKAGE if installed else Origin.USER


def short_file(file: str) -> str:
    """Path of a file below the folder of packages or of Python itself; the whole of any other."""
    return _PACKAGES.sub("", file)


def is_native(file: str) -> bool:
    """A frame of compiled code."""
    return _NATIVE.search(file) is not None


def _inner(file: str) -> str:
    """Path below the folder of installed packages, or the whole of it where it is below none."""
    path = "/" + file.replace("\\", "/").lstrip("/")
    installed = _INSTALLED.search(path)
    return "/" + installed[1] if installed else path
