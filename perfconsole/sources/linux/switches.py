"""How often the threads of a process leave their core: to wait, or because another one takes it.

Many of the first are the pulse of an event loop; many of the second say that cores are short.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from perfconsole.model.sample import Missing
from perfconsole.sources.linux import procfs

if TYPE_CHECKING:
    from perfconsole.sources.linux.values import Values

NAMES = ("host.process_voluntary_switches", "host.process_involuntary_switches")
_EVERY_S = 5.0
"""Between two readings: the file of a thread costs about 15 us."""
_MOST = 256
"""Threads beyond which they are not read at all."""
_COUNTS = re.compile(r"^voluntary_ctxt_switches:\s+(\d+)$\n^nonvoluntary_ctxt_switches:\s+(\d+)$", re.MULTILINE)
_Counts = dict[str, tuple[int, int]]


def parse_switches(text: str) -> tuple[int, int] | None:
    """Voluntary and involuntary switches so far, from the status file of a thread; None when it has none."""
    found = _COUNTS.search(text)
    return (int(found[1]), int(found[2])) if found else None


class SwitchWatch:
    """Switches of one process; the only writer of its last counts."""

    def __init__(self, base: str, pid: int) -> None:
        self._folder = f"{base}/proc/{pid}/task"
        self._counts: _Counts = {}
        self._at: float | None = None
        self._values: Values = dict.fromkeys(NAMES, Missing.WARMING_UP)

    def read(self, now: float) -> Values:
        """Switches a second over all threads that were there at both of the last two readings."""
        if self._at is None or now - self._at >= _EVERY_S:
            before, span = self._counts, now - (now if self._at is None else self._at)
            found = self._read()
            self._counts, self._at = ({}, now) if isinstance(found, Missing) else (found, now)
            self._values = _rates(before, found, span)
        return self._values

    def _read(self) -> _Counts | Missing:
        tids = procfs.list_names(self._folder)
        if isinstance(tids, Missing):
            return tids
        if len(tids) > _MOST:
            return Missing.UNSUPPORTED
        texts = {tid: procfs.read_text(f"{self._folder}/{tid}/status") for tid in tids}
        found = {tid: parse_switches(text) for tid, text in texts.items() if not isinstance(text, Missing)}
        known = {tid: counts for tid, counts in found.items() if counts is not None}
        refused = next((text for text in texts.values() if isinstance(text, Missing)), Missing.UNSUPPORTED)
        return known or refused


def _rates(before: _Counts, found: _Counts | Missing, span: float) -> Values:
    if isinstance(found, Missing):
        return dict.fromkeys(NAMES, found)
    both = [(before[tid], counts) for tid, counts in found.items() if tid in before]
    if span <= 0 or not both:
        return dict.fromkeys(NAMES, Missing.WARMING_UP)
    return {name: sum(max(0, new[i] - old[i]) for old, new in both) / span for i, name in enumerate(NAMES)}
