"""Polls a gateway or an orchestrator over HTTP: its health route first, then its metrics page.

A blocked event loop takes connections and answers none. So nothing here waits for an answer: a request stays out from
poll to poll, and the health time grows with every poll until it is back.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from perfconsole.clock import SystemClock
from perfconsole.sources.cadence import FASTEST_S, Cadence
from perfconsole.sources.health import Health, Moment, Verdict, status_text
from perfconsole.sources.identity import NOBODY, Identity
from perfconsole.sources.pageroutes import PageRoutes
from perfconsole.sources.patient import Failed, Out, PatientGet
from perfconsole.sources.targetpage import Poll

if TYPE_CHECKING:
    from collections.abc import Callable

    from perfconsole.clock import Clock
    from perfconsole.model.entity import Link
    from perfconsole.model.sample import Batch
    from perfconsole.sources.http import Fetcher, Reply
    from perfconsole.sources.targetpage import TargetPage

HEALTH_WAIT_S = 0.5
PAGE_WAIT_S = 1.0
NO_PAGE = frozenset((401, 403, 404, 405, 501))
"""Statuses of a route that is not there, or not for us."""
IDENTIFY_S = 10.0
"""Between two looks at the process of a program that nobody knows: each reads all processes, some 20 ms for 300."""
_PAGE = "/metrics"
"""What a gateway has no page for goes on to an engine, at one of which reading this path empties a queue."""
RETRY_S = 60.0
"""Between two questions whether a program has a metrics page by now."""


class ServiceSource:
    """One gateway or orchestrator. `poll` returns the batch of its page and the batch of its health."""

    deadline_s = 5.0
    """A poll waits HEALTH_WAIT_S and PAGE_WAIT_S at most; the requests themselves end by the limits of the fetchers."""
    brief = False

    def __init__(
        self,
        page: TargetPage,
        health: Fetcher,
        pages: Fetcher,
        links: Callable[[float], tuple[Link, ...]] = lambda _now: (),
        clock: Clock | None = None,
        *,
        routes: PageRoutes | None = None,
        identify: Callable[[], Identity] = lambda: NOBODY,
        no_page: str = "",
    ) -> None:
        """`no_page` says that it has no page of metrics, with the reason for a person: no path is tried then."""
        self.page = page
        self.kind = page.layer.noun
        self._clock = clock or SystemClock()
        self._health = Health(page, page.dictionary)
        self._health_get = PatientGet(health, self._clock)
        self._page_get = PatientGet(pages, self._clock)
        self._links = links
        self._identify = identify
        self._identify_due = float("-inf")
        self._pages = routes or PageRoutes(page)
        self._cadence = Cadence()
        self._cadence_s = FASTEST_S
        self._route = 0
        self._asked: tuple[str, Reply] | None = None
        """Health route that answered at this poll, and its answer."""
        self._page_due = float("inf" if no_page else "-inf")
        self._absence = self._no_page = no_page

    @property
    def name(self) -> str:
        """Name in health lines."""
        return self.page.source

    def poll(self, now: float, wall: float) -> tuple[Batch, ...]:
        """Ask once. `now` and `wall` are the start of the poll; the batches carry its end."""
        offset = wall - now
        self._asked = None
        self._ask_who(now)
        verdict = self._verdict()
        page = self._poll_page(verdict, offset)
        t = self._clock.now()
        # Built last: the page may just have given the target its name.
        health = self._health.batch(verdict, Moment(t, t + offset, self._cadence_s), self._links(t))
        self._cadence_s = self._pace(page, verdict)
        return replace(page, cadence_s=self._cadence_s), replace(health, cadence_s=self._cadence_s)

    def interrupt(self) -> None:
        """Break the requests in flight; callable from any thread."""
        self._health_get.interrupt()
        self._page_get.interrupt()

    def close(self) -> None:
        """Let go of the connections."""
        self._health_get.close()
        self._page_get.close()

    def _pace(self, page: Batch, verdict: Verdict) -> float:
        """Stretched by what answers cost the target. While it owes one nothing is asked of it, so looking is free."""
        if self._health_get.out or self._page_get.out or not verdict.answered:
            return FASTEST_S
        return self._cadence.after((page.took_s or 0.0) + (verdict.took_s or 0.0))

    def _routes(self) -> tuple[str, ...]:
        adapter = self.page.adapter
        if self._no_page and self._page_is_health():
            return tuple(route for route in self.page.layer.health_routes if route != _PAGE)
        if adapter is None or not adapter.health_path:
            return self.page.layer.health_routes
        return (self._pages.path if self._page_is_health() else adapter.health_path,)

    def _page_is_health(self) -> bool:
        """Its page is the one route that it answers itself: whatever else is asked may be passed on."""
        adapter = self.page.adapter
        return adapter is not None and adapter.health_path == adapter.metrics_path

    def _verdict(self) -> Verdict:
        routes = self._routes()
        place = min(self._route, len(routes) - 1)
        get = self._page_get if self._page_is_health() and self._pages.apart else self._health_get
        found = get.look(routes[place], HEALTH_WAIT_S)
        if isinstance(found, Out):
            now = self._clock.now()
            return self._health.silent(f"{self.name} does not answer its health route", found.started, now)
        if isinstance(found, Failed):
            return self._health.failed(found.error, found.started, self._clock.now())
        if found.status in NO_PAGE and place + 1 < len(routes):
            self._route = place + 1
            return self._verdict()
        self._asked = routes[place], found
        return self._health.answered(found)

    def _poll_page(self, verdict: Verdict, offset: float) -> Batch:
        unread = verdict.unread and not self._pages.apart  # the page would fail in the same way
        if (unread or not verdict.answered) and not self._page_get.out:
            words = verdict.error or verdict.complaint or "its health route does not answer"
            return self.page.failed(self._nothing(offset), words)
        if self._absence and self._clock.now() < self._page_due:
            return self.page.absent(self._nothing(offset), self._absence)
        path = self._pages.path
        both = self._page_is_health() or not self._pages.apart
        if self._asked is not None and both and path == self._asked[0] and not self._page_get.out:
            return self._page_batch(self._asked[1], offset)  # asking twice would double what it counts
        found = self._page_get.look(path, PAGE_WAIT_S)
        if isinstance(found, Out):
            waited = self._clock.now() - found.started
            return self.page.failed(self._nothing(offset), f"the metrics page has not come for {waited:.1f} s")
        if isinstance(found, Failed):
            return self.page.failed(self._nothing(offset), str(found.error))
        return self._page_batch(found, offset)

    def _page_batch(self, reply: Reply, offset: float) -> Batch:
        self._absence = ""
        t = self._clock.now()
        openmetrics = "openmetrics" in reply.content_type
        poll = Poll(reply.body, openmetrics, t, t + offset, reply.took_s, self._cadence_s)
        if reply.status == 200:
            batch = self.page.batch(poll)
            self._pages.tried(right=self.page.adapter is not None and batch.error is None)
            return batch
        if reply.status in NO_PAGE:
            self._pages.tried(right=False)
        if reply.status in NO_PAGE and self.page.layer.page_is_optional:
            self._absence = f"it has no metrics page (HTTP {reply.status}); its health and its process are watched"
            self._page_due = t + RETRY_S
            return self.page.absent(poll, self._absence)
        return self.page.failed(poll, status_text(reply.status, reply.url, self.page.layer.noun))

    def _ask_who(self, now: float) -> None:
        """Learn from its process what it is, where that can be seen, before any route is tried.

        A gateway passes on whatever it does not know, and counts it as a request.
        """
        if self.page.adapter is not None or now < self._identify_due:
            return
        self._identify_due = now + IDENTIFY_S
        who = self._identify()
        if who.adapter is not None:
            self.page.take(who.adapter)
        if who.pages is not None:
            self._page_get.close()
            self._page_get = PatientGet(who.pages, self._clock)
            self._pages = PageRoutes(self.page, who.path, apart=who.apart)

    def _nothing(self, offset: float) -> Poll:
        t = self._clock.now()
        return Poll(b"", openmetrics=False, t=t, wall=t + offset, took_s=0.0, cadence_s=self._cadence_s)
