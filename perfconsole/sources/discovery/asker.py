"""Asks ports for /metrics: one request at a time, small and short, each port a few times only.

Must never send anything but GET /metrics, and never to a port that the caller did not name.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import inf
from typing import TYPE_CHECKING

from perfconsole.sources.discovery.answer import Answer, of_error, of_reply
from perfconsole.sources.http import Fetcher, FetchError, Limits
from perfconsole.sources.web.failure import FetchKind

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from perfconsole.clock import Clock
    from perfconsole.sources.discovery.place import Place

IPV6_LOOPBACK = "[::1]"
LIMITS = Limits(connect_s=0.5, total_s=1.0, max_bytes=2 * 2**20)
_BUDGET_S = 1.0
"""Of one round: a last request may take it to 2 s, and the next look still comes in time for a new engine."""
_WAITS_S = (10.0, 60.0, 600.0)
"""Between the requests to one socket; after the last one it is left alone until another socket listens there."""
_CALLER_S = 60.0
"""Between requests to a port whose program calls an engine, for as long as it lives."""
_HTTP_TRIES = 3
"""Of a port that speaks HTTP: its page may be empty at first, and need not change after a minute."""


@dataclass(frozen=True, slots=True)
class Asked:
    """How a port stands."""

    inodes: frozenset[int]
    """Its sockets: none but other ones are another server."""
    answer: Answer
    tries: int
    at: float
    """Monotonic seconds of the last request."""

    def due(self, now: float, *, calls: bool = False) -> bool:
        """Whether it should be asked once more; `calls` says that its program calls what is known."""
        if self.answer.layer or self.answer.dcgm or self.answer.monitor:
            return False
        if self.answer.http and self.tries >= _HTTP_TRIES:
            return False
        wait_s = _WAITS_S[self.tries - 1] if self.tries <= len(_WAITS_S) else inf
        return now - self.at >= (min(wait_s, _CALLER_S) if calls else wait_s)


class Asker:
    """The requests of discovery. One thread calls `ask`; `interrupt` comes from any."""

    def __init__(self, clock: Clock, limits: Limits = LIMITS) -> None:
        self._clock = clock
        self._limits = replace(limits, max_redirects=0)
        self._asked: dict[int, Asked] = {}
        """By port. Kept while a port may not be asked: a socket is the same one when it may again."""
        self._fetcher: Fetcher | None = None
        self._stopped = False

    def ask(self, places: Iterable[Place], now: float, calling: Collection[int] = ()) -> Mapping[int, Answer]:
        """Ask those that are due, in their order, until the time of the round is used up; answers so far, by port.

        `calling` are ports whose programs call what is known.
        """
        self._stopped = False
        wanted = list(places)
        for place in wanted:
            before = self._asked.get(place.port)
            if before is not None and before.inodes & place.inodes:
                self._asked[place.port] = replace(before, inodes=place.inodes)
            else:
                self._asked.pop(place.port, None)
        started = self._clock.now()
        for place in wanted:
            if self._stopped or self._clock.now() - started >= _BUDGET_S:
                break
            before = self._asked.get(place.port)
            if before is None or before.due(now, calls=place.port in calling):
                tries = before.tries + 1 if before else 1
                self._asked[place.port] = Asked(place.inodes, self._get(place), tries, now)
        return {p.port: self._asked[p.port].answer for p in wanted if p.port in self._asked}

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
