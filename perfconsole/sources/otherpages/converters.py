"""Pages that are no Prometheus text, as the series that an exporter of the same program would write.

A converter is pure and exact: it takes the whole page or raises PageError, and never guesses at a part of one.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from perfconsole.sources.exposition import Page, PageError, RawSeries
from perfconsole.sources.otherpages.ollamamodels import loaded_models
from perfconsole.sources.otherpages.slotspage import slots_page
from perfconsole.sources.otherpages.trtllmstats import iteration_stats

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_STUB_STATUS = re.compile(
    rb"Active connections: (\d{1,20}) ?\r?\n"
    rb"server accepts handled requests(?P<tengine> request_time)? ?\r?\n"
    rb" ?(\d{1,20}) (\d{1,20}) (\d{1,20})(?(tengine) \d{1,20}) ?\r?\n"
    rb"Reading: (\d{1,20}) Writing: (\d{1,20}) Waiting: (\d{1,20}) ?\s*"
)
"""What nginx has written since 0.1.18, and Tengine with a sum of milliseconds more; its numbers have 64 bits.

Blanks are those of the page, and need not be there: copies lose them.
"""
_STUB_GROUPS = (1, 3, 4, 5, 6, 7, 8)
"""Those that are numbers."""
_STUB_SERIES = [
    RawSeries(name, ())
    for name in (
        "nginx_connections_active",
        "nginx_connections_accepted",
        "nginx_connections_handled",
        "nginx_http_requests_total",
        "nginx_connections_reading",
        "nginx_connections_writing",
        "nginx_connections_waiting",
    )
]
"""Names of nginx-prometheus-exporter, in the order of the page."""
_STUB_COUNTERS = {"nginx_connections_accepted", "nginx_connections_handled", "nginx_http_requests_total"}


def stub_status(body: bytes) -> Page:
    """The seven numbers of ngx_http_stub_status_module; PageError for any other page."""
    found = _STUB_STATUS.fullmatch(body)
    if found is None:
        raise PageError("it is no page of nginx's stub_status")
    types = {s.name: "counter" if s.name in _STUB_COUNTERS else "gauge" for s in _STUB_SERIES}
    return Page(list(_STUB_SERIES), [float(number) for number in found.group(*_STUB_GROUPS)], types, {})


CONVERTERS: Mapping[str, Callable[[bytes], Page]] = {
    "llamacpp-slots": slots_page,
    "ollama-models": loaded_models,
    "stub-status": stub_status,
    "trtllm-iterations": iteration_stats,
}
"""By the name that an adapter gives."""


def convert(name: str, body: bytes) -> Page:
    """What the converter of this name makes of a page; PageError where it refuses it, KeyError without such a one."""
    return CONVERTERS[name](body)
