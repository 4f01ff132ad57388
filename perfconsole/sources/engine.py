"""Polls one engine over HTTP: its metrics page, its health route, and now and then its info routes.

Never asks a route that runs a generation, drains a queue or resets a window: the routes are the adapter's.
"""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

from perfconsole.clock import SystemClock
from perfconsole.model.sample import Batch, Sample, SeriesKey
from perfconsole.sources.cadence import FASTEST_S, Cadence
from perfconsole.sources.enginepage import EngineFacts, EnginePage, Poll, default_facts
from perfconsole.sources.http import Fetcher, FetchError, FetchKind
from perfconsole.sources.web.failure import printable

if TYPE_CHECKING:
    from perfconsole.clock import Clock
    from perfconsole.sources.adapter import Adapter, InfoFact

FACTS_EVERY_S = 60.0
UNANSWERED_LIMIT_S = 30.0
"""A connection that is accepted and not answered for this long counts as down."""
_GONE = (FetchKind.REFUSED, FetchKind.RESET, FetchKind.UNREACHABLE, FetchKind.TIMEOUT_CONNECT)
HEALTH_KIND = "health route"
SERVER_FAULT = 500
"""From this HTTP status on the server itself says that it is not well."""


class EngineSource:
    """One engine. `poll` returns the batch of its page and the batch of its health, each able to fail alone."""

    kind = "engine"
    deadline_s = 25.0
    """Worst case of one poll: page, health and info routes, each within the limits of the fetcher."""

    def __init__(self, page: EnginePage, fetcher: Fetcher, clock: Clock | None = None) -> None:
        self.page = page
        self._fetcher = fetcher
        self._clock = clock or SystemClock()
        self._cadence = Cadence()
        self._cadence_s = FASTEST_S
        self._facts_due = self._version_due = float("-inf")
        self._documents: dict[str, object] = {}
        self._last_status = 200
        self._unanswered_since: float | None = None
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
        self._fetcher.interrupt()

    def close(self) -> None:
        """Let go of the connection."""
        self._fetcher.close()

    def _poll_page(self, offset: float) -> Batch:
        path = self.page.adapter.metrics_path if self.page.adapter else "/metrics"
        started = self._clock.now()
        try:
            reply = self._fetcher.get(path)
        except FetchError as error:
            self._last_kind = error.kind
            return self.page.failed(self._moment(b"", self._clock.now() - started, offset), str(error))
        self._last_kind, self._last_status = None, reply.status
        poll = self._moment(reply.body, reply.took_s, offset, openmetrics="openmetrics" in reply.content_type)
        if reply.status != 200:
            return self.page.failed(poll, _status_text(reply.status, reply.url))
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
        adapter = self.page.adapter
        if self._last_kind in _GONE:
            self._unanswered_since = None
            return self._health(0.0, None, page.error, page.t, offset)
        if adapter is None or not adapter.health_path:
            ill = self._last_status >= SERVER_FAULT
            answered = None if self._last_kind is not None else 0.0 if ill else 1.0
            return self._health(answered, None, None if answered else page.error, page.t, offset)
        started = self._clock.now()
        try:
            reply = self._fetcher.get(adapter.health_path)
        except FetchError as error:
            return self._unwell(error, started, offset)
        self._unanswered_since = None
        took = reply.took_s
        error_text = _status_text(reply.status, reply.url) if reply.status >= SERVER_FAULT else None
        return self._health(0.0 if error_text else 1.0, took, error_text, self._clock.now(), offset)

    def _unwell(self, error: FetchError, started: float, offset: float) -> Batch:
        now = self._clock.now()
        if error.kind in _GONE:
            self._unanswered_since = None
            return self._health(0.0, now - started, str(error), now, offset)
        if self._unanswered_since is None:
            self._unanswered_since = started
        since = self._unanswered_since
        up = 1.0 if now - since < UNANSWERED_LIMIT_S else 0.0
        return self._health(up, now - since, str(error), now, offset)

    def _health(self, up: float | None, took: float | None, error: str | None, t: float, offset: float) -> Batch:
        """The batch of the health route; `took` is None when it was not asked. While it fails nothing is ready."""
        engine = self.page.entity
        found = [] if up is None else [("engine.up", up)]
        if up == 0.0 or (up is not None and self.page.adapter is not None):
            found.append(("engine.ready", up if error is None else 0.0))
        if took:
            found.append(("engine.health_time", took))
        samples = tuple(Sample(SeriesKey(name, engine), value) for name, value in found)
        return Batch(
            f"{self.name} health",
            HEALTH_KIND,
            t,
            t + offset,
            self._cadence_s,
            samples=samples,
            took_s=took,
            error=error,
            entities=(engine,),
        )

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


def read_info(adapter: Adapter, documents: dict[str, object]) -> EngineFacts:
    """Facts in the documents of the info routes, by the adapter's table, and the defaults of that release."""
    found = [(f, _dig(documents.get(f.route), f)) for f in adapter.info_facts]
    texts = tuple((f.indicator, printable(v)) for f, v in found if isinstance(v, str))
    numbers = tuple((f.indicator, float(v), f.tag) for f, v in found if isinstance(v, int | float))
    version = dict(texts).get("engine.version", "")
    stated = {indicator for indicator, _, _ in numbers}
    return EngineFacts(version, (*numbers, *default_facts(adapter, version, stated)), texts)


def _dig(document: object, fact: InfoFact) -> object:
    for step in fact.path.split("."):
        if isinstance(document, list) and step.isdigit() and int(step) < len(document):
            document = document[int(step)]
        elif isinstance(document, dict):
            document = document.get(step)
        else:
            return None
    return None if isinstance(document, bool) else document


def _status_text(status: int, url: str) -> str:
    advice = {
        401: "it wants a key: name the variable that holds it as token_env in the configuration",
        403: "access is forbidden: name a key as token_env in the configuration",
        404: "there is no such page: is this the engine's own port, are its metrics switched on?",
    }
    return f"HTTP {status} from {url}" + (f" ({advice[status]})" if status in advice else "")
