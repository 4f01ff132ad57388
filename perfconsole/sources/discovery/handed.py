"""Targets that were handed over: each once, and given up when nothing is left of it. The only writer of these."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfconsole.sources.discovery.found import Untaken, words_of
from perfconsole.sources.discovery.weblink import place_of

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable

    from perfconsole.sources.discovery.found import Found
    from perfconsole.sources.discovery.program import Programs

GIVE_UP_S = 600.0
"""A restart with a large model takes minutes, and the outage must stay on the screen until somebody has seen it."""


class Handed:
    """What was found so far. Only the thread that polls calls it; `all` may be read by any."""

    def __init__(self, take: Callable[[Found], None], drop: Callable[[Found], None]) -> None:
        self._take = take
        self._drop = drop
        self._targets: dict[str, Found] = {}
        self._starts: dict[str, int] = {}
        self._gone_since: dict[str, float] = {}

    @property
    def all(self) -> tuple[Found, ...]:
        """Every target that is handed over, in the order in which they were found."""
        return tuple(self._targets.values())

    def pids(self, programs: Programs) -> set[int]:
        """First processes of the targets, those that still run."""
        return {each.pid for each in self._targets.values() if self._runs(each, programs)}

    def give(self, found: Iterable[Found], programs: Programs) -> list[Untaken]:
        """Hand over what is new; what could not be taken comes back with the reason, and is tried again."""
        refused = []
        for each in found:
            if each.url in self._targets:
                continue
            try:
                self._take(each)
            except Exception as error:  # noqa: BLE001 - whatever is wrong with one target must not end the look
                refused.append(_untaken(each, f"found, but it cannot be watched: {words_of(error)}"))
                continue
            # A new table, so that a thread that reads never sees one change.
            self._targets = {**self._targets, each.url: each}
            if each.pid in programs:
                self._starts[each.url] = programs[each.pid].start_ticks
        return refused

    def give_up(self, there: Collection[str], programs: Programs, now: float) -> list[Untaken]:
        """Let go of those of which nothing was left for GIVE_UP_S; they are found anew when they come back.

        Nothing is left where neither the first process runs nor the URL is among those that are `there`.
        """
        gone = [e.url for e in self._targets.values() if e.url not in there and not self._runs(e, programs)]
        self._gone_since = {url: self._gone_since.get(url, now) for url in gone}
        faults = []
        for url in [url for url, since in self._gone_since.items() if now - since >= GIVE_UP_S]:
            each = self._targets[url]
            self._targets = {other: found for other, found in self._targets.items() if other != url}
            self._starts.pop(url, None)
            try:
                self._drop(each)
            except Exception as error:  # noqa: BLE001 - as above
                faults.append(_untaken(each, f"gone, but it cannot be left: {words_of(error)}"))
        return faults

    def _runs(self, found: Found, programs: Programs) -> bool:
        program = programs.get(found.pid)
        return program is not None and program.start_ticks == self._starts.get(found.url)


def _untaken(found: Found, reason: str) -> Untaken:
    return Untaken(place_of(found.url)[1], found.pid, found.program or found.adapter, reason)
