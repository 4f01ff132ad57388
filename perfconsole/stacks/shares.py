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

_Kind = tuple[int, Wait | Work | None, bool]
"""Signs of a stack, what it does, and whether it waits for work."""
_Tally = dict[_Kind, float]
UNREAD = 0.05
"""Share of lines whose text would tell and cannot be read, above which a small share of waiting is no all-clear."""
_TOLD = 0.2
"""Share of waiting that is told all the same: it can only be more."""
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
    if idle or (idle is None and any(isinstance(what, Wait) for _, what, _ in tally)):
        found["profile.lock_wait_ratio"] = _share(tally, lambda kind: kind[1] is Wait.LOCK)
        found |= _of_waiting(threads)
    return found


def _tally(threads: Sequence[Thread]) -> _Tally:
    """Weight by what there is in a stack and what it does: thousands of stacks share a few of these pairs."""
    tally: _Tally = defaultdict(float)
    for thread in threads:
        for _, weight, done in thread.read:
            tally[done.signs, done.what, done.idle] += weight
    return tally


def working(threads: Sequence[Thread]) -> list[Thread]:
    """Threads that were seen doing anything but waiting for work; all of them where none was."""
    return [thread for thread in threads if thread.idle() < _ALWAYS_IDLE] or list(threads)


def _of_waiting(threads: Sequence[Thread]) -> dict[str, float]:
    """Of threads that wait; nothing of one much of whose lines cannot be read, unless enough of it is seen to wait."""
    blocked = [t.share(d.blocked for _, _, d in t.read) for t in threads if t.loop]
    sure = [t.share(d.unread for _, _, d in t.read) <= UNREAD for t in threads if t.loop]
    found: dict[str, float] = {}
    if blocked and (all(sure) or max(blocked) >= _TOLD):
        found["profile.blocked_loop_ratio"] = max(blocked)
    active = [t.share(not isinstance(d.what, Wait) for _, _, d in t.read) for t in threads if t.main]
    if active:
        found["profile.main_active_ratio"] = max(active)
    return found


def _share(tally: _Tally, chosen: Callable[[_Kind], bool]) -> float:
    whole = sum(tally.values())
    inside = sum(weight for kind, weight in tally.items() if chosen(kind))
    return inside / whole if whole else 0.0


def _inside(theme: str) -> Callable[[_Kind], bool]:
    """Some frame is of the theme, or the line calls for it, and it does not merely wait for work there."""
    bit, work = THEMES_OF[theme], _LIKE.get(theme)
    return lambda kind: not kind[2] and (bool(kind[0] & bit) or (work is not None and kind[1] is work))
