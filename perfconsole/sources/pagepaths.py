"""At which paths the page of an engine is asked for, until one was right. The only writer of which that was."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from perfconsole.sources.targetpage import TargetPage

WALK_EVERY_S = 60.0
"""Between two walks over all paths of an engine that nobody knows; in between only the usual one is asked."""
_USUAL = "/metrics"


class PagePaths:
    """The paths of one engine."""

    def __init__(self, page: TargetPage, known: str = "") -> None:
        """`known` is where the page is known to be; empty for nowhere yet."""
        self._page = page
        self._known = known
        self._walk_due = float("-inf")

    def due(self, now: float) -> tuple[str, ...]:
        """Paths to try at this poll, in this order.

        Reading some of them empties a queue of some engine: those come last, and are not reached where another answers.
        """
        adapter = self._page.adapter
        if self._known:
            return (self._known,)
        if adapter is not None:
            return (adapter.metrics_path, *adapter.pages)
        unsafe = {path for each in self._page.adapters for path in each.never_read}
        every = dict.fromkeys(path for each in self._page.adapters for path in (each.metrics_path, *each.pages))
        ordered = tuple(sorted(every, key=lambda path: (path in unsafe, path == _USUAL))) or (_USUAL,)
        if now < self._walk_due:
            return ordered[-1:]
        self._walk_due = now + WALK_EVERY_S
        return ordered

    def take(self, path: str) -> None:
        """The page is there, and stays there."""
        self._known = path
