"""A get that may outlast a poll: it stays out while its target is silent, and each poll looks whether it is back.

One request in flight, however long it takes: asking anew each second would fill the queue of a server that hangs.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING

from perfconsole.sources.http import FetchError

if TYPE_CHECKING:
    from perfconsole.clock import Clock
    from perfconsole.sources.http import Fetcher, Reply


@dataclass(frozen=True, slots=True)
class Out:
    """The request has not come back yet."""

    started: float


@dataclass(frozen=True, slots=True)
class Failed:
    """The request came back without an answer."""

    started: float
    error: FetchError


class _Errand:
    """One get on a thread of its own; that thread alone writes `result`."""

    def __init__(self, fetcher: Fetcher, path: str, started: float) -> None:
        self.started = started
        self.result: Reply | Exception | None = None
        self._fetcher = fetcher
        self._path = path
        self._back = threading.Event()
        threading.Thread(target=self._run, name=f"get {path}", daemon=True).start()

    def _run(self) -> None:
        try:
            self.result = self._fetcher.get(self._path)
        except Exception as error:  # noqa: BLE001 - a fault of ours too must reach the thread that looks
            self.result = error
        finally:
            self._back.set()

    def wait(self, seconds: float) -> bool:
        """Whether it is back within so many seconds."""
        return self._back.wait(seconds)


class PatientGet:
    """Gets from one target, one at a time. Only the thread of the source calls `look`."""

    def __init__(self, fetcher: Fetcher, clock: Clock) -> None:
        self._fetcher = fetcher
        self._clock = clock
        self._errand: _Errand | None = None

    @property
    def out(self) -> bool:
        """A request is on its way."""
        return self._errand is not None

    def look(self, path: str, wait_s: float) -> Reply | Failed | Out:
        """What became of the request in flight, or of a new one for `path`, given so long to come back.

        A request that was out before is only looked at: whoever waits for it each time polls the slower for it. A
        fault that is no FetchError is raised here, and the next look asks anew.
        """
        errand = self._errand
        if errand is None:
            errand = self._errand = _Errand(self._fetcher, path, self._clock.now())
        else:
            wait_s = 0.0
        if not errand.wait(wait_s) or errand.result is None:
            return Out(errand.started)
        self._errand = None
        if isinstance(errand.result, FetchError):
            return Failed(errand.started, errand.result)
        if isinstance(errand.result, Exception):
            raise errand.result
        return errand.result

    def interrupt(self) -> None:
        """Break a request in flight; callable from any thread."""
        self._fetcher.interrupt()

    def close(self) -> None:
        """Let go of the connection."""
        self._fetcher.close()
