"""What a thread was doing in one stack: nothing, waiting below a callback, or busy; and by which line."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from perfconsole.stacks.callwords import called
from perfconsole.stacks.framekind import FOR_WORK, THEMES_OF, Origin, Sign, Wait, Work, is_native, kinds, traits

if TYPE_CHECKING:
    from perfconsole.model.stack import Frame
    from perfconsole.stacks.framekind import Traits

Source = Callable[[str, int], str | None]
"""Text of a line of a source file, None where it cannot be read."""


_STARTS = frozenset(("run", "run_until_complete", "run_forever", "start", "mainLoop"))
"""Functions that start a loop."""


@dataclass(frozen=True, slots=True)
class Doing:
    """A stack, read."""

    what: Wait | Work | None
    """What it waits for, or which work that keeps a core; None for any other work."""
    begin: int
    """Place of the first frame below the loop or the pool."""
    call: str
    """The call as the source line has it; empty where names told."""
    bare: bool
    """Only the wait itself, in Python's own code, stands below the loop or the pool: nobody's callback."""
    signs: int
    """Bits of Sign and of THEMES_OF of all its frames."""
    unread: bool = False
    """Only the text of its line would tell, and that could not be read."""

    @property
    def idle(self) -> bool:
        """It waits for work. Below a callback of a loop or a job of a pool, waiting for a thread is no idleness."""
        return self.what in FOR_WORK and (self.bare or not self.signs & Sign.RUNS)

    @property
    def blocked(self) -> bool:
        """It uses no core, and is not idle."""
        return isinstance(self.what, Wait) and not self.idle


def doing(frames: tuple[Frame, ...], source: Source) -> Doing:
    """Read one stack, outermost frame first."""
    told = kinds(frames)
    begin = every = below = 0
    for place, kind in enumerate(told):
        signs = kind.signs
        every |= signs
        if signs & Sign.RUNS:
            begin, below = place + 1, 0
        else:
            below |= signs
    if begin == len(frames):
        return Doing(_wait_in_c(frames), begin, "", bare=True, signs=every)
    what, call, unread = _what(frames, told, begin, below, source)
    return Doing(what, begin, call, bare=not below & Sign.BUSY, signs=every, unread=unread)


def _wait_in_c(frames: tuple[Frame, ...]) -> Wait | None:
    """The stack ends in the loop or the pool itself: a loop written in C (uvloop) has no frame for its selector.

    One written in Python has frames below the one that starts it, down to its selector or a callback.
    """
    if not frames:
        return None
    own, starts = traits(frames[-1]), frames[-1].function.rpartition(".")[2] in _STARTS
    return own.wait or (Wait.SELECTOR if own.signs & Sign.LOOP and starts else None)


def user_frame(frames: tuple[Frame, ...], begin: int) -> Frame | None:
    """Innermost frame outside of libraries; where there is none, the innermost of an application that is installed."""
    below = list(zip(frames[begin:], kinds(frames)[begin:], strict=True))
    for wanted in (Origin.USER, Origin.PACKAGE):
        for frame, kind in reversed(below):
            if kind.origin is wanted and not kind.signs & _LIBRARY_WORK:
                return frame
    return None


_LIBRARY_WORK = THEMES_OF["tokenise"] | THEMES_OF["media"] | THEMES_OF["grammar"]
"""Work that is a library's own even where the library is no client and no framework."""


def _what(
    frames: tuple[Frame, ...], told: list[Traits], begin: int, signs: int, source: Source
) -> tuple[Wait | Work | None, str, bool]:
    """Names first, innermost frame first; where they say nothing, the text of the innermost line.

    What it does, the call by that text, and whether the text would have told and could not be read.
    """
    if signs & Sign.IMPORT:
        return Work.IMPORT, "", False
    if signs & Sign.GIL:
        return None, "", False
    if signs & Sign.ASYNC and told[-1].wait is not Wait.SELECTOR and _never_waits(told[begin:]):
        return (next((k.work for k in reversed(told) if k.work), None) if signs & Sign.WORK else None), "", False
    if signs & Sign.PEER:
        return Wait.PEER, "", False  # it spins: the innermost frame is some part of the spinning
    native = _native_tail(frames, begin)
    leaf = told[-1].wait or next((k.wait for k in reversed(told[native:]) if k.wait), None)
    if leaf is not None:
        return _specific(leaf, told[begin:]), "", False
    if signs & Sign.WORK:
        return next(kind.work for kind in reversed(told) if kind.work), "", False
    python = frames[native - 1] if native > begin else frames[-1]
    text = source(python.file, python.line) if python.line else None
    found = called(text) if text else None
    return (found.what, found.call, False) if found else (None, "", text is None)


def _never_waits(below: list[Traits]) -> bool:
    """Code of a loop or of an asynchronous client is innermost: what looks like a wait there finds its data ready.

    The selector of the loop itself is no such call: it stands above all callbacks.
    """
    for kind in reversed(below):
        if kind.origin is not Origin.MACHINERY:
            return False
        if kind.signs & Sign.ASYNC:
            return True
    return False


def _native_tail(frames: tuple[Frame, ...], begin: int) -> int:
    """Place of the first of the native frames that a stack ends with."""
    place = len(frames)
    while place > begin and is_native(frames[place - 1].file):
        place -= 1
    return place


def _specific(leaf: Wait, below: list[Traits]) -> Wait:
    """A selector or a condition deep inside a client or a subprocess call is that client's wait."""
    if leaf not in FOR_WORK:
        return leaf
    return next((kind.wait for kind in reversed(below) if kind.wait and kind.wait not in FOR_WORK), leaf)
