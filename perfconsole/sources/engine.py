"""Polls one engine over HTTP: its metrics page, its health route, and now and then its info routes.

Never asks a route that runs a generation, drains a queue or resets a window: the routes are the adapter's.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from perfconsole.clock import SystemClock
from perfconsole.sources.cadence import FASTEST_S, Cadence
from perfconsole.sources.health import GONE, SERVER_FAULT, Health, Moment, Verdict, status_text
from perfconsole.sources.http import Fetcher, FetchError, FetchKind
from perfconsole.sources.identity import NOBODY, Identity
from perfconsole.sources.inforoutes import InfoRoutes
from perfconsole.sources.otherpages.sidepages import side_pages
from perfconsole.sources.pagepaths import PagePaths
from perfconsole.sources.targetpage import Poll, TargetPage
from perfconsole.sources.whosepage import whose

if TYPE_CHECKING:
    from collections.abc import Callable

    from perfconsole.clock import Clock
    from perfconsole.model.sample import Batch
    from perfconsole.sources.adapter import Adapter
    from perfconsole.sources.http import Reply

FACTS_EVERY_S = 60.0
PAGE_WAIT_S = 7.5
"""How long a page may take once one did not come in the usual time: an engine that is short of CPU may need 5 s for it,
and its numbers count all the same. A first silence is told of earlier."""
_NOT_HERE = frozenset((404, 405, 501))
"""Statuses of a path that a server does not have."""


class EngineSource:
    """One engine. `poll` returns the batch of its page and the batch of its health, each able to fail alone."""

    kind = "engine"
    deadline_s = 25.0
    """Worst case of one poll: page, health and info routes, each within the limits of the fetcher."""
    brief = False

    def __init__(
        self,
        page: TargetPage,
        fetcher: Fetcher,
        clock: Clock | None = None,
        elsewhere: tuple[Fetcher, str] | None = None,
        identify: Callable[[], Identity] = lambda: NOBODY,
    ) -> None:
        """`elsewhere` is a fetcher and a path for the metrics page where that is not at the engine's own place.

        `identify` says what the process behind the address is, where that can be seen.
        """
        self.page = page
        self._fetcher = fetcher
        self._pages, path = elsewhere or (fetcher, "")
        self._paths = PagePaths(page, path)
        self._clock = clock or SystemClock()
        self._identify = identify
        self._cadence = Cadence()
        self._cadence_s = FASTEST_S
        self._facts_due = self._version_due = self._identify_due = float("-inf")
        self._info = InfoRoutes(fetcher)
        self._last_status = 200
        self._wait_s: float | None = None
        """How long a page may take; None for what the limits of the fetcher say."""
        self._health = Health(page, page.dictionary)
        self._last_kind: FetchKind | None = None

    @property
    def name(self) -> str:
        """Name in health lines."""
        return self.page.source

    def poll(self, now: float, wall: float) -> tuple[Batch, ...]:
        """Ask once. `now` and `wall` are the start of the poll; the batches carry its end."""
        self._ask_who(now)
        page = self._poll_page(wall - now)
        if page.restarted:
            self._info.forget()
        if page.error is None and (now >= self._facts_due or page.restarted):
            self._refresh_facts(now)
        health = self._poll_health(page, wall - now)
        self._cadence_s = self._cadence.after((page.took_s or 0.0) + (health.took_s or 0.0))
        took_s = page.took_s if health.took_s is None else health.took_s  # what is known of it came with the page
        return replace(page, cadence_s=self._cadence_s), replace(health, cadence_s=self._cadence_s, took_s=took_s)

    def interrupt(self) -> None:
        """Break a request in flight; callable from any thread."""
        self._pages.interrupt()
        self._fetcher.interrupt()

    def close(self) -> None:
        """Let go of the connection."""
        self._pages.close()
        self._fetcher.close()

    def _ask_who(self, now: float) -> None:
        """Learn from its process what it is, before any path is tried: reading some paths empties a queue."""
        if self.page.adapter is not None or now < self._identify_due:
            return
        self._identify_due = now + FACTS_EVERY_S
        who = self._identify()
        if who.adapter is not None:
            self.page.take(who.adapter)
        if who.pages is not None:
            self._pages, self._paths = who.pages, PagePaths(self.page, who.path)

    def _poll_page(self, offset: float) -> Batch:
        started = self._clock.now()
        try:
            reply = self._first_page(started)
        except FetchError as error:
            self._last_kind = error.kind
            self._wait_s = PAGE_WAIT_S if error.kind is FetchKind.TIMEOUT else self._wait_s
            return self.page.failed(self._moment(b"", self._clock.now() - started, offset), str(error))
        self._last_kind, self._last_status = None, reply.status
        poll = self._moment(reply.body, reply.took_s, offset, openmetrics="openmetrics" in reply.content_type)
        if reply.status != 200:
            return self._without_page(reply, poll)
        batch = self.page.batch(poll, side_pages(self.page.adapter, self._pages))
        if batch.error is not None and self._is_known_without(lambda adapter: adapter.silent_hint):
            batch = self.page.batch(poll)
        return batch

    def _first_page(self, now: float) -> Reply:
        """The answer of the first path that has a page of an engine, else that of the last one."""
        *others, last = self._paths.due(now)
        for path in others:
            try:
                reply = self._pages.get(path, self._wait_s)
            except FetchError as error:
                if error.kind is FetchKind.REDIRECTS:
                    continue  # another path may be better
                raise
            if reply.status == 200 and (self.page.adapter is not None or whose(reply.body, self.page.adapters)):
                self._paths.take(path)
                return reply
        if others and self._is_spared(last):
            return self._first_page(now)
        return self._pages.get(last, self._wait_s)

    def _is_spared(self, path: str) -> bool:
        """The path is not to be read at the unknown engine that answers here, which its version route gave away."""
        wary = (each for each in self.page.adapters if each.known_as and path in each.never_read)
        found = next((each for each in wary if self._info.tell_of(each)), None) if self.page.adapter is None else None
        if found is not None:
            self.page.take(found)
        return found is not None

    def _without_page(self, reply: Reply, poll: Poll) -> Batch:
        """What a status that is no page comes to: an engine may be known, and have other pages, without it."""
        words = status_text(reply.status, reply.url, self.page.layer.noun)
        if reply.status not in _NOT_HERE:
            return self.page.failed(poll, words)
        self._is_known_without(lambda adapter: adapter.page_hint)
        hint = self.page.adapter.page_hint if self.page.adapter else ""
        beside = side_pages(self.page.adapter, self._pages)
        if beside:
            return self.page.only_beside(poll, beside, hint or words)
        return self.page.failed(poll, hint or words)

    def _moment(self, body: bytes, took_s: float, offset: float, *, openmetrics: bool = False) -> Poll:
        t = self._clock.now()
        return Poll(body, openmetrics, t, t + offset, took_s, self._cadence_s)

    def _is_known_without(self, hint: Callable[[Adapter], str]) -> bool:
        """An engine without a page, or with none of its own series there, is still known by its version route."""
        now = self._clock.now()
        if self.page.adapter is not None or now < self._version_due:
            return False
        self._version_due = now + FACTS_EVERY_S
        for adapter in self.page.adapters:
            if hint(adapter) and self._info.tell_of(adapter):
                self.page.take(adapter)
                return True
            if self._info.silent:
                break
        return False

    def _poll_health(self, page: Batch, offset: float) -> Batch:
        """Up, and how long the health route took; a refused page needs no second question."""
        verdict, t = self._verdict(page)
        return self._health.batch(verdict, Moment(t, t + offset, self._cadence_s))

    def _verdict(self, page: Batch) -> tuple[Verdict, float]:
        adapter = self.page.adapter
        if self._last_kind in GONE:
            return self._health.gone(page.error), page.t
        if adapter is None or not adapter.health_path:
            ill = self._last_status >= SERVER_FAULT
            answered = None if self._last_kind is not None else 0.0 if ill else 1.0
            return Verdict(answered, None, None if answered else page.error), page.t
        started = self._clock.now()
        try:
            reply = self._fetcher.get(adapter.health_path)
        except FetchError as error:
            now = self._clock.now()
            return self._health.failed(error, started, now), now
        return self._health.answered(reply), self._clock.now()

    def _refresh_facts(self, now: float) -> None:
        if self.page.adapter is not None:
            self._facts_due = now + FACTS_EVERY_S
            self.page.facts = self._info.facts(self.page.adapter)
