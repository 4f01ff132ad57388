"""Asks ports for /metrics: one request at a time, small and short, each port a few times only.

Must never send anything but GET /metrics, and never to a port that the caller did not name.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from perfconsole.sources.discovery.answer import Answer, of_error, of_reply
from perfconsole.sources.http import Fetcher, FetchError, Limits
from perfconsole.sources.web.failure import FetchKind

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from perfconsole.clock import Clock
    from perfconsole.sources.discovery.place import Place

IPV6_LOOPBACK = "[::1]"
LIMITS = Limits(connect_s=0.5, total_s=1.0, max_bytes=2 * 2**20)
_BUDGET_S = 1.0
"""Of one round: a last request may take it to 2 s, and the next look still comes in time for a new engine."""
_SECOND_S = 10.0
_LATER_S = 60.0
_HTTP_TRIES = 3
"""Of a port that speaks HTTP: its page may be empty at first, and need not change after a minute."""


@dataclass(frozen=True, slots=True)
class Asked:
    """How a port stands."""

    inodes: frozenset[int]
    """Its sockets: other ones are another server."""
    answer: Answer
    tries: int
    at: float
    """Monotonic seconds of the last request."""

    def due(self, now: float) -> bool:
        """Whether it should be asked once more."""
        if self.answer.layer or self.answer.dcgm or self.answer.monitor:
            return False
        if self.answer.http and self.tries >= _HTTP_TRIES:
            return False
        return now - self.at >= (_SECOND_S if self.tries == 1 else _LATER_S)


class Asker:
    """The requests of discovery. One thread calls `ask`; `interrupt` comes from any."""

    def __init__(self, clock: Clock, limits: Limits = LIMITS) -> None:
        self._clock = clock
        self._limits = replace(limits, max_redirects=0)
        self._asked: dict[int, Asked] = {}
        self._fetcher: Fetcher | None = None
        self._stopped = False

    def ask(self, places: Iterable[Place], now: float) -> Mapping[int, Answer]:
        """Ask those that are due, in their order, until the time of the round is used up; answers so far, by port."""
        self._stopped = False
        wanted = list(places)
        known = {place.port: self._asked.get(place.port) for place in wanted}
        self._asked = {p.port: a for p in wanted if (a := known[p.port]) is not None and a.inodes == p.inodes}
        started = self._clock.now()
        for place in wanted:
            if self._stopped or self._clock.now() - started >= _BUDGET_S:
                break
            before = self._asked.get(place.port)
            if before is None or before.due(now):
                tries = before.tries + 1 if before else 1
                self._asked[place.port] = Asked(place.inodes, self._get(place), tries, now)
        return {port: asked.answer for port, asked in self._asked.items()}

    def interrupt(self) -> None:
        """Break the request in flight and end the round."""
        self._stopped = True
        fetcher = self._fetcher
        if fetcher is not None:
            fetcher.interrupt()

    def _get(self, place: Place) -> Answer:
        """One page; a server on `::` may take IPv6 only, which is learnt by a refusal."""
        try:
            return self._fetch(place.url)
        except FetchError as error:
            if error.kind is not FetchKind.REFUSED or not place.ipv6_only:
                return of_error(error)
        try:
            return replace(self._fetch(f"http://{IPV6_LOOPBACK}:{place.port}"), host=IPV6_LOOPBACK)
        except FetchError as error:
            return of_error(error)

    def _fetch(self, url: str) -> Answer:
        fetcher = Fetcher(url, limits=self._limits, clock=self._clock)
        self._fetcher = fetcher
        try:
            return self._page(fetcher)
        finally:
            self._fetcher = None
            fetcher.close()

    @staticmethod
    def _page(fetcher: Fetcher) -> Answer:
        """The page; only the slash that web frameworks want is followed, for a redirect may lead anywhere."""
        try:
            return of_reply(fetcher.get("/metrics"))
        except FetchError as error:
            if error.kind is not FetchKind.REDIRECTS or "/metrics/" not in error.text:
                raise
        return of_reply(fetcher.get("/metrics/"))
