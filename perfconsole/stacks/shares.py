"""The `profile.*` indicators of a recording. Owns their denominators; says nothing that the samples cannot tell.

A share is of all samples of the threads that ever did anything: thirty threads of a pool that only wait for work would
hide a full one among them. Those of the event loop and of the main thread are shares of that thread alone.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from perfconsole.stacks.framekind import THEMES_OF, Wait, Work

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from perfconsole.stacks.threads import Thread

_Tally = dict[tuple[int, Wait | Work | None], float]
_ALWAYS_IDLE = 0.999
_LIKE = {"tokenise": Work.TOKENIZER, "serialise": Work.JSON, "gc": Work.GC}
"""Work that is of a theme where only the text of a line tells it."""


def shares(threads: Sequence[Thread], *, idle: bool | None, native: bool) -> dict[str, float]:
    """Indicators by name. `idle`: waiting threads are in the samples; `native`: so are frames of compiled code.

    Where nobody says whether waiting threads are (None), they are if any thread is seen waiting.
    """
    counted = working(threads)
    tally = _tally(counted)
    found = {f"profile.{theme}_ratio": _share(tally, _inside(theme)) for theme in THEMES_OF}
    if not (native or found["profile.gc_ratio"]):
        del found["profile.gc_ratio"]  # it has no frame of Python: 0 would be a guess
    if idle or (idle is None and any(isinstance(what, Wait) for _, what in tally)):
        found["profile.lock_wait_ratio"] = _share(tally, lambda _signs, what: what is Wait.LOCK)
        found |= _of_waiting(threads)
    return found


def _tally(threads: Sequence[Thread]) -> _Tally:
    """Weight by what there is in a stack and what it does: thousands of stacks share a few of these pairs."""
    tally: _Tally = defaultdict(float)
    for thread in threads:
        for _, weight, done in thread.read:
            tally[done.signs, done.what] += weight
    return tally


def working(threads: Sequence[Thread]) -> list[Thread]:
    """Threads that were seen doing anything but waiting for work; all of them where none was."""
    return [thread for thread in threads if thread.idle() < _ALWAYS_IDLE] or list(threads)


def _of_waiting(threads: Sequence[Thread]) -> dict[str, float]:
    found: dict[str, float] = {}
    loops = [t for t in threads if t.loop]
    if loops:
        found["profile.blocked_loop_ratio"] = max(t.share(t.is_blocked(d) for _, _, d in t.read) for t in loops)
    main = [t for t in threads if t.main]
    if main:
        found["profile.main_active_ratio"] = max(
            t.share(not isinstance(d.what, Wait) for _, _, d in t.read) for t in main
        )
    return found


def _share(tally: _Tally, chosen: Callable[[int, Wait | Work | None], bool]) -> float:
    whole = sum(tally.values())
    inside = sum(weight for (signs, what), weight in tally.items() if chosen(signs, what))
    return inside / whole if whole else 0.0


def _inside(theme: str) -> Callable[[int, Wait | Work | None], bool]:
    bit, work = THEMES_OF[theme], _LIKE.get(theme)
    return lambda signs, what: bool(signs & bit) or (work is not None and what is work)
