"""The engine behind the exact server: takes requests, lets their tokens out when they are due, and keeps the truth."""

from __future__ import annotations

import time  # noqa: TID251 - the moments at which requests end are part of the truth
from collections import deque
from heapq import heappop, heappush
from itertools import count
from typing import TYPE_CHECKING, Any

from tests.load.exactserver.answer import Answer, whole
from tests.load.exactserver.ask import Ask, PrefixCache, RefusedError, parsed
from tests.load.exactserver.figures import Figures
from tests.load.exactserver.live import Live
from tests.load.exactserver.schedule import Schedule
from tests.load.exactserver.settings import Settings, changed
from tests.load.exactserver.truth import ABORTED, GARBLED, REFUSED, Truth

if TYPE_CHECKING:
    from tests.load.exactserver.connection import Connection

_KEPT = 100_000
_BATCH = 128
"""Tokens written before the server looks for new requests."""
_GARBAGE = b"\x00\x01\x02 this is no answer \xff\xfe\r\n\r\n"


class Engine:
    """Written and read by the thread of the server alone."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.schedule = Schedule(settings)
        self.figures = Figures(time.time())
        self.truths: deque[Truth] = deque(maxlen=_KEPT)
        self.touched: set[Connection] = set()
        """Connections whose answer has ended, or that do not take what they are sent."""
        self._lives: dict[Truth, Live] = {}
        self._later: list[tuple[int, int, Live]] = []
        self._cache = PrefixCache()
        self._numbers = count()
        self._order = count()
        self._asked = 0
        """Requests since the settings were changed: what the shares of errors are counted by."""

    def change(self, changes: dict[str, Any]) -> None:
        """Other settings from now on; `stall_ms` and `clear` happen once. ValueError for what is not known."""
        once = {name: changes[name] for name in ("stall_ms", "clear") if name in changes}
        settings = changed(self.settings, {name: value for name, value in changes.items() if name not in once})
        now = time.monotonic_ns()
        if self.settings.hang and not settings.hang:
            self.schedule.release(now)
        self.settings = self.schedule.settings = settings
        self._asked = 0
        if "stall_ms" in once:
            self.schedule.stall(now, int(once["stall_ms"] * 1e6))
        if once.get("clear"):
            self.truths.clear()
            self.schedule.most_running = len(self.schedule.running)
        self.schedule.admit(now)

    def take(self, connection: Connection, api: str, body: bytes, bearer: str) -> None:
        """A completion request has come."""
        truth = Truth(
            number=next(self._numbers),
            connection=connection.number,
            nth=connection.requests,
            api=api,
            arrival_ns=connection.read_ns,
            arrival_mono=connection.read_mono,
        )
        connection.requests += 1
        self.truths.append(truth)
        self._asked += 1
        if self._falls_on(self.settings.error_share):
            self._refuse(
                connection, truth, RefusedError(self.settings.error_status, "It is overloaded.", "ServerError")
            )
            return
        try:
            ask = parsed(api, body, bearer, self.settings)
        except RefusedError as error:
            self._refuse(connection, truth, error)
        else:
            self._serve(connection, truth, ask)

    def run(self, now: int) -> bool:
        """Write what is due by now, at most a batch; whether more is due."""
        while self._later and self._later[0][0] <= now:
            live = heappop(self._later)[2]
            self._note(live, live.finish_split(self.figures))
        lives, schedule, figures = self._lives, self.schedule, self.figures
        written = 0
        while written < _BATCH and (truth := schedule.pop(now)) is not None:
            live = lives[truth]
            ended = live.token(figures, self._ask_later)
            written += 1
            if ended or live.connection.going:
                self._note(live, ended)
        if written:
            figures.stepped(written)
        return written == _BATCH

    def next_due(self) -> int | None:
        """Moment of the next write."""
        moments = [
            moment for moment in (self.schedule.next_due(), self._later[0][0] if self._later else None) if moment
        ]
        return min(moments, default=None)

    def lost(self, connection: Connection) -> None:
        """The client closed a connection."""
        if connection.live is not None:
            self._end(connection.live, ABORTED)

    def _falls_on(self, share: float) -> bool:
        """Whether the newest request is one of a share that is spread evenly over all of them."""
        return int(self._asked * share + 1e-9) > int((self._asked - 1) * share + 1e-9)

    def _refuse(self, connection: Connection, truth: Truth, error: RefusedError) -> None:
        truth.status, truth.ended, truth.ended_ns = error.status, REFUSED, time.time_ns()
        self.figures.answered(error.status)
        headers = ["retry-after: 1"] if error.status in (429, 503) else []
        headers += ["connection: close"] if self.settings.close else []
        connection.closing = self.settings.close
        connection.send(whole(error.status, error.body, *headers))

    def _serve(self, connection: Connection, truth: Truth, ask: Ask) -> None:
        settings = self.settings
        troubled = self._falls_on(settings.trouble_share)
        if troubled and settings.garbled:
            truth.ended, truth.ended_ns = GARBLED, time.time_ns()
            connection.closing = True
            connection.send(_GARBAGE)
            return
        truth.stream, truth.want, truth.prompt_tokens = ask.stream, ask.want, ask.prompt_tokens
        truth.finish = "stop" if settings.eos_after and ask.want == settings.eos_after else "length"
        truth.reasoning = settings.reasoning_tokens if ask.api == "chat" else 0
        if settings.prefix_cache:
            truth.cached_tokens = int(self._cache.look_up(ask.words) * settings.tokens_per_word)
        live = Live(connection, truth, Answer(settings, ask, truth, truth.arrival_ns // 10**9), settings)
        self._lives[truth] = connection.live = live
        self.figures.answered(200)
        self.figures.took(truth)
        live.begin(troubled=troubled)
        self.schedule.arrive(truth, truth.arrival_mono)

    def _ask_later(self, after: int, live: Live) -> None:
        heappush(self._later, (time.monotonic_ns() + after, next(self._order), live))

    def _note(self, live: Live, ended: str) -> None:
        """Something has become of a request, or of its connection."""
        self.touched.add(live.connection)
        if ended:
            self._end(live, ended)

    def _end(self, live: Live, ended: str) -> None:
        truth = live.truth
        if truth.ended:
            return
        truth.ended, truth.ended_ns = ended, time.time_ns()
        live.connection.live = None
        del self._lives[truth]
        self.schedule.leave(truth, time.monotonic_ns())
        self.figures.ended(truth)
