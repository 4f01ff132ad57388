"""What every simulated server says of itself: the HTTP figures of fastapi-instrumentator and those of its process.

Pure: the process that serves hands its own figures over.
"""

from __future__ import annotations

from dataclasses import dataclass

from perfconsole.demo.model.histogram import Histogram
from perfconsole.demo.model.pagetext import Labels, PageText

_FINE = (
    *(0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 2.5, 3.0, 3.5, 4.0, 4.5, 5.0, 7.5, 10.0),
    *(30.0, 60.0),
)
_COARSE = (0.1, 0.5, 1.0)


@dataclass(frozen=True, slots=True)
class ProcessFigures:
    """Figures of one process, in base units."""

    start_epoch_s: float
    cpu_s: float
    resident_bytes: int = 0
    virtual_bytes: int = 0
    open_fds: int = 0
    max_fds: int = 0


def process_part(figures: ProcessFigures) -> str:
    """`process_*`; the counter of CPU time has no birth of its own."""
    page = PageText(figures.start_epoch_s)
    page.gauge("process_virtual_memory_bytes", [((), figures.virtual_bytes)])
    page.gauge("process_resident_memory_bytes", [((), figures.resident_bytes)])
    page.gauge("process_start_time_seconds", [((), figures.start_epoch_s)])
    page.gauge("process_open_fds", [((), figures.open_fds)])
    page.gauge("process_max_fds", [((), figures.max_fds)])
    cpu = f"# TYPE process_cpu_seconds_total counter\nprocess_cpu_seconds_total {figures.cpu_s!r}\n"
    return page.text + cpu


class HttpStats:
    """Requests of one handler by method, status and duration; `begin` and `end` are the only writers."""

    def __init__(self, handler: str, *, in_progress: bool = False) -> None:
        self._handler = handler
        self._in_progress = in_progress
        self.inflight = 0
        self._by_status: dict[str, int] = {}
        self._bytes_in = 0
        self._fine = Histogram(_FINE)
        self._coarse = Histogram(_COARSE)

    def begin(self, size: int = 0) -> None:
        """A request came with a body of so many bytes."""
        self.inflight += 1
        self._bytes_in += size

    def end(self, status: int, took_s: float) -> None:
        """It was answered."""
        self.inflight -= 1
        name = f"{status // 100}xx"
        self._by_status[name] = self._by_status.get(name, 0) + 1
        self._fine.observe(took_s)
        self._coarse.observe(took_s)

    def part(self, born: float) -> str:
        """`http_*`; handlers appear with their first answer."""
        page = PageText(born)
        place: Labels = (("handler", self._handler),)
        method: Labels = (*place, ("method", "POST"))
        if self._in_progress:
            page.gauge("http_requests_inprogress", [(method, self.inflight)])
        if self._by_status:
            page.counter("http_requests", [((*method, ("status", s)), n) for s, n in self._by_status.items()])
            page.summary("http_request_size_bytes", [(place, self._fine.count, self._bytes_in)])
            page.summary("http_response_size_bytes", [(place, self._fine.count, 0)])
            page.histogram("http_request_duration_seconds", [(method, self._coarse)])
        page.histogram("http_request_duration_highr_seconds", [((), self._fine)])
        return page.text
