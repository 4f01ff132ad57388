"""Where the metrics page of a target may be, tried one at a poll until an adapter takes what is there."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from perfconsole.sources.adapter import Adapter
    from perfconsole.sources.targetpage import TargetPage

_FIRST = "/metrics"


class PageRoutes:
    """The paths of one target, in turn until one was right; the only writer of whose turn it is."""

    def __init__(self, page: TargetPage, path: str = "", *, apart: bool = False) -> None:
        """`path` is where the page is known to be; `apart` says that a port of its own serves it."""
        self._page = page
        self.apart = apart
        self._known = path
        self._turn = 0
        self._asked = path

    @property
    def path(self) -> str:
        """What to ask for now."""
        if not self._known:
            paths = self._paths()
            self._asked = paths[self._turn % len(paths)]
        return self._known or self._asked

    def tried(self, *, right: bool) -> None:
        """What was asked for last came, and an adapter knew it or none did. A path that was right once stays.

        One that only led to the page by a redirect does not: the adapter's own is asked from then on.
        """
        if not right:
            self._turn += 1
        elif not self._known:
            paths = self._paths()
            self._known = self._asked if self._asked in paths else paths[0]

    def _paths(self) -> tuple[str, ...]:
        """Those of the adapter, or of all that may turn out to be it."""
        adapter = self._page.adapter
        own = [path for each in ((adapter,) if adapter else self._page.adapters) for path in _places(each)]
        return tuple(dict.fromkeys(own if adapter else (_FIRST, *own)))


def _places(adapter: Adapter) -> tuple[str, ...]:
    return (adapter.metrics_path, *adapter.pages)
