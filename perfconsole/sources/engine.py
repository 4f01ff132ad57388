"""Polls one engine over HTTP: its metrics page, its health route, and now and then its info routes.

Never asks a route that runs a generation, drains a queue or resets a window: the routes are the adapter's.
"""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

from perfconsole.clock import SystemClock
from perfconsole.sources.cadence import FASTEST_S, Cadence
from perfconsole.sources.health import GONE, SERVER_FAULT, Health, Moment, Verdict, status_text
from perfconsole.sources.http import Fetcher, FetchError, FetchKind
from perfconsole.sources.targetpage import Poll, TargetFacts, TargetPage, default_facts
from perfconsole.sources.web.failure import printable

if TYPE_CHECKING:
    from perfconsole.clock import Clock
    from perfconsole.model.sample import Batch
    from perfconsole.sources.adapter import Adapter, InfoFact

FACTS_EVERY_S = 60.0


class EngineSource:
    """One engine. `poll` returns the batch of its page and the batch of its health, each able to fail alone."""

    kind = "engine"
    deadline_s = 25.0
    """Worst case of one poll: page, health and info routes, each within the limits of the fetcher."""

    def __init__(
        self,
        page: TargetPage,
        fetcher: Fetcher,
        clock: Clock | None = None,
        elsewhere: tuple[Fetcher, str] | None = None,
    ) -> None:
        """`elsewhere` is a fetcher and a path for the metrics page where that is not at the engine's own place."""
        self.page = page
        self._fetcher = fetcher
        self._pages, self._path = elsewhere or (fetcher, "")
        self._clock = clock or SystemClock()
        self._cadence = Cadence()
        self._cadence_s = FASTEST_S
        self._facts_due = self._version_due = float("-inf")
        self._documents: dict[str, object] = {}
        self._last_status = 200
        self._health = Health(page, page.dictionary)
        self._last_kind: FetchKind | None = None

    @property
    def name(self) -> str:
        """Name in health lines."""
        return self.page.source

    def poll(self, now: float, wall: float) -> tuple[Batch, ...]:
        """Ask once. `now` and `wall` are the start of the poll; the batches carry its end."""
        page = self._poll_page(wall - now)
        if page.restarted:
            self._documents.clear()
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

    def _poll_page(self, offset: float) -> Batch:
        path = self._path or (self.page.adapter.metrics_path if self.page.adapter else "/metrics")
        started = self._clock.now()
        try:
            reply = self._pages.get(path)
        except FetchError as error:
            self._last_kind = error.kind
            return self.page.failed(self._moment(b"", self._clock.now() - started, offset), str(error))
        self._last_kind, self._last_status = None, reply.status
        poll = self._moment(reply.body, reply.took_s, offset, openmetrics="openmetrics" in reply.content_type)
        if reply.status != 200:
            return self.page.failed(poll, status_text(reply.status, reply.url, self.page.layer.noun))
        batch = self.page.batch(poll)
        if batch.error is not None and self.page.adapter is None and self._is_silent_engine():
            batch = self.page.batch(poll)
        return batch

    def _moment(self, body: bytes, took_s: float, offset: float, *, openmetrics: bool = False) -> Poll:
        t = self._clock.now()
        return Poll(body, openmetrics, t, t + offset, took_s, self._cadence_s)

    def _is_silent_engine(self) -> bool:
        """An engine whose page has none of its own series is still known by its version route."""
        now = self._clock.now()
        if now < self._version_due:
            return False
        self._version_due = now + FACTS_EVERY_S
        for adapter in self.page.adapters:
            version = self._info(adapter.version_route) if adapter.silent_hint else None
            if isinstance(version, dict) and isinstance(version.get("version"), str):
                self.page.take(adapter)
                return True
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
        adapter = self.page.adapter
        if adapter is None:
            return
        self._facts_due = now + FACTS_EVERY_S
        for route in dict.fromkeys(f.route for f in adapter.info_facts):
            document = self._info(route)
            if document is not None:  # a route that fails for once says nothing new
                self._documents[route] = document
        self.page.facts = read_info(adapter, self._documents)

    def _info(self, route: str) -> object:
        """JSON of an info route; None when it does not answer, needs a key, or is not JSON."""
        try:
            reply = self._fetcher.get(route)
        except FetchError:
            return None
        if reply.status != 200:
            return None
        try:
            return json.loads(reply.body)
        except (ValueError, RecursionError):
            return None


def read_info(adapter: Adapter, documents: dict[str, object]) -> TargetFacts:
    """Facts in the documents of the info routes, by the adapter's table, and the defaults of that release."""
    found = [(f, _dig(documents.get(f.route), f)) for f in adapter.info_facts]
    texts = tuple((f.indicator, printable(v)) for f, v in found if isinstance(v, str))
    numbers = tuple((f.indicator, float(v), f.tag) for f, v in found if isinstance(v, int | float))
    version = dict(texts).get("engine.version", "")
    stated = {indicator for indicator, _, _ in numbers}
    return TargetFacts(version, (*numbers, *default_facts(adapter, version, stated)), texts)


def _dig(document: object, fact: InfoFact) -> object:
    for step in fact.path.split("."):
        if isinstance(document, list) and step.isdigit() and int(step) < len(document):
            document = document[int(step)]
        elif isinstance(document, dict):
            document = document.get(step)
        else:
            return None
    return None if isinstance(document, bool) else document
