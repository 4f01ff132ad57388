"""What answers and silences of a health route mean: up, ready, and a health time that grows while nothing answers.

Pure on outcomes and moments. Never asks anything.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from perfconsole.model.sample import Batch, Sample, SeriesKey
from perfconsole.sources.layer import ENGINE
from perfconsole.sources.web.failure import FetchError, FetchKind

if TYPE_CHECKING:
    from perfconsole.model.dictionary import Dictionary
    from perfconsole.model.entity import Link
    from perfconsole.sources.http import Reply
    from perfconsole.sources.targetpage import TargetPage

GONE = (FetchKind.REFUSED, FetchKind.RESET, FetchKind.UNREACHABLE, FetchKind.TIMEOUT_CONNECT)
UNANSWERED_LIMIT_S = 30.0
"""A connection that is accepted and not answered for this long counts as down."""
HEALTH_KIND = "health route"
SERVER_FAULT = 500
"""From this HTTP status on the server itself says that it is not well."""
_ADVICE = {
    401: "it wants a key: name the variable that holds it as token_env in the configuration",
    403: "access is forbidden: name a key as token_env in the configuration",
    404: "there is no such page: is this the {noun}'s own port, are its metrics switched on?",
}


@dataclass(frozen=True, slots=True)
class Moment:
    """End of a poll, and when the next one is meant to come."""

    t: float
    wall: float
    cadence_s: float


@dataclass(frozen=True, slots=True)
class Verdict:
    """What is known of the health of a target at one poll."""

    up: float | None
    took_s: float | None
    """Time the health route took, or has taken so far; None when it was not asked."""
    error: str | None
    answered: bool = False
    """Some answer came, good or bad."""
    complaint: str = ""
    """What the answer says against the target, which is up for all that."""
    unread: bool = False
    """Somebody is there, but TLS keeps the answer from being read: neither ready nor ill, and no time of its own."""


class Health:
    """Health of one target from poll to poll; remembers since when it has not answered."""

    def __init__(self, page: TargetPage, dictionary: Dictionary) -> None:
        self._page = page
        self._dictionary = dictionary
        self._unanswered_since: float | None = None

    def gone(self, error: str | None) -> Verdict:
        """Nobody answers there, as another request has just found."""
        self._unanswered_since = None
        return Verdict(0.0, None, error)

    def answered(self, reply: Reply) -> Verdict:
        """Any answer is a sign of life, a server fault one of illness: an engine that says so serves nothing.

        What stands in front of engines answers so for those behind it too, and is there.
        """
        self._unanswered_since = None
        if reply.status < SERVER_FAULT:
            return Verdict(1.0, reply.took_s, None, answered=True)
        fault = status_text(reply.status, reply.url, self._page.layer.noun)
        if self._page.layer is ENGINE:
            return Verdict(0.0, reply.took_s, fault, answered=True)
        return Verdict(1.0, reply.took_s, None, answered=True, complaint=fault)

    def failed(self, error: FetchError, started: float, now: float) -> Verdict:
        """A request that began at `started` ended without an answer."""
        if error.kind in GONE:
            self._unanswered_since = None
            return Verdict(0.0, now - started, str(error))
        if error.kind is FetchKind.TLS:
            # A loop that is blocked shakes no hands: whoever shows a certificate, trusted or not, is up.
            self._unanswered_since = None
            complaint = f"{error}; somebody answers there, so it counts as up"
            return Verdict(1.0, None, None, answered=True, complaint=complaint, unread=True)
        return self.silent(str(error), started, now)

    def silent(self, error: str, started: float, now: float) -> Verdict:
        """A request was taken and is not answered: up for a while yet, with a time that grows from poll to poll."""
        since = self._unanswered_since = started if self._unanswered_since is None else self._unanswered_since
        up = 1.0 if now - since < UNANSWERED_LIMIT_S else 0.0
        return Verdict(up, now - since, error)

    def batch(self, verdict: Verdict, moment: Moment, links: tuple[Link, ...] = ()) -> Batch:
        """The batch of the health route. While it fails nothing is ready."""
        target, name = self._page.entity, self._page.layer.name
        found = [] if verdict.up is None else [(name("up"), verdict.up)]
        ill = verdict.up == 0.0 or bool(verdict.complaint)
        judged = ill or (verdict.up is not None and self._page.adapter is not None)
        if judged and not verdict.unread:
            found.append((name("ready"), 0.0 if ill or verdict.error is not None else 1.0))
        if verdict.took_s:
            found.append((name("health_time"), verdict.took_s))
        known = ((n, value) for n, value in found if self._dictionary.find(n))
        return Batch(
            f"{self._page.source} health",
            HEALTH_KIND,
            moment.t,
            moment.wall,
            moment.cadence_s,
            samples=tuple(Sample(SeriesKey(n, target), value) for n, value in known),
            links=links,
            took_s=verdict.took_s,
            error=verdict.error,
            notes=(verdict.complaint,) if verdict.complaint else (),
            entities=(target,),
        )


def status_text(status: int, url: str, noun: str) -> str:
    """A status that is no page, in words and with advice."""
    return f"HTTP {status} from {url}" + (f" ({_ADVICE[status].format(noun=noun)})" if status in _ADVICE else "")
