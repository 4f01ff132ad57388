"""Requests on their way: connects, sends, reads, breaks off. The innermost loop of the load."""

from __future__ import annotations

import os
import select
import ssl
from typing import TYPE_CHECKING

from perfconsole.clock import epoch_ns
from perfconsole.load.answer import Answer
from perfconsole.load.wires import Wires
from perfconsole.model.probeload import Trouble

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from perfconsole.load.flight import Flight
    from perfconsole.load.link import Link
    from perfconsole.load.tally import Tally
    from perfconsole.model.probeorders import Target

_IN = select.EPOLLIN
_MICRO = 1_000


class Traffic:
    """Owns what is under way. `landed` is called with each flight that has ended."""

    def __init__(self, targets: Iterable[Target], tally: Tally, timeout_s: float) -> None:
        self.wires = Wires(targets)
        self.flights: set[Flight] = set()
        self.landed: Callable[[Flight, int], None] = lambda _flight, _now: None
        self.since = 0
        """What is read now came after this moment: then it was asked what there is, and there was nothing of it.

        0 where this process was waiting: what came together then was sent together.
        """
        self._tally = tally
        self._links = self.wires.links
        self._timeout_ns = int(timeout_s * 1e9)

    def send(self, flight: Flight) -> None:
        """Send it over an idle connection, or over a new one where there is none."""
        flight.deadline = flight.intended + self._timeout_ns
        self.flights.add(flight)
        self._tally.inflight += 1
        run = flight.stint.run
        link = None if run.fresh else self.wires.idle(run.target)
        if link is not None:
            self._hand_over(link, flight)
        elif run.fresh:
            self.wires.resolve_later(run.target, lambda fault, took: self._resolved(flight, fault, took))
        else:
            self._connect(flight)

    def _resolved(self, flight: Flight, fault: OSError | None, took: int) -> None:
        flight.resolve_ns = took
        if flight not in self.flights:
            return
        if fault is not None:
            self._refused(flight, fault)
        else:
            self._connect(flight)

    def _connect(self, flight: Flight) -> None:
        try:
            link = self.wires.open(flight.stint.run.target)
        except OSError as error:
            self._refused(flight, error)
        else:
            link.flight = flight

    def _refused(self, flight: Flight, error: OSError) -> None:
        flight.answer.fail(Trouble.REFUSED, _words(error))
        self._land(flight, epoch_ns())

    def _hand_over(self, link: Link, flight: Flight) -> None:
        """Its bytes go to the kernel now."""
        link.flight = flight
        flight.sent = epoch_ns()
        try:
            link.send(flight.body)
        except OSError as error:
            self._lost(link, flight, _words(error))
            return
        # A server on this core takes it now, not when this process has nothing left to do: at 32 streams that are all
        # answered at once TTFT p99 was 2 ms too high without.
        os.sched_yield()
        if link.sending:
            self.wires.listen(link)

    def serve(self, fd: int, mask: int) -> None:
        """The kernel has news of a connection."""
        link = self._links.get(fd)
        if link is None:
            return
        flight = link.flight
        if mask != _IN or flight is None or not flight.sent:
            self._tend(link, mask)
            return
        try:
            got = link.read()
        except OSError as error:
            self._lost(link, flight, _words(error))
            return
        if got is None:
            return
        data, stamp = got
        now = epoch_ns()
        if not data:
            self._closed(link, flight, now)
            return
        came = flight.answer.feed(data, stamp or now, self.since)
        if came:
            tally = self._tally
            tally.lag.append(now - stamp if stamp else 0)
            tally.tokens += came
            tally.merged += came > 1
            if flight.waits:
                flight.stint.heard(flight, now)
        if flight.answer.done:
            self._release(link, flight)
            self._land(flight, now)

    def _closed(self, link: Link, flight: Flight, now: int) -> None:
        """The other end has closed the connection."""
        if flight.answer.quiet and link.used:
            self._lost(link, flight, "the connection ended before the answer began")
            return
        flight.answer.closed(now)
        self._release(link, flight)
        self._land(flight, now)

    def _tend(self, link: Link, mask: int) -> None:
        """It is being opened, has room to send, or is idle."""
        flight = link.flight
        try:
            if not link.open:
                self._open_further(link)
            elif link.sending and mask & select.EPOLLOUT:
                link.flush()
                self.wires.listen(link)
            elif flight is None or not flight.sent:
                got = link.read()
                if got is not None:  # nothing was asked: it is closed, or cannot be used
                    self.wires.drop(link)
            else:
                self.serve(link.fd, _IN)
        except OSError as error:
            if flight is None:
                self.wires.drop(link)
            else:
                self._lost(link, flight, _words(error))

    def _open_further(self, link: Link) -> None:
        now = epoch_ns()
        if not link.advance(now):
            self.wires.listen(link)
            return
        self.wires.listen(link)
        self.wires.connects[(now - link.began) // _MICRO] += 1
        flight = link.flight
        if flight is None:
            self.wires.rest(link)
        else:
            flight.connect_ns = now - link.began
            self._hand_over(link, flight)

    def _release(self, link: Link, flight: Flight) -> None:
        """Keep the connection where it can take another request."""
        link.used = True
        if flight.answer.reusable and not flight.stint.run.fresh and not link.sending:
            self.wires.rest(link)
        else:
            self.wires.drop(link)

    def _lost(self, link: Link, flight: Flight, words: str) -> None:
        """The connection is gone. One used before may have been dead already: the request goes out once more."""
        was_open = link.open
        self.wires.drop(link)
        if was_open and link.used and flight.answer.quiet and not flight.again:
            flight.again, flight.sent, flight.answer = True, 0, Answer()
            self._connect(flight)
            return
        flight.answer.fail(Trouble.RESET if was_open else Trouble.REFUSED, words)
        self._land(flight, epoch_ns())

    def _land(self, flight: Flight, now: int) -> None:
        if flight not in self.flights:
            return
        self.flights.discard(flight)
        self._tally.inflight -= 1
        if flight.waits:
            flight.stint.heard(flight, now)
        self.landed(flight, now)

    def break_off(self, now: int) -> None:
        """End what has taken too long."""
        late = [flight for flight in self.flights if flight.deadline <= now]
        links = {link.flight: link for link in self._links.values() if link.flight is not None} if late else {}
        for flight in late:
            if flight in links:
                self.wires.drop(links[flight])
            flight.time_out()
            self._land(flight, now)


def _words(error: OSError) -> str:
    """Without a number that nobody knows by heart."""
    if isinstance(error, ssl.SSLError):
        return f"TLS: {error.reason or error}".lower().replace("_", " ")
    return error.strerror or str(error)
